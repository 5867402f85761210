// Any bytes as a filter: compiled or refused, nothing worse. A compiled filter's canonical text and its leaves' texts
// must compile to themselves; an error must point into the text. A text that reads as an attribute is written the same.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "protocol/filter/explain.hpp"
#include "protocol/filter/filter.hpp"
#include "protocol/filter/syntax/attribute.hpp"

namespace {

void require(bool condition, std::string_view what, std::string_view text) {
    if (condition) return;
    std::cerr << what << ": " << text << "\n";
    std::abort();
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
    require(sluice::engine::invalid_reason(filter->disjunction).empty(), "a literal without a predicate", text);
    for (const filter::Leaf& leaf : filter->leaves) {
        const auto alone = filter::compile_filter(leaf.text, {.text_bytes_max = 16 * size + 4096});
        require(alone.has_value() && alone->leaves.size() == 1, "a leaf is no filter", leaf.text);
        require(alone->leaves[0].predicate == leaf.predicate, "a leaf is another filter", leaf.text);
    }
    return 0;
}
