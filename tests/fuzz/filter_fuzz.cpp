// Any bytes as a filter: compiled or refused, nothing worse. A compiled filter's canonical text and its leaves' texts
// must compile to themselves; an error must point into the text. A text that reads as an attribute is written the same.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "protocol/filter/explain.hpp"
#include "protocol/filter/filter.hpp"
#include "protocol/filter/syntax/attribute.hpp"

namespace {

void require(bool condition, std::string_view what, std::string_view text) {
    if (condition) return;
    std::cerr << what << ": " << text << "\n";
    std::abort();
}

// Each predicate of the disjunction is there once, is that of its leaf, and is in a conjunction.
void check_predicates(const sluice::filter::Filter& filter, std::string_view text) {
    const sluice::engine::Disjunction& disjunction = filter.disjunction;
    require(sluice::engine::invalid_reason(disjunction).empty(), "a literal without a predicate", text);
    require(filter.leaf_of.size() == disjunction.predicates.size(), "a predicate without a leaf", text);
    std::unordered_set<sluice::engine::Predicate, sluice::engine::PredicateHash> distinct;
    for (std::size_t p = 0; p < filter.leaf_of.size(); ++p) {
        require(filter.leaves.at(filter.leaf_of[p]).predicate == disjunction.predicates[p], "another leaf", text);
        require(distinct.insert(disjunction.predicates[p]).second, "a predicate twice", text);
    }
    std::vector<bool> used(disjunction.predicates.size());
    for (const sluice::engine::Conjunction& conjunction : disjunction.conjunctions)
        for (const sluice::engine::Literal& literal : conjunction) used[literal.predicate] = true;
    require(std::find(used.begin(), used.end(), false) == used.end(), "a predicate of no conjunction", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace sluice;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto attribute = filter::parse_attribute(text);
    require(!attribute || filter::to_string(*attribute) == text, "an attribute is written otherwise", text);

    const auto filter = filter::compile_filter(text);
    if (!filter) {
        const filter::FilterError error = filter.error();
        require(error.offset <= size && !error.message.empty() && error.excerpt.ends_with('^'), "bad error", text);
        return 0;
    }
    require(!filter::explain(*filter).empty(), "no explanation", text);
    for (const filter::Hint& hint : filter->hints) {
        const bool shown = !hint.message.empty() && hint.message.find('\n') == std::string::npos;
        require(hint.offset <= size && shown && hint.excerpt.ends_with('^'), "bad hint", text);
    }

    const auto again = filter::compile_filter(filter->canonical, {.text_bytes_max = 16 * size + 4096});
    require(again.has_value() && again->canonical == filter->canonical, "canonical text is not stable", text);
    require(again->disjunction.conjunctions.size() == filter->disjunction.conjunctions.size(),
            "canonical text means something else", text);
    check_predicates(*filter, text);
    for (const filter::Leaf& leaf : filter->leaves) {
        const auto alone = filter::compile_filter(leaf.text, {.text_bytes_max = 16 * size + 4096});
        require(alone.has_value() && alone->leaves.size() == 1, "a leaf is no filter", leaf.text);
        require(alone->leaves[0].predicate == leaf.predicate, "a leaf is another filter", leaf.text);
    }
    return 0;
}
