#include "protocol/filter/syntax/spelling.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "protocol/text/ascii.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

constexpr std::array<BinaryOperator, 14> operators = {{
    {"or", Kind::logical_or, precedence_min},
    {"and", Kind::logical_and, 2},
    {"=", Kind::equal, 3},
    {"!=", Kind::not_equal, 3},
    {"<", Kind::less, 4},
    {"<=", Kind::less_equal, 4},
    {">", Kind::greater, 4},
    {">=", Kind::greater_equal, 4},
    {"+", Kind::add, 5},
    {"-", Kind::subtract, 5},
    {"*", Kind::multiply, 6},
    {"div", Kind::divide, 6},
    {"mod", Kind::modulo, 6},
    {"|", Kind::set_union, precedence_union},
}};

constexpr std::array<std::string_view, 13> axis_names = {
    "child",      "attribute",          "self",      "parent",
    "descendant", "descendant-or-self", "ancestor",  "ancestor-or-self",
    "following",  "following-sibling",  "preceding", "preceding-sibling",
    "namespace",
};

struct MeantSpelling {
    std::string_view written, meant;
};

constexpr MeantSpelling signs_meant[] = {
    {"==", "'='"}, {"=~", "matches(title, '…')"}, {"<>", "'!='"}, {"=<", "'<='"}, {"=>", "'>='"}, {"||", "'or'"}};
constexpr std::string_view contains_meant = "contains(title, '…')";
constexpr MeantSpelling words_meant[] = {{"and", "'and'"},
                                         {"or", "'or'"},
                                         {"div", "'div'"},
                                         {"mod", "'mod'"},
                                         {"not", "not(…)"},
                                         {"is", "'='"},
                                         {"eq", "'='"},
                                         {"equals", "'='"},
                                         {"ne", "'!='"},
                                         {"lt", "'<'"},
                                         {"le", "'<='"},
                                         {"gt", "'>'"},
                                         {"ge", "'>='"},
                                         {"in", "a = 'x' or a = 'y'"},
                                         {"between", "a >= 1 and a <= 5"},
                                         {"contains", contains_meant},
                                         {"like", contains_meant},
                                         {"has", contains_meant},
                                         {"includes", contains_meant},
                                         {"matches", "matches(title, '…')"},
                                         {"starts-with", "starts-with(title, '…')"},
                                         {"startswith", "starts-with(title, '…')"},
                                         {"ends-with", "ends-with(title, '…')"},
                                         {"endswith", "ends-with(title, '…')"}};

template <class Is>
const BinaryOperator* find(Is is) {
    const auto* const found = std::find_if(operators.begin(), operators.end(), is);
    return found == operators.end() ? nullptr : found;
}

}  // namespace

const BinaryOperator* find_operator(std::string_view text) {
    return find([text](const BinaryOperator& op) { return op.text == text; });
}

const BinaryOperator* find_operator(Kind kind) {
    return find([kind](const BinaryOperator& op) { return op.kind == kind; });
}

int precedence(Kind kind) {
    if (kind == Kind::negate) return precedence_negate;
    const BinaryOperator* op = find_operator(kind);
    return op ? op->precedence : precedence_primary;
}

std::string_view sign_meant(std::string_view text) {
    for (const MeantSpelling& sign : signs_meant)
        if (text.starts_with(sign.written)) return sign.meant;
    return {};
}

std::string_view word_meant(std::string_view word) {
    const std::string lower = text::ascii_lower(word);
    for (const MeantSpelling& each : words_meant)
        if (each.written == lower) return each.meant;
    return {};
}

std::string_view axis_name(Axis axis) { return axis_names[static_cast<std::size_t>(axis)]; }

std::optional<Axis> find_axis(std::string_view name) {
    const auto* const found = std::find(axis_names.begin(), axis_names.end(), name);
    if (found == axis_names.end()) return std::nullopt;
    return static_cast<Axis>(found - axis_names.begin());
}

}  // namespace sluice::filter
