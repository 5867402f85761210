#include "tests/bench/gpu/cluster_workload.hpp"

#include <algorithm>
#include <limits>
#include <random>

namespace sluice::bench {

ClusterWorkload::ClusterWorkload(std::uint32_t predicate_count, std::uint32_t events, double share,
                                 std::uint32_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<float> unit(0, 1);
    // Ranges begin anywhere in [0, 1 - width]; values from [width, 1 - width] satisfy the given share of them.
    const auto width = static_cast<float>(share < 1 ? share / (1 + share) : 0);
    for (std::uint32_t p = 0; p < predicate_count; ++p) {
        const std::uint32_t attribute = p * attributes / predicate_count;
        const float lo = share < 1 ? unit(random) * (1 - width) : -unit(random);
        const float hi = share < 1 ? lo + width : 1 + unit(random);
        ranges.push_back({attribute, lo, hi});
    }
    std::uniform_int_distribution<std::uint32_t> any(0, predicate_count - 1);
    for (std::uint32_t c = 0; c < std::size(cluster_rows); ++c) {
        for (std::uint32_t r = 0; r < cluster_rows[c]; ++r) {
            row_sizes.push_back(2u << c);
            for (std::uint32_t j = 0; j < 2u << c; ++j) predicates.push_back(any(random));
        }
    }
    for (const std::uint32_t p : predicates) shifted_.push_back(p + 2);
    for (std::uint32_t e = 0; e < events; ++e) {
        for (std::uint32_t a = 0; a < attributes; ++a)
            batch.values.push_back({a, {}, double{width + unit(random) * (1 - 2 * width)}});
        batch.end_event();
    }
}

MaskTableBuilder ClusterWorkload::mask_tables() const {
    MaskTableBuilder builder;
    for (const Range& r : ranges) builder.add_range(r.attribute, double{r.lo}, double{r.hi});
    return builder;
}

std::vector<cuda::ClusterRow> ClusterWorkload::rows() const {
    std::vector<cuda::ClusterRow> rows;
    std::size_t at = 0;
    for (std::uint32_t s = 0; s < row_sizes.size(); ++s) {
        rows.push_back({s, std::span(shifted_).subspan(at, row_sizes[s])});
        at += row_sizes[s];
    }
    return rows;
}

std::vector<std::uint32_t> ClusterWorkload::expected() const {
    std::vector<std::uint32_t> accepted, masks(ranges.size());
    for (std::size_t w = 0; w < batch.words(); ++w) {
        for (std::size_t p = 0; p < ranges.size(); ++p) {
            const Range& r = ranges[p];
            masks[p] = 0;
            for (std::size_t e = 32 * w; e < std::min<std::size_t>(32 * w + 32, batch.size()); ++e) {
                const double v = batch.event(e)[r.attribute].number;
                if (v >= double{r.lo} && v <= double{r.hi}) masks[p] |= 1u << e % 32;
            }
        }
        const std::uint32_t* next = predicates.data();
        for (const std::uint32_t size : row_sizes) {
            std::uint32_t events = ~0u;
            for (const std::uint32_t* const end = next + size; next < end; ++next) events &= masks[*next];
            accepted.push_back(events);
        }
    }
    return accepted;
}

}  // namespace sluice::bench
