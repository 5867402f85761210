// Which processor computes for a tool, and why that can't be a GPU. For builds with and without CUDA. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace sluice::cuda {

enum class Processor : std::uint8_t { automatic, cpu, gpu };

// Whether this build has the code for GPUs. Builds without CUDA leave out what `if constexpr (is_built)` guards.
#ifdef SLUICE_WITH_CUDA
inline constexpr bool is_built = true;
#else
inline constexpr bool is_built = false;
#endif

// Why there is no GPU to use, or "".
std::string why_no_gpu();

}  // namespace sluice::cuda
