// Which pairs of nucleotide sequences can't reach a score, by the k letters in a row that they share: the q-gram lemma
// (Jokinen and Ukkonen, 1991) for scores with affine gaps. It only ever skips what it has proved; see shared_least().
// Built once for the queries of many texts (k letters -> the queries that have them); then read-only, any thread.
//
// The proof. Let L be the shorter length, M the score of a match, -X of a mismatch, G the cost of a gap's first letter,
// and take a local alignment of a matches, u mismatches and v gaps that scores at least t > 0. Its matches form at most
// u + v + 1 runs, since a mismatch or a gap stands between two of them. A run of r letters has at least r - (k - 1)
// places where k matching letters begin, so the text has at least a - (u + v + 1)(k - 1) places whose k letters the
// query has, too. As M a - X u - G v >= t, a is at least (t + X u + G v) / M. Matches and mismatches each take a letter
// of the shorter sequence: a + u <= L, hence (M + X) u + G v <= M L - t. On that triangle of (u, v) the number of
// places is linear, so that its least value is at a corner: no mismatch and no gap, all mismatches, or all gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "gpu/operators/alignment/scheme.hpp"
#include "gpu/operators/alignment/sequences.hpp"

namespace sluice::alignment {

// In how many places a text must have k letters in a row that the query has, too, for a local alignment of the two, the
// shorter of `shorter` letters, to score at least `threshold`; 0 or less: nothing is proved. Nucleotides only.
std::int64_t shared_least(const Scheme& scheme, std::size_t k, std::size_t shorter, std::int32_t threshold);

class KmerFilter {
public:
    // Of all queries together: places among them are numbers of 32 bits.
    static constexpr std::size_t letters_max = std::numeric_limits<std::uint32_t>::max();

    // Knows k letters in a row of every query; k up to 12. The queries have at most letters_max letters.
    KmerFilter(const Scheme& scheme, const SequenceSet& queries, std::size_t k);

    // For local alignments where scores of at least thresholds[q] are asked for, INT32_MIN: none is. With the k that
    // skips most; none where that would be next to nothing (proteins, low thresholds) or the queries are too long.
    static std::optional<KmerFilter> make(const Scheme& scheme, const SequenceSet& queries,
                                          std::span<const std::int32_t> thresholds,
                                          std::size_t letters_most = letters_max);

    // Sets possible[i] to 0 where pairs[i] can't reach thresholds[i]; the others are left as they are. Pairs of a text
    // stand side by side. Time: one look at each letter of a text and at each query that has the k letters there.
    void skip(const SequenceSet& texts, std::span<const Pair> pairs, std::span<const std::int32_t> thresholds,
              std::span<std::uint8_t> possible) const;

    std::size_t k() const { return k_; }
    std::size_t bytes() const;

private:
    void count(Codes text, std::vector<std::uint32_t>& shared) const;

    Scheme scheme_;
    std::size_t k_;
    std::vector<std::uint32_t> lengths_;  // of the queries
    std::vector<std::uint32_t> first_;    // [k letters], and one more: where their queries begin in
    std::vector<std::uint32_t> holders_;  // queries, each once for the same k letters
};

}  // namespace sluice::alignment
