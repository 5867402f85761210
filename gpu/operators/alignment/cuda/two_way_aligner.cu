// Two directions work through the matrix at once: down from its first cell, and up from its last one with both
// sequences reversed. They meet at a cut, a staircase with one stair per strip, placed so that both get there at the
// same time. This halves the critical path. Any alignment with cells on both sides passes through a point of the cut,
// and its score is the sum of what the two directions have there: H and H or, within a gap, E and E or F and F, without
// the second charge for opening it.
//
// In each direction a warp takes a strip of 32 * C columns and moves along it: lane l keeps C columns in registers and
// computes tiles of R rows, one per step, l steps behind lane 0, as in wavefront_aligner.cu. In contrast to there,
// everything here serves to make a step short, since a direction takes m / R + n / C of them:
// * A cluster of blocks has a pair to itself: half of it for each direction, and one warp for each quarter of a
//   multiprocessor. A warp hands its edge to the next strip's warp through a ring in the latter's shared memory, also
//   between blocks. A ring has a place for every row, so no warp waits for room. Strips beyond the last warp go to the
//   first one again. By the time an edge of the next round arrives there, that of this round has been used, because the
//   new edge depends on it.
// * An edge is one word, and thus one shuffle per row: H, and in its lower 10 bits the difference of H and E of the
//   next column, which is at most the cost of a gap's first letter.
// * The score of two letters is a dot product of bytes, in which the query's letter is a 1 in one of four places. No
//   look-up is needed.
// * E is made from the cell without E, so the dependency chain along a row is one instruction per column, not three.
// * Rows and columns outside the pair are computed like others; only the report of a best cell checks for them. Before
//   the first row everything is 0, and below the last row no value increases.
// * Every V steps all lanes vote on one question that rarely applies: the next left edges are missing, some cell is
//   better than any that the cluster knows (checked a step late, when the result is available anyway), or the work is
//   to stop. A lane with such a cell keeps its tile in shared memory, and all blocks of the cluster get its score.
// There is no pruning: it does not shorten the critical path.
// A cell takes 4.5 ALU instructions and three on the multiply-add pipe. A warp that has its quarter of a multiprocessor
// to itself is bound by neither pipe but by its registers: two operands can be read per clock, so an instruction with
// three operands takes one and a half clocks (measured: 1.53). A step of 2 x 4 cells reads 180 operands, 92 clocks;
// measured: 135. 4,096 x 4,096 takes 1,676 steps, 38 of them to hand over to each of 31 strips: 0.112 ms, plus 0.011 to
// launch, to fill shared memory and to evaluate the cut. Measured: 0.123 ms. Slower, in ms: E made from the whole cell
// (0.139); the same with tiles of 4 x 4 (0.141) and with the gap costs known to the compiler (0.137); tiles of 2 x 8
// (0.157), which are faster if there is more work than warps: 64 pairs side by side take 0.55 ms instead of 0.98; one
// direction only, tiles of 4 x 4 (0.263). Memory: 4 bytes per letter, 8 per row and column for the cut, 40 per strip,
// and 20 per row in a block's shared memory.
#include <algorithm>
#include <utility>

#include "gpu/device/shared_memory.hpp"
#include "gpu/operators/alignment/cuda/two_way_aligner.hpp"
#include "gpu/operators/alignment/cuda/two_way_kernel.cuh"

namespace sluice::alignment {

namespace {

// Tile rows and columns, steps per iteration, and steps between two checks for left edges. Narrow tiles give the
// shortest critical path, wide ones the most cells per second.
constexpr unsigned rows = two_way_rows, narrow = 4, wide = 8, steps = 8, looks = 4;
using Kernel = void (*)(TwoWayArguments);
Kernel kernel_of(unsigned columns) {
    return columns == narrow ? two_way_kernel<narrow, steps, looks> : two_way_kernel<wide, steps, looks>;
}
TwoWayLayout layout(unsigned columns, unsigned groups) {
    return columns == narrow ? layout_of<narrow, steps>(groups) : layout_of<wide, steps>(groups);
}

std::size_t round_up(std::size_t size, std::size_t multiple) { return (size + multiple - 1) / multiple * multiple; }

// The number of steps that a strip starts after the one before it.
constexpr unsigned handover_steps = 37;

// The words that one direction leaves at the cut, rounded up to the unit of writes.
std::size_t cut_words_of(unsigned groups, unsigned strips, unsigned columns) {
    return round_up(std::size_t{groups} * rows + std::size_t{strips} * (32 * columns + 2), 4);
}

struct ClusterLaunch {
    cudaLaunchAttribute cluster{};
    cudaLaunchConfig_t config{};

    ClusterLaunch(unsigned pairs, unsigned way_blocks, unsigned columns, unsigned groups, cudaStream_t stream) {
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim = {2 * way_blocks, 1, 1};
        config.gridDim = dim3(pairs * 2 * way_blocks);
        config.blockDim = dim3(two_way_threads);
        config.dynamicSmemBytes = layout(columns, groups).words * sizeof(Word);
        config.stream = stream;
        config.attrs = &cluster;
        config.numAttrs = 1;
    }
    ClusterLaunch(const ClusterLaunch&) = delete;
    ClusterLaunch& operator=(const ClusterLaunch&) = delete;
};

bool has_four_letters(Codes codes) {
    return std::all_of(codes.begin(), codes.end(), [](Code code) { return code < 4; });
}

// Whether to swap text and query, so that the query is the shorter one, or the one of four letters only.
bool swap_helps(Codes query, Codes text) {
    const bool shorter = text.size() < query.size() || !has_four_letters(query);
    return shorter && text.size() <= TwoWayAligner::query_max && has_four_letters(text);
}

// Appends data in the layout of TwoWayPair.
void append_query(std::vector<Word>& words, Codes query, unsigned groups) {
    const std::size_t begin = words.size();
    words.resize(begin + (groups + 2 * slack) * rows);
    for (std::size_t i = 0; i < query.size(); ++i) words[begin + slack * rows + i] = Word{1} << (8 * query[i]);
}
void append_text(std::vector<Word>& words, const Scheme& scheme, Codes text, std::size_t columns) {
    constexpr Code n = 4;  // outside the text
    for (std::size_t j = 0; j < columns; ++j) {
        const auto& scores = scheme.scores[j < text.size() ? text[j] : n];
        Word word = 0;
        for (unsigned x = 0; x < 4; ++x) word |= static_cast<Word>(scores[x] & 0xff) << (8 * x);
        words.push_back(word);
    }
}

// The number of steps until the last strip of both directions is done, with `warps` warps per direction.
unsigned steps_of(const TwoWayPair& pair, unsigned warps) {
    unsigned longest = 0;
    for (const unsigned way : {0u, 1u}) {
        std::vector<unsigned> ends;
        unsigned begin = 0;
        for (unsigned strip = 0; strip < pair.strips; ++strip) {
            if (strip > 0) begin += handover_steps;
            if (strip >= warps) begin = std::max(begin, ends[strip - warps]);
            const unsigned groups = pair.groups_of(way, strip, steps);
            ends.push_back(groups == 0 ? begin : begin + groups + slack);
            if (groups > 0) longest = std::max(longest, ends.back());
        }
    }
    return longest;
}

// Places the cut so that both directions finish at the same time.
void plan_cut(TwoWayPair& pair, unsigned warps) {
    unsigned least = UINT32_MAX;
    TwoWayPair best = pair;
    for (const unsigned slope : {handover_steps, 28u, 20u, 12u, 6u, 0u}) {
        pair.slope = slope;
        pair.top = (pair.groups + (pair.strips - 1) * slope + steps) / 2;
        const unsigned length = steps_of(pair, warps);
        if (length < least) least = length, best = pair;
    }
    pair = best;
}

// Assigns each direction its memory for the cut, from `at` on.
void place_cut(TwoWayPair& pair, Word* at, unsigned columns) {
    for (auto& side : pair.cut) {
        Word* next = at;
        side.bottoms = std::exchange(next, next + std::size_t{pair.strips} * 32 * columns);
        side.sides = std::exchange(next, next + std::size_t{pair.groups} * rows);
        side.corners = std::exchange(next, next + pair.strips);
        side.lefts = next;
        at += cut_words_of(pair.groups, pair.strips, columns);
    }
}

// The number of blocks that this many strips of one direction keep busy.
unsigned blocks_for(std::size_t strips, unsigned most) {
    unsigned blocks = 1;
    while (blocks * two_way_warps < strips && blocks < most) blocks *= 2;
    return blocks;
}

std::size_t multiprocessors() {
    int device = 0, count = 0;
    cuda::check(cudaGetDevice(&device), "cudaGetDevice");
    cuda::check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "multiprocessors");
    return static_cast<std::size_t>(count);
}

// Columns per lane: wide tiles if narrow ones need more warps than there are, for one pair or for all at once.
unsigned columns_for(std::size_t pairs, std::size_t longest_text, unsigned blocks_max) {
    const std::size_t strips = (longest_text + 32 * narrow - 1) / (32 * narrow);
    const unsigned blocks = blocks_for(strips, blocks_max);
    return strips <= std::size_t{blocks} * two_way_warps && pairs * 2 * blocks <= multiprocessors() ? narrow : wide;
}

// The number of blocks per direction, at most `blocks`, that the device currently has room for in one cluster; 0: none.
unsigned room_for(unsigned blocks, unsigned columns, unsigned groups) {
    const Kernel kernel = kernel_of(columns);
    cuda::allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
    cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "clusters of 16");
    for (; blocks > 0; blocks /= 2) {
        const ClusterLaunch launch(1, blocks, columns, groups, nullptr);
        int clusters = 0;
        if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch.config) == cudaSuccess && clusters > 0) break;
        cudaGetLastError();  // a cluster size that the device lacks counts as an error
    }
    return blocks;
}

}  // namespace

bool TwoWayAligner::fits(const Scheme& scheme, Mode mode, Codes query, Codes text) {
    if (mode != Mode::local || scheme.alphabet != Scheme::Alphabet::dna || query.empty() || text.empty()) return false;
    if (swap_helps(query, text)) std::swap(query, text);
    return query.size() <= query_max && text.size() <= text_max && scheme.highest < 128 && scheme.lowest >= -128 &&
           scheme.gap_first < 1 << edge_bits && scheme.score_bound(query.size(), text.size()) < 1 << (31 - edge_bits) &&
           has_four_letters(query);
}

bool TwoWayAligner::available() {
    int device = 0, shared_bytes = 0;
    cuda::check(cudaGetDevice(&device), "cudaGetDevice");
    cuda::check(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
                "shared memory");
    const auto groups = static_cast<unsigned>(round_up(query_max / rows, steps));
    return layout(wide, groups).words * sizeof(Word) <= static_cast<std::size_t>(shared_bytes) &&
           cuda::has_hopper_code(kernel_of(wide)) && room_for(1, wide, groups) > 0;
}

void TwoWayAligner::prepare(std::span<const SequencePair> pairs) {
    std::vector<Word> words;
    std::vector<std::size_t> queries, texts, cuts;
    std::vector<TwoWayPair> on_device(pairs.size());
    std::size_t cut_words = 0;
    extents_.clear();
    if (pairs.empty()) return;
    std::size_t longest_text = 0;
    for (const SequencePair& pair : pairs)
        longest_text = std::max(longest_text, (swap_helps(pair.query, pair.text) ? pair.query : pair.text).size());
    columns_ = columns_for(pairs.size(), longest_text, blocks_max_);
    const std::size_t strip_columns = 32 * columns_;
    groups_ = 0;
    unsigned strips_max = 1;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        Codes query = pairs[k].query, text = pairs[k].text;
        const bool swapped = swap_helps(query, text);
        if (swapped) std::swap(query, text);
        const auto groups = static_cast<unsigned>(round_up((query.size() + rows - 1) / rows, steps));
        const auto strips = static_cast<unsigned>((text.size() + strip_columns - 1) / strip_columns);
        queries.push_back(words.size());
        append_query(words, query, groups);
        on_device[k].query_words = static_cast<std::uint32_t>(words.size() - queries.back());
        texts.push_back(words.size());
        append_text(words, scheme_, text, strips * strip_columns);
        cuts.push_back(cut_words);
        cut_words += 2 * cut_words_of(groups, strips, columns_);
        on_device[k].m = static_cast<std::uint32_t>(query.size());
        on_device[k].n = static_cast<std::uint32_t>(text.size());
        on_device[k].groups = groups;
        on_device[k].strips = strips;
        on_device[k].known_below = pairs[k].known_below;
        on_device[k].stop_at = pairs[k].stop_at;
        extents_.push_back({query, text, swapped, 0, groups * rows, strips * 32 * columns_, strips});
        groups_ = std::max(groups_, groups);
        strips_max = std::max(strips_max, strips);
    }
    // Running all pairs at once with few blocks each is faster than running some after others.
    unsigned blocks = blocks_for(strips_max, blocks_max_);
    while (blocks > 1 && pairs.size() * 2 * blocks > multiprocessors()) blocks /= 2;
    blocks_ = room_for(blocks, columns_, groups_);
    if (blocks_ == 0) throw cuda::CudaError(cudaErrorLaunchOutOfResources, "a cluster of two blocks");
    found_count_ = 0;
    for (auto& extent : extents_) extent.first_found = std::exchange(found_count_, found_count_ + found_of(extent));
    cuda::upload<Word>(words_, words);
    cuts_.reserve(cut_words);
    cuda::upload<Found>(found_, std::vector<Found>(found_count_));  // a strip with no work reports nothing
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        TwoWayPair& pair = on_device[k];
        pair.query = words_.data() + queries[k];
        pair.text = words_.data() + texts[k];
        pair.found = found_.data() + extents_[k].first_found;
        place_cut(pair, cuts_.data() + cuts[k], columns_);
        plan_cut(pair, blocks_ * two_way_warps);
    }
    cuda::upload<std::byte>(pairs_, std::as_bytes(std::span(on_device)));
}

std::size_t TwoWayAligner::found_of(const Extent& extent) const {
    return 2 * (extent.strips + std::size_t{blocks_} * two_way_warps);
}

void TwoWayAligner::enqueue(cudaStream_t stream) {
    if (extents_.empty()) return;
    const TwoWayArguments arguments{reinterpret_cast<const TwoWayPair*>(pairs_.data()), -scheme_.gap_first,
                                    -scheme_.gap_further, 1};
    const ClusterLaunch launch(static_cast<unsigned>(extents_.size()), blocks_, columns_, groups_, stream);
    cuda::check(cudaLaunchKernelEx(&launch.config, kernel_of(columns_), arguments), "alignment of pairs by clusters");
}

}  // namespace sluice::alignment
