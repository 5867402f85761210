#include "protocol/filter/hints/comparison_hints.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/filter/compile/times.hpp"
#include "protocol/filter/evaluator/comparison.hpp"
#include "protocol/filter/hints/case_hints.hpp"
#include "protocol/filter/hints/first_value.hpp"
#include "protocol/filter/hints/time_hints.hpp"
#include "protocol/filter/syntax/feed_names.hpp"
#include "protocol/filter/syntax/quotes.hpp"
#include "protocol/filter/syntax/spelling.hpp"
#include "protocol/filter/syntax/xpath_number.hpp"
#include "protocol/text/date.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

bool is_literal(const Expression& e) { return e.kind == Kind::number || e.kind == Kind::string; }
bool is_truth(const Expression& e) { return is_call(e, "true") || is_call(e, "false"); }

Expression as_text(std::string_view text) {
    Expression e;
    e.kind = Kind::string;
    e.type = ValueType::string;
    e.text = text;
    return e;
}

// A comparison seen from one of its sides.
struct Side {
    const Expression& comparison;
    std::size_t index;
    bool dot_is_time;

    const Expression& one() const { return comparison.operands[index]; }
    const Expression& other() const { return comparison.operands[1 - index]; }
    // The comparison as `one() sign other()`.
    Kind kind() const { return index == 0 ? comparison.kind : xpath::mirrored(comparison.kind); }
    std::string sign() const { return std::string(find_operator(comparison.kind)->text); }
    // The comparison as text, with the other side replaced.
    std::string with_other(Expression other) const {
        Expression changed = comparison;
        changed.operands[1 - index] = std::move(other);
        return shown(changed);
    }
};

// Each rule returns a message, or "" where it has nothing to say.
using Rule = std::string (*)(const Side&);

// 1 < price < 5
std::string chained(const Side& side) {
    const Expression& inner = side.one();
    const Expression& other = side.other();
    if (!is_comparison(inner.kind) || other.type == ValueType::boolean) return {};
    const Expression& middle = inner.operands[1 - side.index];
    const bool mixed = is_equality(inner.kind) != is_equality(side.comparison.kind);  // price < (title = 'x')
    if (mixed || is_literal(middle)) return {};                                       // (price < 5) < total
    const bool as_boolean = is_literal(other) && (other.kind == Kind::string || other.number == 0 || other.number == 1);
    if (is_equality(side.comparison.kind) && as_boolean) return {};
    Expression outer = side.comparison;
    outer.operands[side.index] = middle;
    const std::string first = shown(inner), second = shown(outer);
    return "a comparison can't be continued: " + first + " is true or false, which counts as 1 or 0; write " +
           (side.index == 0 ? first + " and " + second : second + " and " + first);
}

// not(category) = 'politics', contains(title, 'x') = 'false'
std::string truth_with_text(const Side& side) {
    const Expression& other = side.other();
    if (side.one().type != ValueType::boolean || other.kind != Kind::string || other.text == "true") return {};
    if (!is_equality(side.comparison.kind)) return {};
    const std::string begin =
        shown(side.one()) + " is true or false, and compared with it any text but '' counts as true; ";
    if (!is_call(side.one(), "not") || side.one().operands[0].type == ValueType::boolean)
        return begin + "write true() or false()";
    Expression inside = side.comparison;
    inside.operands[side.index] = side.one().operands[0];
    return begin + "write not(" + shown(inside) + ")";
}

// (price < 5) > 1, contains(title, 'x') < 2
std::string truth_with_number(const Side& side) {
    const Expression& other = side.other();
    if (side.one().type != ValueType::boolean || other.kind != Kind::number || is_equality(side.comparison.kind))
        return {};
    const bool if_false = xpath::compare_numbers(side.kind(), 0, other.number);
    if (if_false != xpath::compare_numbers(side.kind(), 1, other.number)) return {};
    return shown(side.one()) + " is true or false, which counts as 1 or 0, so this " + (if_false ? "always" : "never") +
           " holds";
}

// draft = false()
std::string existence(const Side& side) {
    if (side.one().type != ValueType::node_set || !is_truth(side.other())) return {};
    std::string message = "this asks whether there is any " + shown(side.one()) + ", whatever its text";
    if (is_equality(side.comparison.kind))
        message += "; for its text write " + side.with_other(as_text(side.other().text));
    return message;
}

// category = politics
std::string forgotten_quotes(const Side& side) {
    const std::string_view name = text_without_quotes(side.one(), side.other());
    const bool time = is_time(side.one(), side.dot_is_time);
    if (name.empty() || !(time || is_equality(side.comparison.kind))) return {};
    const std::string begin = std::string(name) + " without quotes is the name of an element; ";
    if (time) return begin + "write a date such as '2024-01-31'";
    return begin + "for the text write " + side.with_other(as_text(name));
}

// $published > 'yesterday'
std::string time_with_constant(const Side& side) {
    if (!is_time(side.one(), side.dot_is_time)) return {};
    return describe_time_constant(side.comparison, side.index);
}

bool can_be_dated(const Expression& e) {
    if (e.kind != Kind::path || e.absolute || !e.operands.empty()) return false;
    for (const Step& step : e.steps)
        if (step.axis != Axis::child || !step.predicates.empty()) return false;
    return true;
}

// "date(pubDate) > '2024', or compare $published", for a comparison of pubDate with text.
std::string with_date(const Side& side, const Expression& text) {
    Expression dated;
    dated.kind = Kind::call;
    dated.text = "date";
    dated.operands.push_back(side.one());
    Expression changed = side.comparison;
    changed.operands[side.index] = std::move(dated);
    changed.operands[1 - side.index] = text;
    return shown(changed) + ", or compare $published";
}

// pubDate > 2024, pubDate > '2024'
std::string date_with_year(const Side& side) {
    constexpr double year_min = 1900, year_max = 2100;
    const Expression& other = side.other();
    if (is_equality(side.comparison.kind) || !is_literal(other) || !can_be_dated(side.one())) return {};
    const double year = other.kind == Kind::number ? other.number : xpath_number(other.text);
    if (!(year >= year_min && year <= year_max) || year != std::floor(year)) return {};
    const Step& last = side.one().steps.back();
    if (last.test.kind != NodeTest::Kind::name || !is_date_name(last.test.name)) return {};
    return side.sign() + " compares numbers, and " + shown(side.one()) + " is a date; write " +
           with_date(side, as_text(std::to_string(static_cast<int>(year))));
}

// price > 'cheap', pubDate > '2024-01-01', count(a) = 'x'
std::string not_a_number(const Side& side) {
    const Expression& other = side.other();
    if (other.kind != Kind::string || !std::isnan(xpath_number(other.text))) return {};
    if (is_time(side.one(), side.dot_is_time)) return {};
    const bool equality = is_equality(side.comparison.kind);
    if (equality && side.one().type != ValueType::number) return {};
    if (!equality && can_be_dated(side.one()) && text::parse_date(other.text))
        return side.sign() + " compares numbers, and " + shown(other) + " is none; write " + with_date(side, other);
    return shown(other) + " is not a number" + (equality ? "" : ", and " + side.sign() + " compares numbers") +
           ", so this " + (side.comparison.kind == Kind::not_equal ? "always" : "never") + " holds";
}

// lower-case(title) = 'GPU'
std::string capital_letters(const Side& side) {
    if (!is_equality(side.comparison.kind)) return {};
    const std::string lower = lower_case_meant(side.one(), side.other());
    if (lower.empty()) return {};
    return shown(side.one()) + " never contains " + shown(side.other()) + "; write " + side.with_other(as_text(lower));
}

// price-10, where a number is wanted; also inside of arithmetic.
std::string describe_minus_in_name(const Expression& e) {
    if (is_arithmetic(e.kind)) {
        for (const Expression& operand : e.operands)
            if (std::string message = describe_minus_in_name(operand); !message.empty()) return message;
        return {};
    }
    if (e.kind != Kind::path || e.steps.empty() || e.steps.back().test.kind != NodeTest::Kind::name) return {};
    const std::string& name = e.steps.back().test.name;
    const std::size_t minus = name.find_last_not_of("0123456789.");
    if (minus == std::string::npos || minus == 0 || minus + 1 == name.size() || name[minus] != '-') return {};
    Expression before = e;
    before.steps.back().test.name.resize(minus);
    return name + " is one name, since names may have a '-'; to subtract write " + shown(before) + " - " +
           name.substr(minus + 1);
}

// price-10 < 100
std::string minus_in_name(const Side& side) {
    const bool is_number = side.other().type == ValueType::number || is_arithmetic(side.one().kind);
    return is_equality(side.comparison.kind) && !is_number ? std::string() : describe_minus_in_name(side.one());
}

// normalize-space($category) = 'x'
std::string first_of_several(const Side& side) {
    return side.index == 0 ? describe_first_value(side.comparison) : std::string();
}

// $category != 'x'
std::string any_differs(const Side& side) {
    return side.index == 0 ? describe_any_differs(side.comparison) : std::string();
}

constexpr Rule rules[] = {chained,         truth_with_text,  truth_with_number, existence,
                          capital_letters, forgotten_quotes, minus_in_name,     time_with_constant,
                          date_with_year,  not_a_number,     first_of_several,  any_differs};

bool looks_like_name(const Expression& e) {
    return e.kind == Kind::string && !e.text.empty() &&
           e.text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_:/@$") == std::string::npos;
}

// The expression with its first operand, a quoted name, as a path. For display only.
std::string without_quotes(const Expression& e) {
    Expression changed = e;
    Expression& name = changed.operands[0];
    const std::string text = name.text;
    name = Expression();
    name.kind = Kind::path;
    name.steps.push_back({Axis::child, {NodeTest::Kind::name, text}, {}});
    return shown(changed);
}

}  // namespace

void hint_at_comparison(const Expression& e, bool dot_is_time, HintList& hints) {
    const Expression &left = e.operands[0], &right = e.operands[1];
    if (is_literal(left) && is_literal(right)) {
        const std::string begin = "both sides are constants, so this is the same for every item";
        return hints.add(e.offset,
                         looks_like_name(left) ? begin + "; a name has no quotes: " + without_quotes(e) : begin);
    }
    for (const Rule rule : rules) {
        for (const std::size_t index : {0u, 1u}) {
            std::string message = rule({e, index, dot_is_time});
            if (!message.empty()) return hints.add(e.offset, std::move(message));
        }
    }
}

void hint_at_search(const Expression& call, HintList& hints) {
    if (call.operands.size() < 2) return;
    const Expression& searched = call.operands[0];
    const Expression& text = call.operands[1];
    if (is_time(searched))
        return hints.add(call.offset, shown(searched) +
                                          " is a number of seconds since 1970, not a text; compare it with a "
                                          "date: " +
                                          shown(searched) + " >= '2024-01-31'");
    if (const std::string lower = lower_case_searched(call); !lower.empty()) {
        Expression changed = call;
        changed.operands[1] = as_text(lower);
        return hints.add(text.offset, shown(searched) + " never contains " + shown(text) + "; write " + shown(changed));
    }
    if (call.text != "contains" && call.text != "starts-with") return;
    if (searched.kind == Kind::string && text.kind == Kind::string)
        return hints.add(call.offset, "both arguments are constants, so this is the same for every item" +
                                          (looks_like_name(searched) ? "; a name has no quotes: " + without_quotes(call)
                                                                     : std::string()));
    const std::string_view name = bare_name(text);
    if (name.empty() || is_field_name(name)) {
        std::string message = describe_first_value(call);
        if (!message.empty()) hints.add(call.offset, std::move(message));
        return;
    }
    Expression changed = call;
    changed.operands[1] = as_text(name);
    hints.add(text.offset,
              std::string(name) + " without quotes is the name of an element; for the text write " + shown(changed));
}

}  // namespace sluice::filter
