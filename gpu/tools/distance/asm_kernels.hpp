// The published GPU algorithms for approximate matching, with unit and weighted costs:
//   O-ASM      Nakano; Man and Song 2016, section 5: anti-diagonals, three rows of the matrix in shared memory
//   w-SCAN     Nunes 2018, algorithm 3.7: strips of 32 rows, one warp each, neighbours by shuffle; one word of shared
//              memory and a barrier per step between strips
//   w-Shuffle  Nunes 2018, figure 4.2: the same, but 32 values at a time between strips, a barrier every 32 steps
// One thread per row of the matrix, one block per task. For unit costs myers_long.hpp is faster; these serve weighted
// costs and as the baseline. Host functions enqueue into the stream and throw CudaError; the caller owns the buffers.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <span>

#include "gpu/device/device.hpp"
#include "gpu/operators/edits/costs.hpp"
#include "gpu/tools/distance/asm.hpp"
#include "gpu/tools/distance/asm_task.hpp"

namespace sluice::edits {

// Costs on the device.
class DeviceCosts {
public:
    explicit DeviceCosts(const Costs& costs);

    bool unit() const { return unit_; }
    int deletion() const { return deletion_; }
    int insertion() const { return insertion_; }
    // [kind of x][y if y < 128, else 0]
    const std::uint8_t* substitution() const { return substitution_.data(); }

private:
    bool unit_;
    int deletion_, insertion_;
    cuda::DeviceBuffer<std::uint8_t> substitution_;
};

// Symbol: std::uint8_t if all texts and patterns are ASCII, else char32_t. m_max, n_max: the maxima of the tasks.
template <class Symbol>
void enqueue_asm(AsmAlgorithm algorithm, std::span<const AsmTask> device_tasks, std::uint32_t m_max,
                 std::uint32_t n_max, const Symbol* xs, const Symbol* ys, const DeviceCosts& costs,
                 std::uint32_t* results, cudaStream_t stream);

}  // namespace sluice::edits
