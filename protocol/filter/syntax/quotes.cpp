#include "protocol/filter/syntax/quotes.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "protocol/filter/syntax/feed_names.hpp"
#include "protocol/filter/syntax/writer.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

constexpr std::string_view text_attributes[] = {"domain", "href", "lang", "medium", "rel", "scheme",
                                                "src",    "term", "text", "type",   "url"};
constexpr std::string_view text_functions[] = {"local-name",       "lower-case", "name",      "namespace-uri",
                                               "normalize-space",  "string",     "substring", "substring-after",
                                               "substring-before", "translate"};
constexpr std::string_view constants[] = {"true", "false", "null", "none", "nil"};

template <class List>
bool is_listed(std::string_view name, const List& list) {
    return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

bool has_text(const Expression& e) {
    if (e.kind == Kind::variable) return true;
    if (e.kind == Kind::call) return is_listed(e.text, text_functions);
    if (e.kind != Kind::path) return false;
    if (e.steps.empty()) return !e.operands.empty() && has_text(e.operands[0]);
    const Step& last = e.steps.back();
    if (last.test.kind != NodeTest::Kind::name) return false;
    if (last.axis == Axis::attribute) return is_listed(last.test.name, text_attributes);
    return last.axis == Axis::child && is_field_name(last.test.name);
}

}  // namespace

std::string_view bare_name(const Expression& e) {
    if (e.kind != Kind::path || e.absolute || !e.operands.empty() || e.steps.size() != 1) return {};
    const Step& step = e.steps[0];
    const bool plain = step.axis == Axis::child && step.test.kind == NodeTest::Kind::name && step.predicates.empty();
    const std::string_view name = step.test.name;
    return plain && name.find(':') == std::string_view::npos ? name : std::string_view();
}

std::string_view text_without_quotes(const Expression& beside, const Expression& e) {
    const std::string_view name = bare_name(e);
    const bool of_names = beside.kind == Kind::call && (beside.text == "name" || beside.text == "local-name");
    if (of_names || is_listed(name, constants)) return name;
    return has_text(beside) && !is_field_name(name) ? name : std::string_view();
}

std::string suggest_quotes(const Expression& e) {
    const std::string_view name = bare_name(e);
    return name.empty() ? std::string() : "; did you mean the text " + write_string(name) + "?";
}

}  // namespace sluice::filter
