// The maximum size of a pattern's tables, computed from the pattern alone, so that admission control can rely on it.
// The patterns of a group share a table with a row for every character of any of them; its limit is the sum of their
// limits (myers_groups.hpp). Pure functions, callable from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/operators/edits/pattern_size.hpp"

namespace sluice::edits {

// The bytes of a table with a row for each of the pattern's characters and one for all others.
constexpr std::size_t dense_bytes(PatternSize p) {
    return word_bytes(p.characters) * pattern_words(p.characters) * (p.distinct + 1);
}

// Whether the pattern's rows are built on demand from lists of places (place_list.hpp), because it has so many
// different characters that a table would be large and mostly zeros.
constexpr bool is_listed(PatternSize p) { return p.distinct > 256 && dense_bytes(p) > (std::size_t{64} << 10); }

// The most bytes of the pattern's share of tables and of the indexes to their rows.
std::size_t table_bytes_max(PatternSize p);

// The different values of `classes`, sorted.
std::vector<std::uint32_t> distinct_of(std::span<const std::uint32_t> classes);

}  // namespace sluice::edits
