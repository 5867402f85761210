// The CUDA backend, behind the interface of gpu/api/matcher.hpp. In a build without CUDA, the same function reports
// that in the status, and the CPU matches everything.
#pragma once

#include <memory>

#include "gpu/api/matcher.hpp"
#include "gpu/cpu/accelerator.hpp"
#include "gpu/cuda/batch_limits.hpp"

namespace sluice::cuda {

// options.backend must be cuda or automatic. The CPU matches batches beyond the limits.
std::shared_ptr<cpu::Accelerator> make_cuda_accelerator(const engine::EngineOptions& options,
                                                        const BatchLimits& limits = {});

}  // namespace sluice::cuda
