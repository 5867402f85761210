// How LaneGroupAligner divides many pairs among groups of lanes and blocks, without CUDA. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/operators/alignment/scheme/scheme.hpp"
#include "gpu/operators/alignment/scheme/sequences.hpp"

namespace sluice::alignment {

// The work of a group of lanes: one text against one or two queries. `out` are indices into the scores.
struct LaneGroupItem {
    static constexpr std::uint32_t none = ~0u;

    std::uint32_t query[2], out[2];
};

// The work of a block: items of one text, one per group.
struct LaneGroupChunk {
    std::uint32_t text, first_item, items, rows;  // rows of the longest query
};

// The pairs of one call, arranged for the kernels: by shape and text, queries of similar length together. Pure.
struct LaneGroupPlan {
    static constexpr std::int32_t exceeded = INT32_MIN;  // in place of a score that did not fit 16 bits

    // Identifies a kernel: the lanes of a group, the letters of the text per lane, and whether a lane holds one 32-bit
    // score instead of two 16-bit ones.
    struct Shape {
        unsigned group, columns;
        bool wide;

        bool operator==(const Shape&) const = default;
        std::size_t width() const { return std::size_t{group} * columns; }
    };
    struct Launch {
        Shape shape;
        std::vector<LaneGroupChunk> chunks;  // longest first
    };

    // ranks[q]: the number of queries before query q when sorted by length, longest first.
    LaneGroupPlan(const Scheme& scheme, Mode mode, const SequenceSet& queries, std::span<const std::uint32_t> ranks,
                  const SequenceSet& texts, std::span<const Pair> pairs, bool wide);

    std::vector<LaneGroupItem> items;
    std::vector<Launch> launches;  // none is empty
    std::uint64_t cells = 0;       // of the pairs, without padding
};

}  // namespace sluice::alignment
