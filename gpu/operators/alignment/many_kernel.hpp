// The kernels of many alignments (device_many.cu), for DeviceMany alone. The caller's device and thread; errors are
// exceptions.
#pragma once

#include <cstdint>

#include "gpu/operators/alignment/device_many.hpp"

namespace sluice::alignment {

constexpr unsigned many_block_threads = 256;

struct ManyArguments {
    const DeviceChunk* chunks;
    const DeviceItem* items;
    const Code *query_codes, *text_codes;
    const std::uint32_t *query_begins, *text_begins;
    const std::int16_t* matrix;  // [codes_max][codes_max]
    uint2* borders;              // [block][group][rows], between passes
    std::int32_t* scores;
    unsigned* ticket;
    unsigned chunk_count, rows, letters;
    int gap_first, gap_further;
    std::uint32_t one;               // 1, which the compiler must not know: a multiplication by it stays one
    std::uint32_t upper;             // 65536, likewise
    Code null_letter;                // below a query's end: scores nothing
    const std::int32_t* thresholds;  // of each score, where only that matters; or null
    int highest;
};

// Starts the kernel of that shape: scores[i] by arguments.items, as DeviceMany::prepare() says. The ticket is 0.
void launch_many(const DevicePlan::Shape& shape, Mode mode, bool dna, const ManyArguments& arguments, unsigned blocks,
                 cudaStream_t stream);

}  // namespace sluice::alignment
