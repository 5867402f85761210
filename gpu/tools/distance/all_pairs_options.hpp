// How the distances of all patterns from all texts are asked for. Plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "gpu/device/processor.hpp"
#include "gpu/operators/edits/costs.hpp"
#include "gpu/operators/edits/myers_kernel.hpp"

namespace sluice::edits {

using cuda::Processor;

// `automatic`: bit-parallel for unit costs. For others the dynamic program or, on a GPU, w-Shuffle (w-SCAN if distances
// are too large for that).
enum class Algorithm : std::uint8_t { automatic, bit_parallel, o_asm, w_scan, w_shuffle };

struct AllPairsOptions {
    Extent extent = Extent::substring;
    Algorithm algorithm = Algorithm::automatic;
    Processor processor = Processor::automatic;
    std::uint64_t parts = 0;              // into which a text is cut; 0: as many as are fast
    unsigned threads = 0;                 // on the CPU; 0: one per core
    std::optional<std::uint32_t> within;  // only distances of at most this matter
    double cells_expected = 0;            // of all calls: tells whether starting a GPU pays
};

// Called on the calling thread, at least once and many times a second, with the share of the work done, from 0 to 1.
// Returns whether to continue.
using Watch = std::function<bool(double share)>;

// Distances that do not matter because of AllPairsOptions::within may be replaced by this one.
inline constexpr std::uint32_t distance_beyond = ~0u;

}  // namespace sluice::edits
