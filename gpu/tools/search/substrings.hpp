// Exact search for many patterns in many texts: which patterns occur in which texts (contains, starts-with, ends-with).
// Bytes are compared as they are; texts and patterns may hold any byte, including 0. A Searcher is compiled once from
// distinct patterns and then immutable: any number of threads may search, each with its own Results. All Searchers find
// the same hits; make_naive_searcher defines them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/operators/substrings/counters.hpp"

namespace sluice::substrings {

enum class Place : std::uint8_t { anywhere, start, end };

// All find the same.
enum class Algorithm : std::uint8_t {
    filter,       // for production: a filter lets a few places through, at which patterns are compared
    prefix_sums,  // Rabin-Karp with prefix sums (Nunes 2018, section 5.2)
    plain,        // parallel Rabin-Karp, the thesis' own baseline (section 5.1)
};

struct Pattern {
    std::string_view text;
    Place place = Place::anywhere;
};

constexpr std::size_t pattern_bytes_max = std::size_t{64} << 10;
constexpr std::size_t patterns_max = std::size_t{1} << 22;            // of one Searcher
constexpr std::size_t all_patterns_bytes_max = std::size_t{1} << 30;  // of one Searcher, together
constexpr std::size_t text_bytes_max = std::size_t{1} << 31;

// Why these patterns cannot be compiled, naming the limit; empty if they can.
std::string refusal(std::span<const Pattern> patterns);

// texts[text] contains patterns[pattern]. The empty pattern occurs in every text.
struct Hit {
    std::uint32_t text = 0, pattern = 0;

    friend auto operator<=>(const Hit&, const Hit&) = default;
};

// The pattern occurs at text[position].
struct Occurrence {
    std::uint32_t pattern = 0, position = 0;

    friend auto operator<=>(const Occurrence&, const Occurrence&) = default;
};

// Collects the findings of searches. Reusing it saves their allocations. Used by one thread at a time.
class Results {
public:
    std::vector<Hit> hits;  // appended to; each hit once per search, in no particular order
    Counters counters;      // added to

    void clear() {
        hits.clear();
        counters = {};
    }

    // For Searchers only. Starts a search of `texts` texts for `patterns` patterns.
    void begin(std::size_t texts, std::size_t patterns);
    // Whether the pattern was last added for this text.
    bool found(std::uint32_t text, std::uint32_t pattern) const { return found_in_[pattern] == first_stamp_ + text; }
    void add(std::uint32_t text, std::uint32_t pattern) {
        found_in_[pattern] = first_stamp_ + text;
        hits.push_back({text, pattern});
        ++counters.hits;
    }

private:
    std::uint32_t first_stamp_ = 1, next_stamp_ = 1;  // of this search's first text, and of the next search's
    std::vector<std::uint32_t> found_in_;             // [pattern]: the stamp of the last text for which it was added
};

class Searcher {
public:
    virtual ~Searcher() = default;

    // Texts must be shorter than text_bytes_max.
    virtual void search(std::span<const std::string_view> texts, Results& results) const = 0;
};

// Below, the patterns must be distinct and not refused; they are copied.

// Uses std::string_view::find, pattern by pattern.
std::unique_ptr<Searcher> make_naive_searcher(std::span<const Pattern> patterns);

}  // namespace sluice::substrings
