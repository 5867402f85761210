// A warp takes a strip of 32 * C columns and moves down it: lane l keeps C columns (H and F) in registers and computes
// tiles of R rows, one tile per step, l steps behind lane 0 (cell delegation: all lanes are always busy). The right
// edge of its rows goes to the next lane by shuffle. Four adjacent strips belong to a block, one warp for each quarter
// of a multiprocessor. Lane 31 hands its edge to the next strip through a ring in shared memory. A place of the ring is
// either empty or holds one row's edge, so the warps need no other communication. A fifth warp fills the first strip's
// ring from the bus in device memory, one element per row. A sixth writes the last strip's edge to the same places:
// block b reads row r of the bus and overwrites it some steps later. An element of the bus holds H, the difference of H
// and E, and the number of the block it is for, so its reader can see when it has arrived. It is read and written as 8
// bytes at once, so neither fences nor a grid barrier are needed. Blocks are handed out in order, so none waits for a
// block that has not started. Several pairs can run side by side.
//
// Pruning, every 16 steps: the rest of a strip depends only on its last row and on what comes from the left. If the
// largest of these values plus a match for every remaining row and column does not exceed the best score so far, the
// rows are skipped and zeros sent on. Zeros are valid lower bounds, and no path through a skipped cell can exceed the
// best, so score and end point remain correct.
//
// One cell takes 3.5 ALU instructions and two on the multiply-add pipe: d (IMAD), H = max(d, E, F, 0) (VIMNMX3), t = H
// - first (IMAD), E and F (VIADDMNMX each), half a VIMNMX3 for the best. Floor on an H100 if all warps are busy: 64 ALU
// lanes a clock on 132 multiprocessors at 1.98 GHz: 4.8 TCUPS. Measured: 1.83 without pruning on 1 Mbp x 1 Mbp with
// tiles of 4 x 8 and two blocks per multiprocessor (1.54 with one, which has more registers). A single pair is bound by
// the critical path from its first cell to its last: m / R + n / C steps, each as long as a tile takes a warp that has
// its quarter to itself; two blocks do not help there. Measured with 4,096 x 4,096, in cycles at 1.98 GHz
// (two_way_aligner.cu is faster for such pairs):
//   tile    steps   cycles a step   ms
//   2 x 2   4,096   321             0.66
//   2 x 4   3,072   350             0.54
//   4 x 4   2,048   558             0.58
//   4 x 8   1,536   749             0.58
// Memory: 8 bytes per row, 1 per letter and 32 per strip. Traffic: 16 bytes per row and block, at most 0.03 per cell.
#include <algorithm>
#include <cstring>

#include "gpu/device/shared_memory.hpp"
#include "gpu/operators/alignment/cuda/wavefront_aligner.hpp"
#include "gpu/operators/alignment/cuda/wavefront_kernel.cuh"
#include "gpu/operators/alignment/cuda/wavefront_launch.hpp"

namespace sluice::alignment {

namespace {

constexpr std::int32_t null_score = -1024;  // of padding

using Kernel = void (*)(WavefrontArguments);

struct ShapeKernels {
    TileShape shape;
    Kernel local, global;
};

template <unsigned R, unsigned C, unsigned blocks>
ShapeKernels kernels_of() {
    return {{R, C}, wavefront_kernel<true, R, C, blocks>, wavefront_kernel<false, R, C, blocks>};
}

// The fastest for one pair, and the one with the highest throughput on a full device.
const ShapeKernels shapes[] = {kernels_of<2, 4, 0>(), kernels_of<4, 8, 2>()};

Kernel kernel_for(Mode mode, TileShape shape) {
    const auto& kernels =
        *std::find_if(std::begin(shapes), std::end(shapes), [&](const auto& s) { return s.shape == shape; });
    return mode == Mode::local ? kernels.local : kernels.global;
}

std::size_t shared_bytes(TileShape shape, unsigned letters) {
    return std::size_t{strip_warps} * (letters + 1) * 32 * shape.columns * sizeof(int);
}

}  // namespace

TileShape tile_shape_for(std::uint64_t columns) { return columns <= 100'000 ? TileShape{2, 4} : TileShape{4, 8}; }

std::vector<std::int32_t> padded_matrix(const Scheme& scheme) {
    const auto letters = static_cast<std::size_t>(scheme.letters);
    std::vector<std::int32_t> matrix(matrix_rows * matrix_rows, null_score);
    for (std::size_t x = 0; x < letters; ++x) {
        for (std::size_t y = 0; y < letters; ++y) matrix[x * matrix_rows + y] = scheme.scores[x][y];
    }
    return matrix;
}

void append_query(std::vector<Code>& codes, Codes query, TileShape shape, Code padding) {
    const std::size_t rows = padded(query.size(), row_multiple(shape)), begin = codes.size();
    codes.resize(begin + groups_before * shape.rows, padding);
    codes.insert(codes.end(), query.begin(), query.end());
    codes.resize(begin + (groups_before + groups_after) * shape.rows + rows, padding);
}

unsigned resident_blocks(Mode mode, TileShape shape, unsigned letters) {
    const Kernel kernel = kernel_for(mode, shape);
    cuda::allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
    int blocks = 0, device = 0, multiprocessors = 0;
    cuda::check(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block_threads, shared_bytes(shape, letters)),
        "occupancy");
    cuda::check(cudaGetDevice(&device), "cudaGetDevice");
    cuda::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
                "cudaDeviceGetAttribute");
    return static_cast<unsigned>(blocks * multiprocessors);
}

void launch_wavefront(Mode mode, TileShape shape, const WavefrontArguments& arguments, unsigned resident,
                      cudaStream_t stream) {
    const std::size_t shared = shared_bytes(shape, arguments.letters);
    kernel_for(mode, shape)<<<std::min(arguments.units, resident), block_threads, shared, stream>>>(arguments);
    cuda::check_launch("alignment of long pairs");
}

void add_results(Mode mode, std::span<const StripResult> results, EndPoint& end, PruneStatistics& statistics) {
    for (const auto& strip : results) {
        statistics.pruned_left += strip.pruned_left;
        statistics.pruned_right += strip.pruned_right;
        const bool better = mode == Mode::local ? strip.score > end.score : strip.text_end != 0;
        if (better) end = {strip.score, strip.query_end, strip.text_end};
    }
}

std::uint64_t count_tiles(TileShape shape, std::size_t m, std::size_t n) {
    const std::size_t width = 32 * shape.columns;
    return (n + width - 1) / width * (padded(m, row_multiple(shape)) / row_multiple(shape));
}

WavefrontAligner::WavefrontAligner(const Scheme& scheme) : scheme_(scheme), progress_(1) {
    cuda::upload<std::int32_t>(matrix_, padded_matrix(scheme));
}

void WavefrontAligner::prepare(Mode mode, std::span<const SequencePair> pairs, bool prune, TileShape shape) {
    mode_ = mode;
    prune_ = prune;
    std::uint64_t columns = 0;
    for (const auto& pair : pairs) columns += pair.text.size();
    shape_ = shape == TileShape{} ? tile_shape_for(columns) : shape;
    const auto padding = static_cast<Code>(scheme_.letters);

    // Pointers remain offsets until all sizes are known.
    std::vector<WavefrontWork> work(pairs.size());
    std::vector<std::size_t> queries(pairs.size()), texts(pairs.size()), buses(pairs.size());
    std::vector<std::uint32_t> unit_work;
    std::vector<Code> codes;
    extents_.clear();
    result_count_ = 0;
    std::size_t bus_rows = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto& pair = pairs[k];
        const bool empty = pair.query.empty() || pair.text.empty();
        const std::size_t rows = padded(pair.query.size(), row_multiple(shape_));
        const std::size_t blocks = empty ? 0 : padded(pair.text.size(), block_columns(shape_)) / block_columns(shape_);
        queries[k] = codes.size();
        if (!empty) append_query(codes, pair.query, shape_, padding);
        texts[k] = codes.size();
        if (!empty) {
            codes.insert(codes.end(), pair.text.begin(), pair.text.end());
            codes.resize(texts[k] + blocks * block_columns(shape_), padding);
        }
        buses[k] = bus_rows;
        bus_rows += blocks > 1 ? rows : 0;
        work[k].m = static_cast<std::uint32_t>(pair.query.size());
        work[k].n = static_cast<std::uint32_t>(pair.text.size());
        work[k].groups = static_cast<std::uint32_t>(rows / shape_.rows);
        work[k].blocks = static_cast<std::uint32_t>(blocks);
        work[k].first_unit = static_cast<std::uint32_t>(unit_work.size());
        // Global alignments always run to the end, unless the host ends them through the best score.
        work[k].known_below = mode == Mode::local ? pair.known_below : 0;
        work[k].stop_at = mode == Mode::local ? pair.stop_at : INT32_MAX;
        unit_work.resize(unit_work.size() + blocks, static_cast<std::uint32_t>(k));
        extents_.push_back({result_count_, blocks * strip_warps, pair.query, pair.text});
        result_count_ += blocks * strip_warps;
    }
    units_ = static_cast<unsigned>(unit_work.size());
    const std::size_t bests_at = 64;
    results_at_ = padded(bests_at + pairs.size() * 2 * sizeof(int), 64);
    const std::size_t buses_at = results_at_ + result_count_ * sizeof(StripResult);
    state_bytes_ = buses_at + bus_rows * sizeof(Edge);
    state_.reserve(state_bytes_);
    cuda::upload<Code>(codes_, codes);
    cuda::upload<std::uint32_t>(unit_work_, unit_work);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        work[k].query = codes_.data() + queries[k];
        work[k].text = codes_.data() + texts[k];
        work[k].bus = reinterpret_cast<Edge*>(state_.data() + buses_at) + buses[k];
        work[k].results = reinterpret_cast<StripResult*>(state_.data() + results_at_) + extents_[k].first_result;
        work[k].best = reinterpret_cast<int*>(state_.data() + bests_at) + 2 * k;
    }
    cuda::upload<std::byte>(work_, std::as_bytes(std::span(work)));
    progress_[0] = 0;
}

void WavefrontAligner::enqueue(cudaStream_t stream) {
    if (units_ == 0) return;
    cuda::check(cudaMemsetAsync(state_.data(), 0, state_bytes_, stream), "cudaMemsetAsync");
    const WavefrontArguments arguments{
        .work = reinterpret_cast<const WavefrontWork*>(work_.data()),
        .unit_work = unit_work_.data(),
        .ticket = reinterpret_cast<unsigned*>(state_.data()),
        .matrix = matrix_.data(),
        .progress = progress_.data(),
        .units = units_,
        .letters = static_cast<unsigned>(scheme_.letters),
        .gap_first = scheme_.gap_first,
        .gap_further = scheme_.gap_further,
        .highest = scheme_.highest,
        .prune = prune_,
        .one = 1,
    };
    launch_wavefront(mode_, shape_, arguments, resident_blocks(mode_, shape_, arguments.letters), stream);
}

std::vector<EndPoint> WavefrontAligner::finish(cudaStream_t stream) {
    std::vector<StripResult> results(result_count_);
    cuda::copy_to_host(std::span(results), reinterpret_cast<const StripResult*>(state_.data() + results_at_), stream);
    cuda::check(cudaStreamSynchronize(stream), "alignment of long pairs");
    statistics_ = {};
    std::vector<EndPoint> ends;
    for (const auto& extent : extents_) {
        EndPoint end;
        if (extent.results == 0) {
            end = reference_align(scheme_, mode_, extent.query, extent.text);
        } else {
            statistics_.tiles += count_tiles(shape_, extent.query.size(), extent.text.size());
        }
        add_results(mode_, std::span(results).subspan(extent.first_result, extent.results), end, statistics_);
        ends.push_back(end);
    }
    return ends;
}

std::vector<EndPoint> WavefrontAligner::align(Mode mode, std::span<const SequencePair> pairs, bool prune,
                                              TileShape shape) {
    prepare(mode, pairs, prune, shape);
    const cuda::Stream stream;
    enqueue(stream);
    return finish(stream);
}

EndPoint WavefrontAligner::align(Mode mode, Codes query, Codes text, const WavefrontOptions& options) {
    const SequencePair pair{query, text, options.known_below, options.stop_at};
    return align(mode, std::span(&pair, 1), options.prune, options.shape).front();
}

double WavefrontAligner::progress() const {
    return units_ == 0 ? 0 : static_cast<double>(*static_cast<volatile unsigned*>(progress_.data())) / units_;
}

std::size_t WavefrontAligner::device_bytes() const {
    return codes_.bytes() + work_.bytes() + unit_work_.bytes() + matrix_.bytes() + state_.bytes();
}

}  // namespace sluice::alignment
