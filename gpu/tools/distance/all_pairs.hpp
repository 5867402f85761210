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
#include "gpu/tools/distance/all_pairs_options.hpp"

namespace sluice::edits {

// How the distances are computed.
enum class Method : std::uint8_t { bit_parallel, dynamic_program, o_asm, w_scan, w_shuffle };
// "bit-parallel", "dynamic program", "o-asm", "w-scan" or "w-shuffle".
std::string_view method_name(Method method);

struct Plan {
    std::string error;                   // if empty, the rest is valid
    std::optional<std::size_t> pattern;  // the pattern that is the reason for the error, if one is
    Method method = Method::bit_parallel;
    bool on_gpu = false;
};

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

}  // namespace sluice::edits
