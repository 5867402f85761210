// Exact search on a CUDA device with three equivalent kernels. Compiled only with CUDA (SLUICE_WITH_CUDA), but usable
// without CUDA headers. Device errors are cuda::CudaError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gpu/tools/search/occurrences.hpp"
#include "gpu/tools/search/substrings.hpp"

namespace sluice::substrings {

using CudaKernel = Algorithm;  // filter: filter_cuda.cu; the others: rabin_karp_cuda.cu

constexpr std::size_t cuda_batch_bytes_max = std::size_t{1} << 30;  // of a search
constexpr std::size_t rabin_karp_patterns_max = 32 * 1024;          // half of the table of 65521 slots

// Why the kernel cannot take these patterns; empty if it can.
std::string cuda_refusal(std::span<const Pattern> patterns, CudaKernel kernel);

// Finds all occurrences. As make_device_occurrence_finder (occurrences.hpp), which uses these.
std::unique_ptr<OccurrenceFinder> make_cuda_occurrence_finder(std::span<const Pattern> patterns, CudaKernel kernel,
                                                              std::string_view sample = {}, std::size_t text_bytes = 0);
std::unique_ptr<OccurrenceFinder> make_colliding_cuda_occurrence_finder(std::span<const Pattern> patterns,
                                                                        CudaKernel kernel);

}  // namespace sluice::substrings
