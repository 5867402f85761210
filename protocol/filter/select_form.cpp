#include "protocol/filter/select_form.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "protocol/filter/attribute.hpp"
#include "protocol/filter/scan.hpp"
#include "protocol/filter/test_form.hpp"

namespace sluice {

namespace {

using Kind = Expression::Kind;

bool reads_position(const Expression& e) {
    if (e.kind == Kind::call && (e.text == "position" || e.text == "last")) return true;
    // Predicates of inner paths count positions of their own.
    return std::any_of(e.operands.begin(), e.operands.end(), reads_position);
}

bool is_condition(const Expression& predicate) {
    return predicate.type != ValueType::number && !reads_position(predicate);
}

bool is_element_test(const NodeTest& test) {
    return test.kind == NodeTest::Kind::name || test.kind == NodeTest::Kind::any_name ||
           test.kind == NodeTest::Kind::any_in_namespace || test.kind == NodeTest::Kind::node;
}

// A path whose elements can be told from the event's element upwards: /a/b/c, //b/c, with conditions as predicates.
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
            for (std::size_t i = 0; i < steps_.size(); ++i) add_name_test(conditions, i, leaves);
            if (!anywhere_) conditions.push_back(name_leaf(steps_.size(), Operator::equal, "", leaves));
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

    // How far step i is above the event's element.
    std::size_t parents_of(std::size_t i) const { return steps_.size() - 1 - i; }

    bool all_named() const {
        return std::all_of(steps_.begin(), steps_.end(),
                           [](const Step* step) { return step->test.kind == NodeTest::Kind::name; });
    }

    Formula whole_path(Leaves& leaves) const {
        std::string path;
        for (const Step* step : steps_) path += "/" + step->test.name;
        return leaves.indexed({"$path", Operator::equal, path, 0}, offset_);
    }

    // An element has a name; the document above the root element has "", and so has what is above that.
    void add_name_test(std::vector<Formula>& conditions, std::size_t i, Leaves& leaves) const {
        const NodeTest& test = steps_[i]->test;
        const std::size_t parents = parents_of(i);
        if (test.kind == NodeTest::Kind::name)
            conditions.push_back(name_leaf(parents, Operator::equal, test.name, leaves));
        else if (test.kind == NodeTest::Kind::any_in_namespace)
            conditions.push_back(name_leaf(parents, Operator::starts_with, test.name, leaves));
        else if (parents > 0)
            conditions.push_back(name_leaf(parents, Operator::not_equal, "", leaves));
    }

    Formula name_leaf(std::size_t parents, Operator op, const std::string& name, Leaves& leaves) const {
        Attribute attribute;
        attribute.function = Attribute::Function::name;
        attribute.path.parents = parents;
        return leaves.indexed({to_string(attribute), op, name, 0}, offset_);
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

}  // namespace sluice
