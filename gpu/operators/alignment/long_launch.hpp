// What the kernel of long pairs (device_long.cu) is given, and its launch, for those who arrange the work on one device
// or several (device_long.hpp, device_slices.hpp). Sizes and pointers are the device's. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/operators/alignment/device_long.hpp"

namespace sluice::alignment {

// An edge between two strips at one row: H in the lower half, E of the next column in the upper one.
using Edge = unsigned long long;

constexpr unsigned strip_warps = 4;  // of a block: that compute, one for each quarter of a multiprocessor
constexpr unsigned epoch_steps = 16;
constexpr unsigned groups_before = 32, groups_after = 48;  // of a query: lanes that wait or are done look there
constexpr int matrix_rows = 25;                            // letters, and one for padding

// What is found in a strip.
struct StripResult {
    std::int32_t score;
    std::uint32_t query_end, text_end;
    std::uint32_t pruned_left, pruned_right, unused[3];
};

// One pair, or the slice of its columns that a launch does. Letters are codes; those beside the sequences are the code
// `letters`.
struct LongWork {
    const Code* query;     // with groups_before and groups_after row groups of padding
    const Code* text;      // up to whole blocks of strips
    Edge* bus;             // [row], between the blocks
    const Edge* ingress;   // [row], what the first block reads; null: it is at the matrix' border
    Edge* egress;          // [row], where the last block puts its edge; null: nobody reads it. Else n is whole blocks
    StripResult* results;  // [block of strips][strip_warps], zeros at first
    int* best;             // two, 0 at first: found here, and what the host says that others have found
    std::uint32_t m, n, before, after;  // columns of the pair that are to the left and right of these
    std::uint32_t groups, blocks, first_unit;
    std::uint32_t first_block;  // of these among the pair's: edges are tagged with the number of the block they are for
    std::int32_t known_below, stop_at;
};

struct LongArguments {
    const LongWork* work;
    const std::uint32_t* unit_work;  // whose each unit is
    unsigned* ticket;                // 0 at first
    const std::int32_t* matrix;      // [letter][matrix_rows], of letters + 1
    volatile unsigned* progress;     // units begun and done with; may be null
    unsigned units, letters;
    int gap_first, gap_further, highest;
    bool prune;
    std::uint32_t one;  // 1, which the compiler must not know: a multiplication by it stays one
};

inline std::size_t padded(std::size_t size, std::size_t multiple) {
    return (size + multiple - 1) / multiple * multiple;
}

// The tiles that suit so many columns on a device.
LongShape long_shape_for(std::uint64_t columns);
constexpr std::size_t block_columns(LongShape shape) { return std::size_t{strip_warps} * 32 * shape.columns; }
constexpr std::size_t row_multiple(LongShape shape) { return std::size_t{epoch_steps} * shape.rows; }

// [matrix_rows][matrix_rows], with scores for padding.
std::vector<std::int32_t> long_matrix(const Scheme& scheme);
// Appends what LongWork::query points to.
void append_query(std::vector<Code>& codes, Codes query, LongShape shape, Code padding);

// How many blocks the current device holds at once.
unsigned resident_blocks(Mode mode, LongShape shape, unsigned letters);
// On the current device, at most `resident` blocks at a time.
void launch_long(Mode mode, LongShape shape, const LongArguments& arguments, unsigned resident, cudaStream_t stream);

// Adds strips' results to a pair's.
void add_results(Mode mode, std::span<const StripResult> results, EndPoint& end, LongStatistics& statistics);
// The tiles that pruning may leave out.
std::uint64_t count_tiles(LongShape shape, std::size_t m, std::size_t n);

}  // namespace sluice::alignment
