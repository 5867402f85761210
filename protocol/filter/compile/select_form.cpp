#include "protocol/filter/compile/select_form.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "protocol/filter/compile/scan.hpp"
#include "protocol/filter/compile/self_steps.hpp"
#include "protocol/filter/compile/test_form.hpp"
#include "protocol/filter/syntax/attribute.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

bool is_element_test(const NodeTest& test) {
    return test.kind == NodeTest::Kind::name || test.kind == NodeTest::Kind::any_name ||
           test.kind == NodeTest::Kind::any_in_namespace || test.kind == NodeTest::Kind::node;
}

// A path that can be checked from the event's element upwards: /a/b/c, //b/c, with conditions as predicates.
class Pattern {
public:
    static std::optional<Pattern> of(const Expression& path) {
        if (path.kind != Kind::path || !path.absolute || path.steps.empty()) return std::nullopt;
        Pattern pattern(path);
        const Step& first = path.steps.front();
        const bool skips = first.axis == Axis::descendant_or_self && first.test.kind == NodeTest::Kind::node &&
                           first.predicates.empty() && path.steps.size() > 1;
        if (skips) pattern.steps_.erase(pattern.steps_.begin());
        pattern.anywhere_ = skips;
        for (const Step* step : pattern.steps_) {
            const bool right = step->axis == Axis::child && is_element_test(step->test) &&
                               std::all_of(step->predicates.begin(), step->predicates.end(), is_condition);
            if (!right) return std::nullopt;
        }
        return pattern;
    }

    Formula compile(Leaves& leaves) const {
        std::vector<Formula> conditions;
        if (all_named() && !anywhere_) {
            conditions.push_back(whole_path(leaves));
        } else {
            for (std::size_t i = 0; i < steps_.size(); ++i) conditions.push_back(name_test(i, leaves));
            if (!anywhere_) conditions.push_back(nothing_above(leaves));
        }
        for (std::size_t i = 0; i < steps_.size(); ++i)
            for (const Expression& predicate : steps_[i]->predicates)
                conditions.push_back(compile_test(predicate, parents_of(i), leaves));
        return make_all(std::move(conditions));
    }

private:
    explicit Pattern(const Expression& path) : offset_(path.offset) {
        for (const Step& step : path.steps) steps_.push_back(&step);
    }

    // The number of levels from the event's element up to step i.
    std::size_t parents_of(std::size_t i) const { return steps_.size() - 1 - i; }

    bool all_named() const {
        return std::all_of(steps_.begin(), steps_.end(),
                           [](const Step* step) { return step->test.kind == NodeTest::Kind::name; });
    }

    Formula whole_path(Leaves& leaves) const {
        std::string path;
        for (const Step* step : steps_) path += "/" + step->test.name;
        return leaves.indexed({"$path", engine::Operator::equal, path, 0}, offset_);
    }

    // A child step never leads to the document node, even with node().
    Formula name_test(std::size_t i, Leaves& leaves) const {
        NodeTest test = steps_[i]->test;
        if (test.kind == NodeTest::Kind::node) test.kind = NodeTest::Kind::any_name;
        return compile_node_test(test, parents_of(i), offset_, leaves);
    }

    // Only the document node, and the missing nodes above it, have no name.
    Formula nothing_above(Leaves& leaves) const {
        Attribute attribute;
        attribute.function = Attribute::Function::name;
        attribute.path.parents = steps_.size();
        return leaves.indexed({to_string(attribute), engine::Operator::equal, {}, 0}, offset_);
    }

    std::vector<const Step*> steps_;
    std::size_t offset_;
    bool anywhere_ = false;  // "//" before the first step
};

}  // namespace

Formula compile_selection(const Expression& e, Leaves& leaves) {
    if (e.kind == Kind::set_union) {
        std::vector<Formula> arms;
        for (const Expression& arm : e.operands) arms.push_back(compile_selection(arm, leaves));
        return make_any(std::move(arms));
    }
    if (const std::optional<Pattern> pattern = Pattern::of(e)) return pattern->compile(leaves);
    return scan_selection(e, leaves);
}

}  // namespace sluice::filter
