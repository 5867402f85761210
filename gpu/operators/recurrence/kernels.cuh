// The kernels of recurrence quantification, and what their launches take. Inside .cu files only.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "gpu/operators/recurrence/exact_plan.hpp"

namespace sluice::recurrence::cuda {

// sums[question] is added to; `rows_together` is 1024 or 2048.
void launch_exact(const double* values, const ExactWork* work, std::uint32_t works, const DeviceQuestion* questions,
                  DeviceSums* sums, std::uint32_t rows_together, cudaStream_t stream);

// The integers of MicrostateSums, in its order: ones, min, next and their six products of rows, the same of diagonals,
// laminar, nonempty.
constexpr std::uint32_t microstate_numbers = 20;

struct MicrostateWork {
    const double* series;
    std::uint32_t points;
    double epsilon;
    std::uint32_t v_min, l_min, size, theiler;
    std::uint64_t seed, first_window, windows;
};

// numbers[microstate_numbers] are added to.
void launch_microstates(const MicrostateWork& work, unsigned long long* numbers, cudaStream_t stream);

}  // namespace sluice::recurrence::cuda
