#include "protocol/filter/siblings.hpp"

#include <algorithm>
#include <cstdint>

#include "protocol/filter/syntax/checker.hpp"
#include "protocol/filter/syntax/fault.hpp"
#include "protocol/filter/syntax/parser.hpp"
#include "protocol/filter/syntax/syntax_tree.hpp"
#include "protocol/filter/syntax/writer.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

// A leaf's text is a little deeper than the corresponding part of the filter.
constexpr std::size_t leaf_depth_max = 250;

// The places of a set's nodes relative to the item, as bits.
using Places = unsigned;
constexpr Places item = 1;
constexpr Places inside = 2;           // the item's content and its attributes
constexpr Places above = 4;            // its ancestors and the document node
constexpr Places above_attribute = 8;  // attributes of its ancestors
constexpr Places beside = 16;          // anything else

// The places that an axis leads to from one place.
Places walk_from(Places place, Axis axis) {
    const bool from_item = place == item, from_inside = place == inside, from_above = place == above;
    switch (axis) {
        case Axis::self:
            return place;
        case Axis::child:
        case Axis::descendant:
            return from_above ? beside : from_item || from_inside ? inside : 0;
        case Axis::descendant_or_self:
            return from_above ? beside : from_item ? item | inside : place;
        case Axis::attribute:
            return from_above ? above_attribute : from_item || from_inside ? inside : 0;
        case Axis::parent:
            return from_inside ? item | inside : above;
        case Axis::ancestor:
            return from_inside ? item | inside | above : above;
        case Axis::ancestor_or_self:
            return from_inside ? item | inside | above : place | above;
        case Axis::following_sibling:
        case Axis::preceding_sibling:
            return from_inside ? inside : place == above_attribute ? 0 : beside;
        case Axis::following:
        case Axis::preceding:
            return beside;
        case Axis::name_space:  // finds nothing
            return 0;
    }
    return beside;
}

Places walk(Places from, Axis axis) {
    Places to = 0;
    for (const Places place : {item, inside, above, above_attribute})
        if (from & place) to |= walk_from(place, axis);
    return to;
}

// These functions do not read the text of their arguments. The text of an ancestor includes that of all items below it.
bool asks_no_text(const std::string& function) {
    static constexpr std::string_view names[] = {"boolean", "count", "local-name", "name", "namespace-uri", "not"};
    return std::find(std::begin(names), std::end(names), function) != std::end(names);
}

// Searches an expression for a part that sees anything beside the item.
class SiblingSearch {
public:
    std::optional<std::string> search(const Expression& e) {
        visit(e, {item, false}, false);
        return std::move(found_);
    }

private:
    struct Context {
        Places node = 0;
        bool in_predicate = false;  // positions are then those of a path's nodes
    };

    void visit(const Expression& e, Context context, bool reads_text) {
        if (found_) return;
        if (e.kind == Kind::path || e.kind == Kind::set_union) {
            const Places places = nodes(e, context);
            if (reads_text && (places & above)) find(e);
        } else if (e.kind == Kind::call) {
            const bool is_positional = e.text == "position" || e.text == "last";
            if (is_positional && !context.in_predicate) find(e);
            for (const Expression& argument : e.operands) visit(argument, context, !asks_no_text(e.text));
        } else {
            const bool is_logical = e.kind == Kind::logical_and || e.kind == Kind::logical_or;
            for (const Expression& operand : e.operands) visit(operand, context, !is_logical);
        }
    }

    // The places that the nodes of a set may be in.
    Places nodes(const Expression& e, Context context) {
        if (e.kind == Kind::path) return nodes_of_path(e, context);
        if (e.kind == Kind::set_union) {
            Places places = 0;
            for (const Expression& operand : e.operands) places |= nodes(operand, context);
            return places;
        }
        visit(e, context, true);
        return 0;  // id() finds nothing, and the values of a variable are not nodes of the document
    }

    Places nodes_of_path(const Expression& path, Context context) {
        Places places = path.absolute ? above : context.node;
        if (!path.operands.empty()) {
            places = nodes(path.operands[0], context);
            visit_predicates(path.predicates, places);
        }
        for (const Step& step : path.steps) {
            places = walk(places, step.axis);
            if (places & beside) find(path);
            if (found_) return 0;
            visit_predicates(step.predicates, places);
        }
        return places;
    }

    void visit_predicates(const std::vector<Expression>& predicates, Places places) {
        for (const Expression& predicate : predicates) visit(predicate, {places, true}, false);
    }

    void find(const Expression& e) {
        if (!found_) found_ = write(e);
    }

    std::optional<std::string> found_;
};

}  // namespace

// A leaf's text is a filter that is decided as the leaf is, so one form covers indexed, computed and scanned leaves.
std::optional<std::string> needs_siblings(const Filter& filter) {
    for (const Leaf& leaf : filter.leaves) {
        try {
            Expression expression = parse(leaf.text, leaf_depth_max);
            check(expression);
            if (auto found = SiblingSearch().search(expression)) return found;
        } catch (const Fault&) {
            return leaf.text;
        }
    }
    return std::nullopt;
}

}  // namespace sluice::filter
