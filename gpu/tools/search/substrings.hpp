// Exact search for many patterns: patterns, occurrences, algorithms and limits. Bytes are compared as they are; texts
// and patterns may hold any byte, including 0. Plain values and a pure function.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sluice::substrings {

// All find the same.
enum class Algorithm : std::uint8_t {
    filter,       // for production: a filter lets a few places through, at which patterns are compared
    prefix_sums,  // Rabin-Karp with prefix sums (Nunes 2018, section 5.2)
    plain,        // parallel Rabin-Karp, the thesis' own baseline (section 5.1)
};

struct Pattern {
    std::string_view text;
};

constexpr std::size_t pattern_bytes_max = std::size_t{64} << 10;
constexpr std::size_t patterns_max = std::size_t{1} << 22;            // of one search
constexpr std::size_t all_patterns_bytes_max = std::size_t{1} << 30;  // of one search, together
constexpr std::size_t text_bytes_max = std::size_t{1} << 31;

// Why these patterns cannot be compiled, naming the limit; empty if they can.
std::string refusal(std::span<const Pattern> patterns);

// The pattern occurs at text[position].
struct Occurrence {
    std::uint32_t pattern = 0, position = 0;

    friend auto operator<=>(const Occurrence&, const Occurrence&) = default;
};

}  // namespace sluice::substrings
