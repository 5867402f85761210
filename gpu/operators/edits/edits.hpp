// approx-contains, approx-distance and edit-distance of many patterns against many texts, as called by the engine. A
// set is immutable and can be used by any thread; reference.hpp defines its answers. Texts and patterns are UTF-8.
//
// Unit costs are matched bit-parallel, with patterns that share a text side by side (myers_groups.hpp). If one of a
// pattern's pieces must occur exactly in every text within k edits, the pieces are searched for first
// (piece_filter.hpp). Other costs take a plain dynamic program (weighted.hpp).
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/operators/edits/costs.hpp"
#include "gpu/operators/edits/myers_kernel.hpp"

namespace sluice::edits {

inline constexpr std::size_t pattern_characters_max = 16'384;
inline constexpr std::size_t patterns_max = std::size_t{1} << 24;
inline constexpr std::size_t text_bytes_max = std::size_t{1} << 29;

struct Pattern {
    std::string_view text;
    std::uint32_t k = 0;  // the bound for decide()
};

// Why a pattern cannot be searched for, or "": "the pattern has 20000 characters; at most 16384 can be searched for".
std::string refusal(std::string_view pattern);

struct Pair {
    std::uint32_t text, pattern;
    auto operator<=>(const Pair&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 sees a 0 in it
};

// The work done, summed over calls.
struct Counters {
    std::uint64_t texts = 0;        // searched
    std::uint64_t cells = 0;        // of matrices: characters of texts times characters of patterns
    std::uint64_t filter_hits = 0;  // exact occurrences of pieces of patterns
    std::uint64_t verified = 0;     // windows of text that were matched after such a hit
};

class PatternSet {
public:
    // Throws std::invalid_argument if a pattern is refused or there are more than patterns_max. `extent` selects what
    // is compared: substrings of the text (approx-contains, approx-distance) or the whole text (edit-distance).
    PatternSet(std::span<const Pattern> patterns, Extent extent, const Costs& costs = CostTable::unit,
               InstructionSet set = simd::best_instruction_set());
    PatternSet(PatternSet&&) noexcept;
    PatternSet& operator=(PatternSet&&) noexcept;
    ~PatternSet();

    // Texts have at most text_bytes_max bytes; throws std::invalid_argument otherwise.

    // within[i]: whether the distance of pairs[i] is at most the pattern's k. Pairs of one text cost less together.
    void decide(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> within,
                Counters& counters) const;
    // distances[i]: the distance of pairs[i].
    void distances(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                   std::span<std::uint32_t> distances, Counters& counters) const;

private:
    struct Content;
    std::unique_ptr<const Content> content_;
};

}  // namespace sluice::edits
