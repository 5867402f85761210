// Finds the pairs of nucleotide sequences that cannot reach a score, by the k-mers (k letters in a row) that they
// share: the q-gram lemma (Jokinen and Ukkonen, 1991) for scores with affine gaps. It skips only pairs that provably
// cannot reach the score; see shared_least(). Built once for the queries of many texts (an index from k-mers to
// queries), then read-only from any thread.
//
// The proof. Let L be the shorter length, M the score of a match, -X of a mismatch, G the cost of a gap's first letter.
// Take a local alignment of a matches, u mismatches and v gaps that scores at least t > 0. Its matches form at most u +
// v + 1 runs, since a mismatch or a gap separates any two of them. A run of r letters has at least r - (k - 1) places
// where k matching letters begin, so the text has at least a - (u + v + 1)(k - 1) places whose k-mer the query also
// has. As M a - X u - G v >= t, a is at least (t + X u + G v) / M. Matches and mismatches each take a letter of the
// shorter sequence: a + u <= L, hence (M + X) u + G v <= M L - t. On that triangle of (u, v) the number of places is
// linear, so its minimum is at a corner: no mismatch and no gap, all mismatches, or all gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "gpu/operators/alignment/scheme/scheme.hpp"
#include "gpu/operators/alignment/scheme/sequences.hpp"

namespace sluice::alignment {

// The minimum number of places where the text must have a k-mer of the query for a local alignment of the two to score
// at least `threshold`. `shorter` is the length of the shorter sequence. 0 or less: nothing is proved. DNA only.
std::int64_t shared_least(const Scheme& scheme, std::size_t k, std::size_t shorter, std::int32_t threshold);

class KmerFilter {
public:
    // The most letters of all queries together, since positions in the index are 32-bit numbers.
    static constexpr std::size_t letters_max = std::numeric_limits<std::uint32_t>::max();

    // Indexes the k-mers of every query. k is at most 12; the queries have at most letters_max letters together.
    KmerFilter(const Scheme& scheme, const SequenceSet& queries, std::size_t k);

    // A filter for local alignments that must score at least thresholds[q] (INT32_MIN: query q has no threshold), with
    // the k that skips the most pairs. Empty if it would skip next to nothing (proteins, low thresholds) or the queries
    // are too long.
    static std::optional<KmerFilter> make(const Scheme& scheme, const SequenceSet& queries,
                                          std::span<const std::int32_t> thresholds,
                                          std::size_t letters_most = letters_max);

    // Sets possible[i] to 0 where pairs[i] cannot reach thresholds[i]; leaves the others as they are. Pairs of the same
    // text must be adjacent. Time: one look-up per letter of a text, and one step per query with that k-mer.
    void skip(const SequenceSet& texts, std::span<const Pair> pairs, std::span<const std::int32_t> thresholds,
              std::span<std::uint8_t> possible) const;

    std::size_t k() const { return k_; }

private:
    void count(Codes text, std::vector<std::uint32_t>& shared) const;

    Scheme scheme_;
    std::size_t k_;
    std::vector<std::uint32_t> lengths_;  // of each query
    std::vector<std::uint32_t> first_;    // [k-mer], and one more: the index in holders_ of its first query
    std::vector<std::uint32_t> holders_;  // queries, each once per k-mer
};

}  // namespace sluice::alignment
