// The arguments of the kernel for long pairs (wavefront_aligner.cu) and its launch, for code that arranges the work on
// one device or several (wavefront_aligner.hpp, multi_device_aligner.hpp). Pointers are to device memory. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <span>
#include <vector>

#include "gpu/operators/alignment/cuda/wavefront_tiles.hpp"
#include "gpu/operators/alignment/scheme/reference.hpp"
#include "gpu/operators/alignment/scheme/scheme.hpp"

namespace sluice::alignment {

// An edge between two strips at one row: H in the lower half, E of the next column in the upper half.
using Edge = unsigned long long;

constexpr unsigned strip_warps = 4;  // compute warps of a block, one for each quarter of a multiprocessor
constexpr unsigned epoch_steps = 16;
constexpr unsigned groups_before = 32, groups_after = 48;  // padding of a query for lanes that wait or are done
constexpr int matrix_rows = 25;                            // letters, and one for padding

// The result of one strip.
struct StripResult {
    std::int32_t score;
    std::uint32_t query_end, text_end;
    std::uint32_t pruned_left, pruned_right, unused[3];
};

// One pair, or the slice of its columns that a launch computes. Letters are codes; padding is the code `letters`.
struct WavefrontWork {
    const Code* query;     // with groups_before and groups_after row groups of padding
    const Code* text;      // padded to whole blocks of strips
    Edge* bus;             // [row], between the blocks
    const Edge* ingress;   // [row], what the first block reads; null: it is at the matrix border
    Edge* egress;          // [row], where the last block writes its edge; null: unused. Otherwise n is whole blocks
    StripResult* results;  // [block of strips][strip_warps], initially zero
    int* best;             // two, initially 0: found here, and found elsewhere according to the host
    std::uint32_t m, n, before, after;  // before, after: columns of the pair to the left and right of these
    std::uint32_t groups, blocks, first_unit;
    std::uint32_t first_block;  // of these among the pair's; edges are tagged with the number of the block they are for
    std::int32_t known_below, stop_at;
};

struct WavefrontArguments {
    const WavefrontWork* work;
    const std::uint32_t* unit_work;  // [unit]: the index in `work`
    unsigned* ticket;                // initially 0
    const std::int32_t* matrix;      // [letter][matrix_rows], of letters + 1
    volatile unsigned* progress;     // 1 + the number of the unit finished last; may be null
    unsigned units, letters;
    int gap_first, gap_further, highest;
    bool prune;
    std::uint32_t one;  // 1, hidden from the compiler: a multiplication by it stays one
};

inline std::size_t padded(std::size_t size, std::size_t multiple) {
    return (size + multiple - 1) / multiple * multiple;
}

// The best tile shape for this many columns on a device.
TileShape tile_shape_for(std::uint64_t columns);
constexpr std::size_t block_columns(TileShape shape) { return std::size_t{strip_warps} * 32 * shape.columns; }
constexpr std::size_t row_multiple(TileShape shape) { return std::size_t{epoch_steps} * shape.rows; }

// [matrix_rows][matrix_rows], including the scores of padding.
std::vector<std::int32_t> padded_matrix(const Scheme& scheme);
// Appends the data for WavefrontWork::query.
void append_query(std::vector<Code>& codes, Codes query, TileShape shape, Code padding);

// The number of blocks that the current device holds at once.
unsigned resident_blocks(Mode mode, TileShape shape, unsigned letters);
// Launches on the current device, at most `resident` blocks at a time.
void launch_wavefront(Mode mode, TileShape shape, const WavefrontArguments& arguments, unsigned resident,
                      cudaStream_t stream);

// Adds the results of strips to those of a pair.
void add_results(Mode mode, std::span<const StripResult> results, EndPoint& end, PruneStatistics& statistics);
// The number of tiles that pruning may skip.
std::uint64_t count_tiles(TileShape shape, std::size_t m, std::size_t n);

}  // namespace sluice::alignment
