// Known deviations of other XPath evaluators from XPath 1.0, and so from Sluice: the filters that an oracle can't
// check.
#pragma once

#include <algorithm>
#include <functional>
#include <string_view>

#include "protocol/filter/syntax/checker.hpp"
#include "protocol/filter/syntax/functions.hpp"
#include "protocol/filter/syntax/parser.hpp"

namespace sluice {

// Whether `test` holds for some part of the expression.
inline bool any_part(const filter::Expression& e, const std::function<bool(const filter::Expression&)>& test) {
    const auto in = [&](const std::vector<filter::Expression>& list) {
        for (const filter::Expression& part : list)
            if (any_part(part, test)) return true;
        return false;
    };
    if (test(e) || in(e.operands) || in(e.predicates)) return true;
    for (const filter::Step& step : e.steps)
        if (in(step.predicates)) return true;
    return false;
}

inline filter::Expression checked_expression(std::string_view text) {
    filter::Expression expression = filter::parse(text, 1000);
    filter::check(expression);
    return expression;
}

// For `<` and its like, pugixml compares a node-set and a boolean as numbers of the nodes (XPath 1.0 §3.4: both as
// booleans).
inline bool orders_set_and_boolean(const filter::Expression& e) {
    using enum filter::Expression::Kind;
    if (!filter::is_comparison(e.kind) || e.kind == equal || e.kind == not_equal) return false;
    const auto is = [&](std::size_t i, filter::ValueType type) { return e.operands[i].type == type; };
    return (is(0, filter::ValueType::node_set) && is(1, filter::ValueType::boolean)) ||
           (is(1, filter::ValueType::node_set) && is(0, filter::ValueType::boolean));
}

// pugixml gives text nodes the default namespace of their element (§4.1: only elements and attributes have one).
inline bool asks_namespace_of_text(const filter::Expression& e) {
    if (e.kind != filter::Expression::Kind::call || e.text != "namespace-uri") return false;
    const filter::Expression& path = e.operands[0];
    if (path.kind != filter::Expression::Kind::path || path.steps.empty()) return true;
    return path.steps.back().test.kind > filter::NodeTest::Kind::any_in_namespace;
}

// pugixml writes numbers with at most 16 significant digits, which some results of arithmetic exceed (§4.2).
inline bool may_write_long_number(const filter::Expression& e) {
    const filter::Function* f = e.kind == filter::Expression::Kind::call ? filter::find_function(e.text) : nullptr;
    if (!f) return false;
    const auto is_result = [](const filter::Expression& part) {
        return filter::is_arithmetic(part.kind) || filter::is_call(part, "sum");
    };
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
        const bool as_text = e.text == "string" || f->arguments[std::min(i, f->arguments.size() - 1)] == 's';
        if (as_text && e.operands[i].type == filter::ValueType::number && any_part(e.operands[i], is_result))
            return true;
    }
    return false;
}

inline bool pugixml_differs(std::string_view filter) {
    // pugixml counts bytes instead of characters.
    for (const char c : filter)
        if (static_cast<unsigned char>(c) >= 0x80) return true;
    const filter::Expression expression = checked_expression(filter);
    return any_part(expression, orders_set_and_boolean) || any_part(expression, asks_namespace_of_text) ||
           any_part(expression, may_write_long_number);
}

}  // namespace sluice
