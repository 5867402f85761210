// Decides which aligner takes a pair, or each of many pairs, from the sizes, the scheme, the instruction set and the
// devices. Only this file and dispatch.cpp define limits between aligners.
//
// Three other choices answer different questions and stay separate. choosing_family.cpp: which processor takes a whole
// batch, by the recent costs of batches. lane_group_plan.cpp: the shape of a launch. trace.cpp: tiles or rows for the
// parts of a pair whose score is known, so that tiles prune most of it.
#pragma once

#include <functional>
#include <optional>

#include "gpu/operators/alignment/scheme/sequences.hpp"
#include "gpu/operators/alignment/striped.hpp"
#include "gpu/operators/alignment/tiles.hpp"

namespace sluice::alignment {

// Whether the score reaches the threshold, if the lengths alone decide that.
std::optional<bool> reaches_by_lengths(const Scheme& scheme, Mode mode, std::size_t m, std::size_t n,
                                       std::int32_t threshold);

// One pair at a time on the CPU: striped, in tiles or by rows. The scheme and the tables must outlive it. Belongs to
// one thread.
class CoreAligner {
public:
    CoreAligner(const Scheme& scheme, Mode mode, ScoreTables& tables, InstructionSet set)
        : scheme_(scheme),
          mode_(mode),
          set_(set),
          stripes_(mode == Mode::local && StripedAligner::has(set)),
          striped_(scheme, tables, set) {}

    // Whether this few pairs that share a text are faster one by one than with a lane each.
    bool suits(std::size_t pairs) const { return pairs <= (stripes_ ? 12 : 3); }
    // On this core. Returns the score if it is below `threshold`, otherwise any score that reaches it. If local,
    // `threshold` must be above 0.
    std::int32_t score(Codes query, Codes text, std::int32_t threshold);
    // As reference_align(), on up to `threads` cores. `progress` as in progress.hpp.
    TilesResult align(Codes query, Codes text, bool prune, unsigned threads, const Progress& progress);

private:
    // If the pair is `tiled`, stripes have only 8 bits, and tiles take over where these are too few.
    struct Plan {
        bool striped, swapped, tiled;  // swapped: the text is striped
    };
    Plan plan(std::size_t m, std::size_t n, unsigned threads) const;

    const Scheme& scheme_;
    Mode mode_;
    InstructionSet set_;
    bool stripes_;
    StripedAligner striped_;
};

// Below this many cells, a core finishes before a device has started, which takes some tenths of a second.
constexpr std::uint64_t device_start_cells_min = 1'000'000'000;

// Marks the pairs of a batch that are spread over a device; LaneGroupAligner takes the others. Empty: none is spread.
std::vector<std::uint8_t> spread_over_device(const SequenceSet& queries, const SequenceSet& texts,
                                             std::span<const Pair> pairs);

// Which aligner spreads one of `pairs` pairs: TwoWayAligner, WavefrontAligner or MultiDeviceAligner. `fits_cluster`
// returns whether the first can take it, and is called only if that matters.
enum class Spread { clusters, strips, slices };
Spread spread_of(Codes text, std::size_t pairs, std::size_t devices, const std::function<bool()>& fits_cluster);

}  // namespace sluice::alignment
