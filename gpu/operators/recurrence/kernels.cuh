// The kernels of recurrence quantification, and the arguments of their launches. For .cu files only.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "gpu/operators/recurrence/exact_plan.hpp"

namespace sluice::recurrence::cuda {

// Adds to sums[question]; `rows_together` is 1024 or 2048.
void launch_exact(const double* values, const ExactWork* work, std::uint32_t works, const DeviceQuestion* questions,
                  DeviceSums* sums, std::uint32_t rows_together, cudaStream_t stream);

// The number of integers in MicrostateSums, in this order: ones, min, next and their six products for rows, the same
// for diagonals, laminar, nonempty.
constexpr std::uint32_t microstate_numbers = 20;

struct MicrostateWork {
    const double* series;
    std::uint32_t points;
    double epsilon;
    std::uint32_t v_min, l_min, size, theiler;
    std::uint64_t seed, first_window, windows;
};

// Adds to numbers[microstate_numbers].
void launch_microstates(const MicrostateWork& work, unsigned long long* numbers, cudaStream_t stream);

}  // namespace sluice::recurrence::cuda
