#include "protocol/filter/compile/times.hpp"

#include <algorithm>
#include <optional>

#include "protocol/text/date.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

bool is_dot(const Expression& e) {
    const auto stays = [](const Step& step) {
        return step.axis == Axis::self && step.test.kind == NodeTest::Kind::node && step.predicates.empty();
    };
    return e.kind == Kind::path && !e.absolute && e.operands.empty() &&
           std::all_of(e.steps.begin(), e.steps.end(), stays);
}

bool is_constant_number(const Expression& e) {
    return e.kind == Kind::number ||
           (is_arithmetic(e.kind) && std::all_of(e.operands.begin(), e.operands.end(), is_constant_number));
}

bool is_number_of_time(const Expression& call, bool dot_is_time) {
    if (call.text != "number") return false;
    const Expression& argument = call.operands[0];
    const bool of_text = argument.kind == Kind::call && argument.text == "string";
    return is_time(of_text ? argument.operands[0] : argument, dot_is_time);
}

void read_constant(Expression& constant) {
    if (constant.kind != Kind::string) return;
    const std::optional<double> seconds = text::parse_date(constant.text);
    if (!seconds) return;
    constant.kind = Kind::number;
    constant.type = ValueType::number;
    constant.number = *seconds;
    constant.text.clear();
}

}  // namespace

bool is_time(const Expression& e, bool dot_is_time) {
    switch (e.kind) {
        case Kind::variable:
            return e.text == "published" || e.text == "updated";
        case Kind::call:
            return e.text == "date" || is_number_of_time(e, dot_is_time);
        case Kind::path:
            return is_dot(e) ? dot_is_time : e.steps.empty() && selects_times(e, dot_is_time);
        case Kind::add:
        case Kind::subtract:
            if (is_constant_number(e.operands[1])) return is_time(e.operands[0], dot_is_time);
            return e.kind == Kind::add && is_constant_number(e.operands[0]) && is_time(e.operands[1], dot_is_time);
        default:
            return false;
    }
}

bool selects_times(const Expression& path, bool dot_is_time) {
    return path.kind == Kind::path && !path.operands.empty() && is_time(path.operands[0], dot_is_time);
}

void read_time(Expression& comparison, bool dot_is_time) {
    Expression &left = comparison.operands[0], &right = comparison.operands[1];
    if (is_time(left, dot_is_time)) read_constant(right);
    if (is_time(right, dot_is_time)) read_constant(left);
}

}  // namespace sluice::filter
