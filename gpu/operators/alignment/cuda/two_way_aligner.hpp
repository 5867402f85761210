// Local alignments of pairs of DNA sequences of some thousand letters: too long for one warp, too short to fill a GPU.
// A cluster of blocks aligns a pair from both ends at once; the critical path from the first cell to the last decides
// the time. Returns score and end point. Owned by one thread at a time; errors are exceptions (cuda::CudaError).
// two_way_aligner.cu describes the layout and its performance floor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/operators/alignment/cuda/two_way_found.hpp"
#include "gpu/operators/alignment/cuda/wavefront_aligner.hpp"
#include "gpu/operators/alignment/scheme/reference.hpp"
#include "gpu/operators/alignment/scheme/scheme.hpp"

namespace sluice::alignment {

class TwoWayAligner {
public:
    // Whether a pair can be aligned this way: local, DNA, both sequences at most text_max letters, the shorter one at
    // most query_max and without N, and scores that fit a byte.
    static constexpr std::size_t query_max = 8192, text_max = 32'768;
    static bool fits(const Scheme& scheme, Mode mode, Codes query, Codes text);
    // Whether the current device has clusters of blocks (Hopper and later, if there is code for it), free
    // multiprocessors for one, and room for the longest query.
    static bool available();

    // The most blocks for each of a pair's two directions, a power of two; fewer if the device has no room for them.
    static constexpr unsigned way_blocks_max = 8;  // a cluster of 16, the most that Hopper allows
    explicit TwoWayAligner(const Scheme& scheme, unsigned blocks_max = way_blocks_max)
        : scheme_(scheme), blocks_max_(blocks_max) {}

    // result[k] is that of pairs[k] as defined by reference_align(), except that any of several equal end points may be
    // returned, that it is at most known_below if the score is, and that any cell of at least stop_at may be returned
    // if there is one. Precondition: all pairs fit.
    std::vector<EndPoint> align(std::span<const SequencePair> pairs);
    // The same without the end points. Half of those are found from the other end, which takes a CPU core some time.
    std::vector<std::int32_t> scores(std::span<const SequencePair> pairs);

    // The steps of align() and scores(), for callers that time them.
    void prepare(std::span<const SequencePair> pairs);  // the sequences must outlive finish()
    void enqueue(cudaStream_t stream);
    std::vector<std::int32_t> finish_scores(cudaStream_t stream);  // waits for the stream
    std::vector<EndPoint> finish(cudaStream_t stream);             // waits for the stream
    std::size_t device_bytes() const;
    unsigned way_blocks() const { return blocks_; }  // as chosen by prepare()

private:
    using Found = TwoWayFound;
    struct Extent {
        Codes query, text;
        bool swapped;
        std::size_t first_found;
        unsigned rows, columns, strips;
    };
    // The best of a pair. If `forward`, `found` is where it ends, in the pair's coordinates.
    struct Best {
        Found found{};
        bool forward = true;
    };

    std::size_t found_of(const Extent& extent) const;
    Best best_of(const Extent& extent, std::span<const Found> found) const;
    EndPoint end_of(const Extent& extent, const Best& best) const;
    std::vector<Best> finish_all(cudaStream_t stream);

    Scheme scheme_;
    unsigned blocks_max_;
    std::vector<Extent> extents_;
    cuda::DeviceBuffer<std::uint32_t> words_;  // of queries and texts
    cuda::DeviceBuffer<std::uint32_t> cuts_;   // what the two directions of a pair leave where they meet
    cuda::DeviceBuffer<std::byte> pairs_;      // TwoWayPair
    cuda::DeviceBuffer<Found> found_;
    std::size_t found_count_ = 0;
    unsigned columns_ = 0, groups_ = 0, blocks_ = 0;  // per lane; the most of a pair; per direction of a cluster
};

}  // namespace sluice::alignment
