#include "protocol/filter/explain.hpp"

#include <algorithm>

namespace sluice::filter {

namespace {

std::string numbered(std::size_t n, const std::string& singular, const std::string& plural) {
    return std::to_string(n) + " " + (n == 1 ? singular : plural);
}

std::string explain_leaves(const Filter& filter) {
    std::string text = "leaves:\n";
    for (std::size_t i = 0; i < filter.leaves.size(); ++i) {
        const Leaf& leaf = filter.leaves[i];
        text += "  [" + std::to_string(i + 1) + "] " + leaf.text + "\n      ";
        text += how_decided(leaf);
        text += "\n";
        if (!leaf.cost.empty()) text += "      cost: " + leaf.cost + "\n";
    }
    return text;
}

std::string literal_name(const Filter& filter, const engine::Literal& literal) {
    const std::string name = "[" + std::to_string(filter.leaf_of[literal.predicate] + 1) + "]";
    return literal.negated ? "not " + name : name;
}

std::string explain_conjunctions(const Filter& filter) {
    std::string text = "matches when " +
                       std::string(filter.disjunction.conjunctions.size() > 1 ? "one of these holds:" : "this holds:") +
                       "\n";
    for (const engine::Conjunction& conjunction : filter.disjunction.conjunctions) {
        std::string line;
        for (const engine::Literal& literal : conjunction) {
            line += line.empty() ? "  " : " and ";
            line += literal_name(filter, literal);
        }
        text += line + "\n";
    }
    return text;
}

}  // namespace

std::string how_decided(const Leaf& leaf) {
    if (leaf.indexed) return "indexed on " + leaf.predicate.attribute;
    if (leaf.scanned()) return "scanned: " + leaf.reason;
    return "computed on " + leaf.predicate.attribute + ": " + leaf.reason;
}

std::string explain(const Filter& filter) {
    std::string text = "filter: " + filter.canonical + "\n";
    text += filter.selecting ? "form:   a path that selects items\n" : "form:   a test of each item\n";
    if (filter.disjunction.conjunctions.empty()) return text + "It can never match.\n";
    if (filter.disjunction.conjunctions.front().empty()) return text + "It matches every item.\n";

    const auto count = [&](auto is) {
        return static_cast<std::size_t>(std::count_if(filter.leaves.begin(), filter.leaves.end(), is));
    };
    const std::size_t shared = count([](const Leaf& leaf) { return leaf.scanned() && leaf.shared; });
    const std::size_t scanned = count([](const Leaf& leaf) { return leaf.scanned() && !leaf.shared; });
    const std::size_t computed = count([](const Leaf& leaf) { return leaf.computed(); });
    text += explain_leaves(filter) + explain_conjunctions(filter);
    if (computed > 0)
        text += numbered(computed, "leaf is", "leaves are") +
                " computed: for the items of a batch that the other leaves leave undecided.\n";
    if (shared > 0)
        text += numbered(shared, "leaf is", "leaves are") +
                " scanned: evaluated once for all items of a document, if any needs it.\n";
    if (scanned > 0)
        text += numbered(scanned, "leaf is", "leaves are") + " scanned: evaluated for each item that still needs it.\n";
    return text;
}

}  // namespace sluice::filter
