// A warp takes a strip of 32 * C columns and walks down it: lane l keeps C columns in registers and does tiles of R
// rows, one a step, l steps behind lane 0, as in device_long.cu. What is different here is that all is done to make a
// step short, as the way through the matrix takes m / R + n / C of them:
// * a cluster of blocks has a pair to itself, a warp for each quarter of a multiprocessor and no other warps. A warp
//   hands its edge to the next strip's warp through a ring in that one's shared memory, also from block to block. A
//   ring has a place for every row: nobody waits for room. Strips beyond the last warp's are the first one's again: by
//   the time that an edge comes there for the next round, that of this round is used, as it depends on it
// * an edge is a word: H, and in its lower 10 bits H - E of the next column, which is at most the cost of a gap's first
//   letter: one shuffle a row
// * the score of two letters is a dot product of bytes, the query's letter being 1 in its place of four: nothing is
//   looked up
// * rows and columns beside the pair are done like others; only who notes a best cell looks whether it is one. Before
//   the first row everything is 0, and below the last one nothing becomes better than it was
// * every V steps all lanes ask one question together, with two rare answers: the next left edges are not there yet, or
//   there is a cell better than any known. The latter is asked a step late, when it is known anyway.
// No pruning: it makes no way shorter.
//
// A cell is 3.5 ALU instructions and two on the multiply-add pipe, a row 5 and a step 8 more: 112 instructions for a
// tile of 4 x 4. As the compiler has scheduled them they should take 150 cycles, so that 4,096 x 4,096 (2,048 steps,
// and five more for each of 31 strips that wait for the one before them) would take 0.17 ms; measured: 0.26 ms, 230
// cycles a step. What takes the rest is not known; all kernels of this kind take 1.6 times what their schedule says.
// Tried and slower, in ms: tiles of 4 x 3 and 3 x 3 (0.29, 0.28); edges of two words and two shuffles (0.30); 8 steps
// between two looks (0.29) and 4 steps at a time (0.28); steps that are done in the hope that their left edges come in
// time, and again if they didn't (0.27). Memory: 4 bytes a letter, 12 a strip, and in shared memory of a block 20 a
// row.
#include <algorithm>

#include "gpu/cuda/shared_memory.hpp"
#include "gpu/operators/alignment/middle_kernel.cuh"

namespace sluice::alignment {

namespace {

// Of a tile; steps that are done together, and between two looks at what comes from the left.
constexpr unsigned rows = 4, columns = 4, steps = 8, looks = 4;
constexpr auto kernel = middle_kernel<rows, columns, steps, looks>;

MiddleLayout layout(unsigned groups) { return layout_of<rows, steps>(groups); }

std::size_t round_up(std::size_t size, std::size_t multiple) { return (size + multiple - 1) / multiple * multiple; }

bool has_four_letters(Codes codes) {
    return std::all_of(codes.begin(), codes.end(), [](Code code) { return code < 4; });
}

// Whether the text is to be the query: the shorter one, or the one that has four letters.
bool swap_helps(Codes query, Codes text) {
    const bool shorter = text.size() < query.size() || !has_four_letters(query);
    return shorter && text.size() <= DeviceMiddle::query_max && has_four_letters(text);
}

constexpr unsigned cluster_blocks_max = 8;

// As PairOnDevice has them.
void append_query(std::vector<Word>& words, Codes query, unsigned groups) {
    const std::size_t begin = words.size();
    words.resize(begin + layout(groups).rings);
    for (std::size_t i = 0; i < query.size(); ++i)
        words[begin + (slack + i / rows) * row_places<rows> + i % rows] = Word{1} << (8 * query[i]);
}
void append_text(std::vector<Word>& words, const Scheme& scheme, Codes text, unsigned strips) {
    constexpr Code n = 4;  // beside the text
    for (std::size_t j = 0; j < strips * 32 * columns; ++j) {
        const auto& scores = scheme.scores[j < text.size() ? text[j] : n];
        Word word = 0;
        for (unsigned x = 0; x < 4; ++x) word |= static_cast<Word>(scores[x] & 0xff) << (8 * x);
        words.push_back(word);
    }
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
    const std::size_t needed = layout(static_cast<unsigned>(round_up(query_max / rows, steps))).words * sizeof(Word);
    return needed <= static_cast<std::size_t>(shared_bytes) && cuda::has_hopper_code(kernel);
}

void DeviceMiddle::prepare(std::span<const LongPair> pairs) {
    std::vector<Word> words;
    std::vector<std::size_t> queries, texts;
    std::vector<PairOnDevice> on_device(pairs.size());
    extents_.clear();
    result_count_ = groups_ = blocks_ = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        Codes query = pairs[k].query, text = pairs[k].text;
        const bool swapped = swap_helps(query, text);
        if (swapped) std::swap(query, text);
        const auto groups = static_cast<unsigned>(round_up((query.size() + rows - 1) / rows, steps));
        const auto strips = static_cast<unsigned>((text.size() + 32 * columns - 1) / (32 * columns));
        queries.push_back(words.size());
        append_query(words, query, groups);
        texts.push_back(words.size());
        append_text(words, scheme_, text, strips);
        on_device[k].m = static_cast<std::uint32_t>(query.size());
        on_device[k].n = static_cast<std::uint32_t>(text.size());
        on_device[k].groups = groups;
        on_device[k].strips = strips;
        on_device[k].known_below = pairs[k].known_below;
        extents_.push_back({result_count_, strips, swapped});
        result_count_ += strips;
        groups_ = std::max(groups_, groups);
        blocks_ = std::max(blocks_, (strips + middle_warps - 1) / middle_warps);
    }
    unsigned blocks = 1;
    while (blocks < blocks_ && blocks < cluster_blocks_max) blocks *= 2;
    blocks_ = blocks;
    cuda::upload<Word>(words_, words);
    results_.reserve(result_count_);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        on_device[k].query = words_.data() + queries[k];
        on_device[k].text = words_.data() + texts[k];
        on_device[k].results = results_.data() + extents_[k].first_result;
    }
    cuda::upload<std::byte>(pairs_, std::as_bytes(std::span(on_device)));
    cuda::allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
}

void DeviceMiddle::enqueue(cudaStream_t stream) {
    if (extents_.empty()) return;
    const MiddleArguments arguments{reinterpret_cast<const PairOnDevice*>(pairs_.data()), scheme_.gap_first,
                                    scheme_.gap_further, 1};
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {blocks_, 1, 1};
    cudaLaunchConfig_t launch{};
    launch.gridDim = dim3(static_cast<unsigned>(extents_.size()) * blocks_);
    launch.blockDim = dim3(middle_threads);
    launch.dynamicSmemBytes = layout(groups_).words * sizeof(Word);
    launch.stream = stream;
    launch.attrs = &cluster;
    launch.numAttrs = 1;
    cuda::check(cudaLaunchKernelEx(&launch, kernel, arguments), "alignment of pairs by clusters");
}

std::vector<EndPoint> DeviceMiddle::finish(cudaStream_t stream) {
    std::vector<StripResult> results(result_count_);
    cuda::copy_to_host(std::span(results), static_cast<const StripResult*>(results_.data()), stream);
    cuda::check(cudaStreamSynchronize(stream), "alignment of pairs by clusters");
    std::vector<EndPoint> ends;
    for (const auto& extent : extents_) {
        EndPoint end;
        for (std::size_t i = 0; i < extent.results; ++i) {
            const auto& strip = results[extent.first_result + i];
            if (strip.score > end.score) end = {strip.score, strip.query_end, strip.text_end};
        }
        if (extent.swapped) std::swap(end.query_end, end.text_end);
        ends.push_back(end);
    }
    return ends;
}

std::vector<EndPoint> DeviceMiddle::align(std::span<const LongPair> pairs) {
    prepare(pairs);
    const cuda::Stream stream;
    enqueue(stream);
    return finish(stream);
}

std::size_t DeviceMiddle::device_bytes() const { return words_.bytes() + pairs_.bytes() + results_.bytes(); }

}  // namespace sluice::alignment
