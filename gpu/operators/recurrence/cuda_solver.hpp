// Recurrence quantification on one CUDA device: the same integers as CpuSolver. Used by one thread at a time.
#pragma once

#include <memory>

#include "gpu/operators/recurrence/evaluate.hpp"

namespace sluice::recurrence {

// Throws sluice::cuda::CudaError where there is no such device, and from exact() and sample() on a device's error (out
// of memory included); the solver can be used again after that, or CpuSolver in its place. Questions for shortest lines
// other than 2 are counted by the CPU: bit rows there have any.
std::unique_ptr<Solver> make_cuda_solver(int device = 0);

}  // namespace sluice::recurrence
