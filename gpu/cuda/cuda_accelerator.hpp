// The CUDA backend, behind the seam of gpu/matcher.hpp. Where it was not built, the same function says so in the
// status, and everything is matched on the CPU.
#pragma once

#include <memory>

#include "gpu/cpu/accelerator.hpp"
#include "gpu/matcher.hpp"

namespace sluice {

// options.backend is cuda or automatic.
std::shared_ptr<Accelerator> make_cuda_accelerator(const EngineOptions& options);

}  // namespace sluice
