// Two ways lead through the matrix at once: down from its first cell, and up from its last one with both sequences
// turned. They meet at a cut, a staircase of a stair a strip, such that both are there at the same time; that halves
// the way. Whatever alignment has cells on both sides goes through a point of the cut, and is worth there what the two
// ways have: H and H, or, within a gap, E and E or F and F, of which one has been charged for opening it too often.
//
// On a way a warp takes a strip of 32 * C columns and walks along it: lane l keeps C columns in registers and does
// tiles of R rows, one a step, l steps behind lane 0, as in device_long.cu. What is different here is that all is done
// to make a step short, as the way takes m / R + n / C of them:
// * a cluster of blocks has a pair to itself, half of it a way, and a warp for each quarter of a multiprocessor. A warp
//   hands its edge to the next strip's warp through a ring in that one's shared memory, also from block to block. A
//   ring has a place for every row: nobody waits for room. Strips beyond the last warp's are the first one's again: by
//   the time that an edge comes there for the next round, that of this round is used, as it depends on it
// * an edge is a word: H, and in its lower 10 bits H - E of the next column, which is at most the cost of a gap's first
//   letter: one shuffle a row
// * the score of two letters is a dot product of bytes, the query's letter being 1 in its place of four: nothing is
//   looked up
// * E is made of the cell without E, so that the chain along a row is one instruction a column, not three
// * rows and columns beside the pair are done like others; only the report of a best cell looks whether it is one.
//   Before the first row everything is 0, and below the last one nothing becomes better than it was
// * every V steps all lanes ask one question together, with rare answers: the next left edges are not there yet, there
//   is a cell better than any that the cluster knows (asked a step late, when it is known anyway), or all is to stop.
//   Whoever has such a cell keeps its tile in shared memory and tells all blocks of the cluster.
// No pruning: it makes no way shorter.
//
// A cell is 4.5 ALU instructions and three on the multiply-add pipe. What bounds a warp that has its quarter of a
// multiprocessor to itself is neither pipe but its registers: two operands can be read a clock, so that an instruction
// of three takes one and a half (measured: 1.53). A step of 2 x 4 cells reads 180 operands, 92 clocks; measured: 135.
// 4,096 x 4,096 takes 1,676 steps, of which 38 to hand over to each of 31 strips: 0.112 ms, and 0.011 to launch, to
// fill shared memory and to look at the cut. Measured: 0.123 ms. Slower, in ms: E made of the whole cell (0.139); so
// with tiles of 4 x 4 (0.141) and with the costs of gaps known to the compiler (0.137); tiles of 2 x 8 (0.157), which
// are faster where there is more to do than warps: 64 pairs side by side take 0.55 ms instead of 0.98; one way only,
// tiles of 4 x 4 (0.263). Memory: 4 bytes a letter, 8 a row and a column for the cut, 40 a strip, and in shared memory
// of a block 20 a row.
#include <algorithm>
#include <utility>

#include "gpu/cuda/shared_memory.hpp"
#include "gpu/operators/alignment/middle_kernel.cuh"
#include "gpu/operators/alignment/pair.hpp"
#include "gpu/operators/alignment/rows.hpp"

namespace sluice::alignment {

namespace {

// Of a tile; steps that are done together, and between two looks at what comes from the left. Narrow tiles make the
// shortest way, wide ones the most cells a second.
constexpr unsigned rows = middle_rows, narrow = 4, wide = 8, steps = 8, looks = 4;
using Kernel = void (*)(MiddleArguments);
Kernel kernel_of(unsigned columns) {
    return columns == narrow ? middle_kernel<narrow, steps, looks> : middle_kernel<wide, steps, looks>;
}
MiddleLayout layout(unsigned columns, unsigned groups) {
    return columns == narrow ? layout_of<narrow, steps>(groups) : layout_of<wide, steps>(groups);
}

std::size_t round_up(std::size_t size, std::size_t multiple) { return (size + multiple - 1) / multiple * multiple; }

// A strip waits so many steps for the one before it.
constexpr unsigned handover_steps = 37;

// What a way leaves, rounded to what is written at once.
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
        config.blockDim = dim3(middle_threads);
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

// Whether the text is to be the query: the shorter one, or the one that has four letters.
bool swap_helps(Codes query, Codes text) {
    const bool shorter = text.size() < query.size() || !has_four_letters(query);
    return shorter && text.size() <= DeviceMiddle::query_max && has_four_letters(text);
}

// As PairOnDevice has them.
void append_query(std::vector<Word>& words, Codes query, unsigned groups) {
    const std::size_t begin = words.size();
    words.resize(begin + (groups + 2 * slack) * rows);
    for (std::size_t i = 0; i < query.size(); ++i) words[begin + slack * rows + i] = Word{1} << (8 * query[i]);
}
void append_text(std::vector<Word>& words, const Scheme& scheme, Codes text, std::size_t columns) {
    constexpr Code n = 4;  // beside the text
    for (std::size_t j = 0; j < columns; ++j) {
        const auto& scores = scheme.scores[j < text.size() ? text[j] : n];
        Word word = 0;
        for (unsigned x = 0; x < 4; ++x) word |= static_cast<Word>(scores[x] & 0xff) << (8 * x);
        words.push_back(word);
    }
}

// Steps until the last strip of both ways is done, if a way has `warps` warps.
unsigned steps_of(const DeviceMiddle::PairOnDevice& pair, unsigned warps) {
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

// Where the ways meet: so that both are done at the same time.
void plan_cut(DeviceMiddle::PairOnDevice& pair, unsigned warps) {
    unsigned least = UINT32_MAX;
    DeviceMiddle::PairOnDevice best = pair;
    for (const unsigned slope : {handover_steps, 28u, 20u, 12u, 6u, 0u}) {
        pair.slope = slope;
        pair.top = (pair.groups + (pair.strips - 1) * slope + steps) / 2;
        const unsigned length = steps_of(pair, warps);
        if (length < least) least = length, best = pair;
    }
    pair = best;
}

// Blocks of a way that so many strips keep busy.
unsigned blocks_for(std::size_t strips, unsigned most) {
    unsigned blocks = 1;
    while (blocks * middle_warps < strips && blocks < most) blocks *= 2;
    return blocks;
}

std::size_t multiprocessors() {
    int device = 0, count = 0;
    cuda::check(cudaGetDevice(&device), "cudaGetDevice");
    cuda::check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "multiprocessors");
    return static_cast<std::size_t>(count);
}

// Columns of a lane: wide tiles where narrow ones need more warps than there are, for one pair or all at once.
unsigned columns_for(std::size_t pairs, std::size_t longest_text, unsigned blocks_max) {
    const std::size_t strips = (longest_text + 32 * narrow - 1) / (32 * narrow);
    const unsigned blocks = blocks_for(strips, blocks_max);
    return strips <= std::size_t{blocks} * middle_warps && pairs * 2 * blocks <= multiprocessors() ? narrow : wide;
}

// Blocks for each way, at most `blocks`, that the device has room for now in one cluster; 0: none.
unsigned room_for(unsigned blocks, unsigned columns, unsigned groups) {
    const Kernel kernel = kernel_of(columns);
    cuda::allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
    cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "clusters of 16");
    for (; blocks > 0; blocks /= 2) {
        const ClusterLaunch launch(1, blocks, columns, groups, nullptr);
        int clusters = 0;
        if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch.config) == cudaSuccess && clusters > 0) break;
        cudaGetLastError();  // a size that the device doesn't have counts as one
    }
    return blocks;
}

}  // namespace

bool DeviceMiddle::fits(const Scheme& scheme, Mode mode, Codes query, Codes text) {
    if (mode != Mode::local || scheme.alphabet != Scheme::Alphabet::dna || query.empty() || text.empty()) return false;
    if (swap_helps(query, text)) std::swap(query, text);
    return query.size() <= query_max && text.size() <= text_max && scheme.highest < 128 && scheme.lowest >= -128 &&
           scheme.gap_first < 1 << edge_bits && scheme.score_bound(query.size(), text.size()) < 1 << (31 - edge_bits) &&
           has_four_letters(query);
}

bool DeviceMiddle::available() {
    int device = 0, shared_bytes = 0;
    cuda::check(cudaGetDevice(&device), "cudaGetDevice");
    cuda::check(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
                "shared memory");
    const auto groups = static_cast<unsigned>(round_up(query_max / rows, steps));
    return layout(wide, groups).words * sizeof(Word) <= static_cast<std::size_t>(shared_bytes) &&
           cuda::has_hopper_code(kernel_of(wide)) && room_for(1, wide, groups) > 0;
}

void DeviceMiddle::prepare(std::span<const LongPair> pairs) {
    std::vector<Word> words;
    std::vector<std::size_t> queries, texts, cuts;
    std::vector<PairOnDevice> on_device(pairs.size());
    std::size_t cut_words = 0;
    extents_.clear();
    if (pairs.empty()) return;
    std::size_t longest_text = 0;
    for (const LongPair& pair : pairs)
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
    // All pairs at once with few blocks each are faster than some after the others.
    unsigned blocks = blocks_for(strips_max, blocks_max_);
    while (blocks > 1 && pairs.size() * 2 * blocks > multiprocessors()) blocks /= 2;
    blocks_ = room_for(blocks, columns_, groups_);
    if (blocks_ == 0) throw cuda::CudaError(cudaErrorLaunchOutOfResources, "a cluster of two blocks");
    found_count_ = 0;
    for (auto& extent : extents_) extent.first_found = std::exchange(found_count_, found_count_ + found_of(extent));
    cuda::upload<Word>(words_, words);
    cuts_.reserve(cut_words);
    cuda::upload<Found>(found_, std::vector<Found>(found_count_));  // strips that nothing is left of say nothing
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        PairOnDevice& pair = on_device[k];
        pair.query = words_.data() + queries[k];
        pair.text = words_.data() + texts[k];
        pair.found = found_.data() + extents_[k].first_found;
        Word* next = cuts_.data() + cuts[k];
        for (auto& side : pair.cut) {
            side.bottoms = std::exchange(next, next + extents_[k].columns);
            side.sides = std::exchange(next, next + extents_[k].rows);
            side.corners = std::exchange(next, next + pair.strips);
            side.lefts = std::exchange(next, next + pair.strips);
            next = cuts_.data() + cuts[k] + cut_words_of(pair.groups, pair.strips, columns_);
        }
        plan_cut(pair, blocks_ * middle_warps);
    }
    cuda::upload<std::byte>(pairs_, std::as_bytes(std::span(on_device)));
}

std::size_t DeviceMiddle::found_of(const Extent& extent) const {
    return 2 * (extent.strips + std::size_t{blocks_} * middle_warps);
}

void DeviceMiddle::enqueue(cudaStream_t stream) {
    if (extents_.empty()) return;
    const MiddleArguments arguments{reinterpret_cast<const PairOnDevice*>(pairs_.data()), -scheme_.gap_first,
                                    -scheme_.gap_further, 1};
    const ClusterLaunch launch(static_cast<unsigned>(extents_.size()), blocks_, columns_, groups_, stream);
    cuda::check(cudaLaunchKernelEx(&launch.config, kernel_of(columns_), arguments), "alignment of pairs by clusters");
}

std::vector<DeviceMiddle::Best> DeviceMiddle::finish_all(cudaStream_t stream) {
    std::vector<Found> found(extents_.empty() ? 0 : found_count_);
    cuda::copy_to_host(std::span(found), static_cast<const Found*>(found_.data()), stream);
    cuda::check(cudaStreamSynchronize(stream), "alignment of pairs by clusters");
    std::vector<Best> all;
    for (const auto& extent : extents_)
        all.push_back(best_of(extent, std::span(found).subspan(extent.first_found, found_of(extent))));
    return all;
}

// Of equal ones that of the way down, whose end point is known.
DeviceMiddle::Best DeviceMiddle::best_of(const Extent& extent, std::span<const Found> found) const {
    Best best;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i].score <= best.found.score) continue;
        best = {found[i], i < extent.strips};
        if (i < extent.strips || i >= 2 * std::size_t{extent.strips}) continue;
        best.found.row = extent.rows - found[i].row;
        best.found.column = extent.columns - found[i].column;
        best.found.rest = found[i].score;
    }
    return best;
}

// The rest of the alignment, on a core: it mostly is short.
EndPoint DeviceMiddle::end_of(const Extent& extent, const Best& best) const {
    const Found& found = best.found;
    if (found.score == 0) return {};
    if (best.forward) return {found.score, found.row, found.column};
    if (found.in_gap == 0) {
        const Codes query = extent.query.subspan(found.row), text = extent.text.subspan(found.column);
        for (std::size_t letters = 256;; letters *= 4) {
            const EndPoint end = align_from_start(scheme_, query.first(std::min(letters, query.size())),
                                                  text.first(std::min(letters, text.size())));
            if (end.score >= found.rest) return {found.score, found.row + end.query_end, found.column + end.text_end};
            if (letters >= std::max(query.size(), text.size())) break;
        }
    }
    return align_on_core(scheme_, Mode::local, extent.query, extent.text);
}

std::vector<EndPoint> DeviceMiddle::finish(cudaStream_t stream) {
    const std::vector<Best> all = finish_all(stream);
    std::vector<EndPoint> ends;
    for (std::size_t k = 0; k < extents_.size(); ++k) {
        ends.push_back(end_of(extents_[k], all[k]));
        if (extents_[k].swapped) std::swap(ends.back().query_end, ends.back().text_end);
    }
    return ends;
}

std::vector<std::int32_t> DeviceMiddle::finish_scores(cudaStream_t stream) {
    std::vector<std::int32_t> scores;
    for (const Best& best : finish_all(stream)) scores.push_back(best.found.score);
    return scores;
}

std::vector<EndPoint> DeviceMiddle::align(std::span<const LongPair> pairs) {
    prepare(pairs);
    const cuda::Stream stream;
    enqueue(stream);
    return finish(stream);
}

std::vector<std::int32_t> DeviceMiddle::scores(std::span<const LongPair> pairs) {
    prepare(pairs);
    const cuda::Stream stream;
    enqueue(stream);
    return finish_scores(stream);
}

std::size_t DeviceMiddle::device_bytes() const {
    return words_.bytes() + cuts_.bytes() + pairs_.bytes() + found_.bytes();
}

}  // namespace sluice::alignment
