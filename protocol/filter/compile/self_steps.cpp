#include "protocol/filter/compile/self_steps.hpp"

#include <algorithm>
#include <utility>

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

bool reads_position(const Expression& e) {
    if (e.kind == Kind::call && (e.text == "position" || e.text == "last")) return true;
    // Predicates of inner paths have positions of their own.
    return std::any_of(e.operands.begin(), e.operands.end(), reads_position);
}

bool is_self_step(const Step& step) {
    const bool one_node = step.axis == Axis::self || step.axis == Axis::parent;
    const bool of_elements = step.test.kind == NodeTest::Kind::node || step.test.kind == NodeTest::Kind::name ||
                             step.test.kind == NodeTest::Kind::any_name ||
                             step.test.kind == NodeTest::Kind::any_in_namespace;
    return one_node && of_elements && std::all_of(step.predicates.begin(), step.predicates.end(), is_condition);
}

bool has_condition(const Step& step) { return step.test.kind != NodeTest::Kind::node || !step.predicates.empty(); }

}  // namespace

bool is_condition(const Expression& predicate) {
    return predicate.type != ValueType::number && !reads_position(predicate);
}

std::optional<SelfSteps> split_self_steps(const Expression& path, std::size_t parents) {
    if (path.kind != Kind::path || path.absolute || !path.operands.empty()) return std::nullopt;
    const auto end = std::find_if_not(path.steps.begin(), path.steps.end(), is_self_step);
    if (std::none_of(path.steps.begin(), end, has_condition)) return std::nullopt;

    SelfSteps result;
    result.parents = parents;
    for (auto step = path.steps.begin(); step != end; ++step) {
        if (step->axis == Axis::parent) ++result.parents;
        result.conditions.push_back({result.parents, step->test, step->predicates});
    }
    result.rest.kind = Kind::path;
    result.rest.type = ValueType::node_set;
    result.rest.offset = path.offset;
    result.rest.steps.assign(end, path.steps.end());
    if (result.rest.steps.empty()) result.rest.steps.push_back({Axis::self, {}, {}});
    return result;
}

}  // namespace sluice::filter
