// The workload of Araújo 2009, Tables 4.2 and 4.23: 500,000 subscriptions in seven clusters of 2, 4, … 128 predicates,
// drawn uniformly from a number of distinct ones; events of ten attributes; a given share of the predicates holds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/api/event_batch.hpp"
#include "gpu/cuda/clusters/cluster_rows.hpp"
#include "tests/bench/baselines/mask_tables.hpp"

namespace sluice::bench {

struct ClusterWorkload {
    static constexpr std::uint32_t attributes = 10;
    static constexpr std::uint32_t cluster_rows[7] = {249984, 124992, 62496, 31232, 15616, 7808, 7872};

    // A range of one attribute, which a value drawn for it satisfies with probability `share`. Bounds are floats, since
    // the paper's kernels compare floats.
    struct Range {
        std::uint32_t attribute;
        float lo, hi;
    };

    ClusterWorkload(std::uint32_t predicates, std::uint32_t events, double share, std::uint32_t seed = 1);

    std::vector<Range> ranges;              // by predicate, ascending by attribute
    std::vector<std::uint32_t> predicates;  // of all rows, one after the other
    std::vector<std::uint32_t> row_sizes;   // by subscription
    engine::EventBatch batch;

    MaskTableBuilder mask_tables() const;  // predicate p is literal p + 2
    std::vector<std::uint32_t> literals() const { return shifted_; }
    // Views into this workload.
    std::vector<cuda::ClusterRow> rows() const;
    // By the definition: [w * row_sizes.size() + subscription] has the events of word w that the subscription accepts.
    std::vector<std::uint32_t> expected() const;

private:
    std::vector<std::uint32_t> shifted_;  // predicates as literals
};

}  // namespace sluice::bench
