// The kernels that align many pairs (lane_group_kernel.cu), used only by LaneGroupAligner. Run on the caller's current
// device; errors are exceptions.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "gpu/operators/alignment/cuda/lane_group_plan.hpp"
#include "gpu/operators/alignment/scheme/scheme.hpp"

namespace sluice::alignment {

constexpr unsigned lane_group_threads = 256;

struct LaneGroupArguments {
    const LaneGroupChunk* chunks;
    const LaneGroupItem* items;
    const Code *query_codes, *text_codes;
    const std::uint32_t *query_begins, *text_begins;
    const std::int16_t* matrix;  // [codes_max][codes_max]
    uint2* borders;              // [block][group][rows], between passes
    std::int32_t* scores;
    unsigned* ticket;
    unsigned chunk_count, rows, letters;
    int gap_first, gap_further;
    std::uint32_t one;               // 1, hidden from the compiler: a multiplication by it stays one
    std::uint32_t upper;             // 65536, likewise hidden
    Code null_letter;                // pads a query; never scores above 0
    const std::int32_t* thresholds;  // [score]; null if the scores themselves are wanted
    int highest;
};

// Starts the kernel of that shape, which writes scores as LaneGroupAligner::prepare() says. The ticket must be 0.
void launch_lane_groups(const LaneGroupPlan::Shape& shape, Mode mode, bool dna, const LaneGroupArguments& arguments,
                        unsigned blocks, cudaStream_t stream);

}  // namespace sluice::alignment
