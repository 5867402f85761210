#include "protocol/filter/hints/first_value.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "protocol/filter/hints/hint_list.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

constexpr std::string_view readers_of_first[] = {"contains",         "normalize-space", "number",    "starts-with",
                                                 "string",           "string-length",   "substring", "substring-after",
                                                 "substring-before", "translate"};
constexpr std::string_view repeated_variables[] = {"author", "category"};
constexpr std::string_view repeated_elements[] = {"authors",    "atom:category",   "category",       "dc:creator",
                                                  "dc:subject", "itunes:category", "media:category", "tags"};

template <std::size_t N>
bool is_in(std::string_view name, const std::string_view (&names)[N]) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_repeated_element(const Step& step) {
    return step.axis == Axis::child && step.test.kind == NodeTest::Kind::name && step.predicates.empty() &&
           is_in(step.test.name, repeated_elements);
}

// $category, category, category/@term
bool often_has_several_values(const Expression& e) {
    if (e.kind == Kind::variable) return is_in(e.text, repeated_variables);
    if (e.kind != Kind::path || e.absolute || !e.operands.empty() || e.steps.empty()) return false;
    const Step& last = e.steps.back();
    if (last.axis != Axis::attribute) return is_repeated_element(last);
    return last.predicates.empty() && e.steps.size() > 1 && is_repeated_element(e.steps[e.steps.size() - 2]);
}

Expression dot() {
    Expression e;
    e.kind = Kind::path;
    e.type = ValueType::node_set;
    e.steps.push_back({Axis::self, {}, {}});
    return e;
}

// What is read of several values: the path or variable, and the function that reads it.
struct FirstValue {
    Expression values;
    std::string function;
};

// Puts a dot in the place of the values, and returns them.
std::optional<FirstValue> take_values(Expression& call) {
    if (call.kind != Kind::call || call.operands.empty() || !is_in(call.text, readers_of_first)) return std::nullopt;
    Expression& read = call.operands[0];
    if (!often_has_several_values(read)) return take_values(read);
    return FirstValue{std::exchange(read, dot()), call.text};
}

// $category and contains(., 'x') as $category[contains(., 'x')].
Expression with_condition(Expression values, Expression condition) {
    if (values.kind == Kind::path) {
        values.steps.back().predicates.push_back(std::move(condition));
        return values;
    }
    Expression path;
    path.kind = Kind::path;
    path.type = ValueType::node_set;
    path.operands.push_back(std::move(values));
    path.predicates.push_back(std::move(condition));
    return path;
}

}  // namespace

std::string describe_first_value(const Expression& test) {
    Expression of_each = test;
    std::optional<FirstValue> first = take_values(of_each);
    if (is_comparison(test.kind))
        for (Expression& side : of_each.operands)
            if (!first) first = take_values(side);
    if (!first) return {};
    const std::string values = shown(first->values);
    return first->function + "() reads only the first " + values + " of an item; to test each write " +
           shown(with_condition(std::move(first->values), std::move(of_each)));
}

std::string describe_any_differs(const Expression& comparison) {
    if (comparison.kind != Kind::not_equal) return {};
    const Expression &left = comparison.operands[0], &right = comparison.operands[1];
    const Expression& values = left.kind == Kind::string ? right : left;
    const Expression& text = left.kind == Kind::string ? left : right;
    if (text.kind != Kind::string || !often_has_several_values(values)) return {};
    Expression equal = comparison;
    equal.kind = Kind::equal;
    return "this holds if any " + shown(values) + " of an item differs; where none may be " + shown(text) +
           " write not(" + shown(equal) + ")";
}

}  // namespace sluice::filter
