// Searchers: which of many patterns occur in which of many texts, for tests and benchmarks of the loops that find them.
// A Searcher is compiled once from distinct patterns, and then immutable: any number of threads may search, each with
// its own Results. All find the same hits; make_naive_searcher() defines them.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/operators/substrings/counters.hpp"
#include "gpu/operators/substrings/filter.hpp"
#include "gpu/tools/search/rabin_karp.hpp"

namespace sluice::substrings {

// texts[text] contains patterns[pattern]. The empty pattern occurs in every text.
struct Hit {
    std::uint32_t text = 0, pattern = 0;

    friend auto operator<=>(const Hit&, const Hit&) = default;
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

    // For Searchers only: starts a search of `texts` texts for `patterns` patterns.
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

// The engine's filter. It joins short texts, 4 KiB at a time, and searches them as one, since starting a text costs
// each of the filter's groups some 10 ns. `sample`: as for PatternFilter.
std::unique_ptr<Searcher> make_filter_searcher(
    std::span<const Pattern> patterns, std::span<const std::string_view> sample = {},
    const FilterKernels& kernels = filter_kernels(simd::best_instruction_set()));

std::unique_ptr<Searcher> make_rabin_karp_searcher(std::span<const Pattern> patterns,
                                                   const RabinKarpParameters& parameters = {});

// All occurrences, ascending by position.
std::vector<Occurrence> occurrences_of(const RabinKarp& rabin_karp, std::string_view text, Counters& counters);

}  // namespace sluice::substrings
