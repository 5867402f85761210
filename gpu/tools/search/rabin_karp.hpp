// Rabin-Karp with prefix sums (Nunes 2018, section 5.2), the reference that the GPU kernels follow step by step. With
// a[i] = d^(n-i-1) t[i] mod q and sums[i] = a[0] + … + a[i] mod q, the hash of the window of any length m at j is
// (sums[j+m-1] - sums[j-1]) d^(m-n+j) mod q. So one pass serves patterns of every length. Immutable; usable from any
// thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/operators/substrings/counters.hpp"
#include "gpu/tools/search/part_occurrences.hpp"
#include "gpu/tools/search/pattern_pool.hpp"

namespace sluice::substrings {

struct RabinKarpParameters {
    std::uint32_t base = 2;         // d: not a multiple of the modulus
    std::uint32_t modulus = 65521;  // q: a prime, at most 2^31 - 1; also the size of the patterns' hash table
    unsigned threads = 1;           // threads that search one text together
};

class RabinKarp {
public:
    static constexpr std::uint32_t none = 0xffffffffu;

    // Why the patterns cannot be compiled with these parameters (the table must keep a free slot); empty if they can.
    static std::string refusal(std::span<const Pattern> patterns, const RabinKarpParameters& parameters);

    RabinKarp(std::span<const Pattern> patterns, const RabinKarpParameters& parameters);

    // Step 1. powers()[i] = d^i mod q for 0 <= i <= q - 2; power() gets all others by Fermat's little theorem.
    const std::vector<std::uint32_t>& powers() const { return powers_; }
    std::uint32_t power(std::int64_t exponent) const;
    std::uint32_t hash(std::string_view text) const;
    // Step 2. A pattern is at its hash, or in the next free slot; a free slot has `none`.
    const std::vector<std::uint32_t>& table() const { return table_; }
    // Steps 3 and 4.
    std::vector<std::uint32_t> prefix_sums(std::string_view text) const;
    // Equation 5.1. begin + length <= sums.size(), length > 0.
    std::uint32_t window_hash(std::span<const std::uint32_t> sums, std::size_t begin, std::size_t length) const;
    // Step 5: every occurrence of the non-empty patterns that begins before text[begins], ascending by position, one
    // list for each thread. `most`: of the occurrences of all lists; 0: without lists.
    std::vector<PartOccurrences> occurrences(std::string_view text, std::size_t begins, std::size_t most,
                                             Counters& counters) const;

private:
    // Indices in powers().
    std::uint32_t place_of_power(std::int64_t exponent) const;
    std::uint32_t place_of_factor(std::size_t text_size, std::size_t begin, std::size_t length) const;
    // `factor`: d^(m-n+j).
    std::uint32_t window_hash(std::span<const std::uint32_t> sums, std::size_t begin, std::size_t length,
                              std::uint32_t factor) const;
    void look_up(std::string_view text, std::span<const std::uint32_t> sums, std::size_t begin, std::size_t end,
                 PartOccurrences& found, Counters& counters) const;

    RabinKarpParameters parameters_;
    PatternPool pool_;
    std::vector<std::uint32_t> powers_, table_;
    std::vector<std::uint32_t> lengths_;  // the distinct lengths of patterns, without 0, ascending
};

}  // namespace sluice::substrings
