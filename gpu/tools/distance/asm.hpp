// The published algorithms for approximate matching (ASM: the least cost of turning a pattern into a substring of a
// text) on a CPU or a GPU, for tools. asm_kernels.hpp has the kernels, asm_lanes.hpp their forms for a core:
//   O-ASM      Nakano; Man and Song 2016, section 5
//   w-SCAN     Nunes 2018, algorithm 3.7
//   w-Shuffle  Nunes 2018, figure 4.2
// Long texts are cut into overlapping parts (parts.hpp): a block of a GPU computes one part, or a thread of a CPU.
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/operators/edits/costs.hpp"
#include "gpu/tools/distance/all_pairs_options.hpp"

namespace sluice::edits {

enum class AsmAlgorithm : std::uint8_t { o_asm, w_scan, w_shuffle };

inline constexpr std::uint32_t asm_pattern_max = 1024;
// On a GPU, w-Shuffle passes distances between strips as 16 bits.
inline constexpr std::uint32_t shuffle_distance_max = 65'535;

// Why a pattern of m characters can't be matched, or "": "the pattern has 2000 characters; w-shuffle takes at most
// 1024".
std::string asm_refusal(std::uint64_t m, const Costs& costs, AsmAlgorithm algorithm, bool on_gpu);

// "o-asm", "w-scan" or "w-shuffle".
std::string_view asm_name(AsmAlgorithm algorithm);

struct AsmOptions {
    AsmAlgorithm algorithm = AsmAlgorithm::w_shuffle;
    bool on_gpu = false;
    std::uint64_t parts = 0;  // of a text; 0: as many as use all threads or multiprocessors
    unsigned threads = 0;     // on the CPU; 0: one per core
    Watch watch;
};

struct AsmResult {
    std::string error;  // of the GPU; if empty, the rest is valid
    bool stopped = false;
    std::uint64_t parts = 1;    // the most parts of a text
    double kernel_seconds = 0;  // of the GPU's kernels, without copies
};

// distances[t * patterns.size() + p] becomes the distance of pattern p from a substring of text t. Patterns and texts
// are UTF-8; patterns must not be refused. Without CUDA, on_gpu is an error.
AsmResult asm_distance(std::span<const std::string_view> patterns, std::span<const std::string_view> texts,
                       const Costs& costs, const AsmOptions& options, std::span<std::uint32_t> distances);

// The two forms of it; the second in builds with CUDA only, and where there is a GPU.
AsmResult asm_distance_on_cpu(std::span<const std::string_view> patterns, std::span<const std::string_view> texts,
                              const Costs& costs, const AsmOptions& options, std::span<std::uint32_t> distances);
AsmResult asm_distance_on_gpu(std::span<const std::string_view> patterns, std::span<const std::string_view> texts,
                              const Costs& costs, const AsmOptions& options, std::span<std::uint32_t> distances);

}  // namespace sluice::edits
