// Recurrence quantification on one CUDA device, with the same integers as CpuSolver. Used by one thread at a time.
#pragma once

#include <memory>

#include "gpu/operators/recurrence/evaluate.hpp"

namespace sluice::recurrence {

// Throws sluice::cuda::CudaError if there is no such device, as do exact() and sample() on a device error (including
// out of memory). The solver remains usable afterwards, and CpuSolver can replace it. Questions for shortest lines of
// more than shortest_line_max are answered by the CPU.
std::unique_ptr<Solver> make_cuda_solver(int device = 0);

}  // namespace sluice::recurrence
