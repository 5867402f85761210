// Distances of all patterns from all texts on the processor that suits them, for tools: bit-parallel, by the plain
// dynamic program, or by one of the published algorithms. Belongs to one thread, which other threads help.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/operators/edits/costs.hpp"
#include "gpu/operators/edits/edits.hpp"
#include "gpu/operators/edits/tasks.hpp"

namespace sluice::edits {

enum class Processor : std::uint8_t { automatic, cpu, gpu };

// `automatic`: bit-parallel for unit costs. For others the dynamic program or, on a GPU, w-Shuffle (w-SCAN if distances
// are too large for that).
enum class Algorithm : std::uint8_t { automatic, bit_parallel, o_asm, w_scan, w_shuffle };

// How the distances are computed.
enum class Method : std::uint8_t { bit_parallel, dynamic_program, o_asm, w_scan, w_shuffle };
// "bit-parallel", "dynamic program", "o-asm", "w-scan" or "w-shuffle".
std::string_view method_name(Method method);

struct AllPairsOptions {
    Extent extent = Extent::substring;
    Algorithm algorithm = Algorithm::automatic;
    Processor processor = Processor::automatic;
    std::uint64_t parts = 0;              // into which a text is cut; 0: as many as are fast
    unsigned threads = 0;                 // on the CPU; 0: one per core
    std::optional<std::uint32_t> within;  // only distances of at most this matter
    double cells_expected = 0;            // of all calls: tells whether starting a GPU pays
};

struct Plan {
    std::string error;                   // if empty, the rest is valid
    std::optional<std::size_t> pattern;  // the pattern that is the reason for the error, if one is
    Method method = Method::bit_parallel;
    bool on_gpu = false;
};

// Distances that do not matter because of AllPairsOptions::within may be replaced by this one.
inline constexpr std::uint32_t distance_beyond = ~0u;

// Where Processor::automatic starts a GPU: from there on the CPU takes longer than that start.
inline constexpr double gpu_start_cells_bit_parallel = 1e11, gpu_start_cells_others = 1e9;

class AllPairs {
public:
    // Chooses the method. lengths[p]: the characters of a pattern.
    static Plan plan(std::span<const std::size_t> lengths, const Costs& costs, const AllPairsOptions& options,
                     bool has_gpu);

    // The patterns must outlive this object; they are neither empty nor refused, and the plan has no error.
    AllPairs(std::span<const std::string_view> patterns, const Costs& costs, const AllPairsOptions& options,
             const Plan& plan);
    AllPairs(AllPairs&&) noexcept;
    ~AllPairs();

    // distances[t * patterns + p] becomes the distance of pattern p from text t, or from a substring of it. Returns
    // false if `watch` stopped it. Throws std::runtime_error if a requested GPU fails; with Processor::automatic the
    // CPU then takes over.
    bool match(std::span<const std::string_view> texts, std::span<std::uint32_t> distances, const Watch& watch);

    struct Work {
        Plan plan;                  // as it was carried out
        std::uint64_t parts = 1;    // the most parts that a text was cut into
        unsigned threads = 1;       // on the CPU
        double seconds = 0;         // of all calls of match, without preparation
        double kernel_seconds = 0;  // of the published algorithms' kernels on a GPU, without copies
        std::string gpu_error;      // why the CPU took over
    };
    const Work& work() const;

private:
    struct Content;
    std::unique_ptr<Content> content_;
};

// Why there is no GPU to use, or "".
std::string why_no_gpu();
// Makes the GPU ready for its first work, which takes some tenths of a second. Throws std::runtime_error if it fails.
void start_gpu();

// GpuPatternSet, for builds with and without CUDA. `match`: like AllPairs::match, for unit costs. Throws
// std::runtime_error if the GPU is missing or fails.
class GpuSets {
public:
    GpuSets(std::span<const std::string_view> patterns, const AllPairsOptions& options);
    ~GpuSets();
    bool match(std::span<const std::string_view> texts, std::span<std::uint32_t> distances, const Watch& watch);

private:
    struct Content;
    std::unique_ptr<Content> content_;
};

}  // namespace sluice::edits
