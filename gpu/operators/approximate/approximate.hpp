// approx-contains, approx-distance and edit-distance of many patterns against many texts: the library that the engine
// calls. A set is immutable, so any thread may ask it; reference.hpp defines its answers. Texts and patterns are UTF-8.
//
// Unit costs are matched bit-parallel, patterns that share a text side by side (myers_groups.hpp); patterns of which a
// part must stand exactly in every text within k edits are looked for by those parts first (piece_filter.hpp). Other
// costs take a plain dynamic program (weighted.hpp).
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/operators/approximate/costs.hpp"
#include "gpu/operators/approximate/myers_kernel.hpp"

namespace sluice::approximate {

inline constexpr std::size_t pattern_characters_max = 16'384;
inline constexpr std::size_t patterns_max = std::size_t{1} << 24;
inline constexpr std::size_t text_bytes_max = std::size_t{1} << 29;

struct Pattern {
    std::string_view text;
    std::uint32_t k = 0;  // of find and decide
};

// Why a pattern can't be searched for, or "": "the pattern has 20000 characters; at most 16384 can be searched for".
std::string refusal(std::string_view pattern);

struct Pair {
    std::uint32_t text, pattern;
    auto operator<=>(const Pair&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 sees a 0 in it
};

// What was done, summed up over calls.
struct Counters {
    std::uint64_t texts = 0;        // looked at
    std::uint64_t cells = 0;        // of matrices: characters of texts times characters of patterns
    std::uint64_t filter_hits = 0;  // parts of patterns found exactly
    std::uint64_t verified = 0;     // pieces of text that were then matched
};

class PatternSet {
public:
    // Throws std::invalid_argument if a pattern is refused or if there are more than patterns_max. What is compared:
    // substrings of the text (approx-contains, approx-distance) or the whole (edit-distance).
    PatternSet(std::span<const Pattern> patterns, Extent extent, CostTable costs = CostTable::unit,
               InstructionSet set = best_myers_instruction_set());
    PatternSet(PatternSet&&) noexcept;
    PatternSet& operator=(PatternSet&&) noexcept;
    ~PatternSet();

    std::size_t size() const;

    // Texts have at most text_bytes_max bytes; throws std::invalid_argument otherwise.

    // Appends each (text, pattern) whose distance is at most the pattern's k, sorted.
    void find(std::span<const std::string_view> texts, std::vector<Pair>& found, Counters& counters) const;
    // within[i]: whether the distance of pairs[i] is at most the pattern's k. Pairs of one text cost less together.
    void decide(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> within,
                Counters& counters) const;
    // distances[t * size() + p].
    void distances(std::span<const std::string_view> texts, std::span<std::uint32_t> distances,
                   Counters& counters) const;
    // distances[i] of pairs[i].
    void distances(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                   std::span<std::uint32_t> distances, Counters& counters) const;

private:
    struct Content;
    std::unique_ptr<const Content> content_;
};

}  // namespace sluice::approximate
