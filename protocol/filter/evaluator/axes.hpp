// Walks along the axes of XPath: from one node, in the order in which positions count; or from a set of nodes, in any
// order, reaching each node of their combined axes about once, in time proportional to the document. Visits the nodes
// that pass a test. visit(node) returns true to stop the walk, and the walk then returns true. One thread.
#pragma once

#include <algorithm>
#include <vector>

#include "protocol/filter/evaluator/document_index.hpp"
#include "protocol/filter/evaluator/meter.hpp"
#include "protocol/filter/evaluator/node_set.hpp"
#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::xpath {

class Axes {
public:
    Axes(const DocumentIndex& index, Meter& meter) : index_(index), meter_(meter) {}

    template <class Visit>
    bool walk(filter::Axis axis, Node from, const LabelTest& test, const Visit& visit) const {
        // A variable's value has no other nodes around it.
        if (from >= index_.size()) return has_self(axis) && charge(1) && test.values && visit(from);
        switch (axis) {
            case filter::Axis::child:
                return siblings(index_.body(from), index_.end(from), test, visit);
            case filter::Axis::attribute:
                return index_.kind(from) == NodeKind::element && range(from + 1, index_.body(from), test, visit);
            case filter::Axis::self:
                return see(from, test, visit);
            case filter::Axis::parent:
                return from != document_node && see(index_.parent(from), test, visit);
            case filter::Axis::descendant:
                return below(from + 1, index_.end(from), test, visit);
            case filter::Axis::descendant_or_self:
                return see(from, test, visit) || below(from + 1, index_.end(from), test, visit);
            case filter::Axis::ancestor:
                return chain<&DocumentIndex::parent>(index_.parent(from), test, visit);
            case filter::Axis::ancestor_or_self:
                return chain<&DocumentIndex::parent>(from, test, visit);
            case filter::Axis::following:
                return below(index_.end(from), index_.size(), test, visit);
            case filter::Axis::following_sibling:
                return has_siblings(from) && siblings(index_.end(from), index_.end(index_.parent(from)), test, visit);
            case filter::Axis::preceding:
                return before(from, test, visit);
            case filter::Axis::preceding_sibling:
                return chain<&DocumentIndex::previous_sibling>(index_.previous_sibling(from), test, visit);
            case filter::Axis::name_space:
                break;
        }
        return false;
    }

    template <class Visit>
    bool walk(filter::Axis axis, const NodeSet& from, const LabelTest& test, const Visit& visit) const {
        if (from.empty()) return false;
        if (from.size() == 1) return walk(axis, from.front(), test, visit);
        if (from.back() >= index_.size()) return each(from, axis, test, visit);
        switch (axis) {
            case filter::Axis::parent:
                return parents(from, test, visit);
            case filter::Axis::descendant:
            case filter::Axis::descendant_or_self:
                return below_all(from, axis == filter::Axis::descendant_or_self, test, visit);
            case filter::Axis::ancestor:
            case filter::Axis::ancestor_or_self:
                return above(from, axis == filter::Axis::ancestor_or_self, test, visit);
            case filter::Axis::following:
                return below(first_end(from), index_.size(), test, visit);
            case filter::Axis::preceding:
                return before(from.back(), test, visit);
            case filter::Axis::following_sibling:
                return later_siblings(from, test, visit);
            case filter::Axis::preceding_sibling:
                return earlier_siblings(from, test, visit);
            default:
                return each(from, axis, test, visit);
        }
    }

private:
    static bool has_self(filter::Axis axis) {
        return axis == filter::Axis::self || axis == filter::Axis::descendant_or_self ||
               axis == filter::Axis::ancestor_or_self;
    }

    bool has_siblings(Node node) const { return node != document_node && index_.kind(node) != NodeKind::attribute; }
    bool charge(std::uint64_t steps) const { return meter_.spend(steps), true; }

    template <class Visit>
    bool see(Node node, const LabelTest& test, const Visit& visit) const {
        meter_.spend(1);
        return test(index_.label(node)) && visit(node);
    }

    template <Node (DocumentIndex::*next)(Node) const, class Visit>
    bool chain(Node node, const LabelTest& test, const Visit& visit) const {
        for (; node != no_node; node = (index_.*next)(node))
            if (see(node, test, visit)) return true;
        return false;
    }

    // From a child to the end of its parent.
    template <class Visit>
    bool siblings(Node first, Node end, const LabelTest& test, const Visit& visit) const {
        for (Node node = first; node < end; node = index_.end(node))
            if (see(node, test, visit)) return true;
        return false;
    }

    // Skips nodes that fail the test quickly and charges for them afterwards, in pieces small enough not to delay the
    // meter.
    template <class Visit>
    bool range(Node first, Node end, const LabelTest& test, const Visit& visit) const {
        constexpr Node piece = 4096;
        for (Node node = first; node < end;) {
            const Node begin = node, stop = std::min(end, begin + std::min(piece, end - begin));
            while (node < stop && !test(index_.label(node))) ++node;
            const bool found = node < stop;
            meter_.spend(node - begin + (found ? 1u : 0u));
            if (found && visit(node++)) return true;
        }
        return false;
    }

    // Of the axes that lead to many nodes, only the attribute axis leads to attributes.
    template <class Visit>
    bool below(Node first, Node end, const LabelTest& test, const Visit& visit) const {
        if (test.mask != 0) return range(first, end, test, visit);
        return range(first, end, test,
                     [&](Node node) { return index_.kind(node) != NodeKind::attribute && visit(node); });
    }

    template <class Visit>
    bool before(Node from, const LabelTest& test, const Visit& visit) const {
        for (Node node = from; node-- > 1;) {
            meter_.spend(1);
            if (!test(index_.label(node)) || index_.kind(node) == NodeKind::attribute || index_.end(node) > from)
                continue;
            if (visit(node)) return true;
        }
        return false;
    }

    template <class Visit>
    bool each(const NodeSet& from, filter::Axis axis, const LabelTest& test, const Visit& visit) const {
        return std::any_of(from.begin(), from.end(), [&](Node node) { return walk(axis, node, test, visit); });
    }

    // May visit a parent more than once; callers that build a set sort it.
    template <class Visit>
    bool parents(const NodeSet& from, const LabelTest& test, const Visit& visit) const {
        Node last = no_node;
        for (const Node node : from) {
            const Node parent = index_.parent(node);
            meter_.spend(1);
            if (parent == no_node || parent == last) continue;
            last = parent;
            if (test(index_.label(parent)) && visit(parent)) return true;
        }
        return false;
    }

    template <class Visit>
    bool below_all(const NodeSet& from, bool with_self, const LabelTest& test, const Visit& visit) const {
        Node end = 0;  // of the nodes already visited
        for (const Node node : from) {
            meter_.spend(1);
            // An attribute lies in its element's range, but is not a descendant.
            const bool is_attribute = index_.kind(node) == NodeKind::attribute;
            if (node < end && !(is_attribute && with_self)) continue;
            if (with_self && test(index_.label(node)) && visit(node)) return true;
            if (is_attribute) continue;
            end = index_.end(node);
            if (below(node + 1, end, test, visit)) return true;
        }
        return false;
    }

    // Skips ancestors already visited from the previous node.
    template <class Visit>
    bool above(const NodeSet& from, bool with_self, const LabelTest& test, const Visit& visit) const {
        Node previous = no_node;
        for (const Node node : from) {
            for (Node at = with_self ? node : index_.parent(node); at != no_node; at = index_.parent(at)) {
                meter_.spend(1);
                if (previous != no_node && at <= previous && previous < index_.end(at)) {
                    const bool is_new = at == previous && !with_self;
                    if (!is_new) break;
                }
                if (test(index_.label(at)) && visit(at)) return true;
            }
            previous = node;
        }
        return false;
    }

    Node first_end(const NodeSet& from) const {
        Node first = index_.size();
        for (const Node node : from) first = std::min(first, index_.end(node));
        meter_.spend(from.size());
        return first;
    }

    // The siblings after a parent's first node include those after its later nodes. The stack holds the enclosing
    // parents.
    template <class Visit>
    bool later_siblings(const NodeSet& from, const LabelTest& test, const Visit& visit) const {
        std::pmr::vector<Node> seen(from.get_allocator().resource());
        for (const Node node : from) {
            meter_.spend(1);
            if (!has_siblings(node)) continue;
            const Node parent = index_.parent(node);
            while (!seen.empty() && index_.end(seen.back()) <= node) seen.pop_back();
            if (!seen.empty() && seen.back() == parent) continue;
            seen.push_back(parent);
            if (walk(filter::Axis::following_sibling, node, test, visit)) return true;
        }
        return false;
    }

    template <class Visit>
    bool earlier_siblings(const NodeSet& from, const LabelTest& test, const Visit& visit) const {
        std::pmr::vector<Node> seen(from.get_allocator().resource());
        for (auto at = from.rbegin(); at != from.rend(); ++at) {
            meter_.spend(1);
            if (!has_siblings(*at)) continue;
            const Node parent = index_.parent(*at);
            while (!seen.empty() && seen.back() >= *at) seen.pop_back();
            if (!seen.empty() && seen.back() == parent) continue;
            seen.push_back(parent);
            if (walk(filter::Axis::preceding_sibling, *at, test, visit)) return true;
        }
        return false;
    }

    const DocumentIndex& index_;
    Meter& meter_;
};

}  // namespace sluice::xpath
