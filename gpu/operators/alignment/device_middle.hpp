// Local alignments of pairs of DNA sequences of some thousand letters: too long to be a warp's work, too short to fill
// a GPU. A cluster of blocks takes a pair, from both ends at once; what counts is the way from its first cell to its
// last. Score and end point. Owned by one thread at a time; errors are exceptions (cuda::CudaError). The layout and its
// floor are in device_middle.cu.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cuda/device.hpp"
#include "gpu/operators/alignment/device_long.hpp"
#include "gpu/operators/alignment/reference.hpp"
#include "gpu/operators/alignment/scheme.hpp"

namespace sluice::alignment {

class DeviceMiddle {
public:
    // Whether a pair can be aligned so: both sequences at most text_max letters, the shorter one at most query_max and,
    // as all DNA but N, of four letters; scores that fit a byte.
    static constexpr std::size_t query_max = 8192, text_max = 32'768;
    static bool fits(const Scheme& scheme, Mode mode, Codes query, Codes text);
    // Whether the current device has clusters of blocks (Hopper and later, if there is code for it), free
    // multiprocessors for one, and room for the longest query.
    static bool available();

    // At most so many blocks for each of a pair's two ways, a power of two; fewer where the device has no room for
    // them.
    static constexpr unsigned way_blocks_max = 8;  // a cluster of 16, the most that Hopper can be asked for
    explicit DeviceMiddle(const Scheme& scheme, unsigned blocks_max = way_blocks_max)
        : scheme_(scheme), blocks_max_(blocks_max) {}

    // result[k] is that of pairs[k], as reference_align() defines it but of equal end points any; not above known_below
    // if the score isn't; and some cell's of at least stop_at if there is one. Precondition: they fit.
    std::vector<EndPoint> align(std::span<const LongPair> pairs);
    // The same without the end points, of which half are found from the other end and take a core a moment.
    std::vector<std::int32_t> scores(std::span<const LongPair> pairs);

    // The parts of align() and scores(), for those who time them.
    void prepare(std::span<const LongPair> pairs);  // the sequences have to outlive finish()
    void enqueue(cudaStream_t stream);
    std::vector<std::int32_t> finish_scores(cudaStream_t stream);  // waits
    std::vector<EndPoint> finish(cudaStream_t stream);             // waits
    std::size_t device_bytes() const;
    unsigned way_blocks() const { return blocks_; }  // that prepare() has chosen

    // How the kernel sees a pair, and the best that one of its warps finds there: where it ends, or begins, or a point
    // on its way, in the coordinates of who found it.
    struct PairOnDevice;
    struct Found {
        std::int32_t score;
        std::uint32_t row, column;
        std::int32_t rest;     // of the score, after a point on the way
        std::uint32_t in_gap;  // 1: that point is within a gap
    };

private:
    struct Extent {
        Codes query, text;
        bool swapped;
        std::size_t first_found;
        unsigned rows, columns, strips;
    };
    // The best of a pair; forward: where it ends, in the pair's coordinates.
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
    cuda::DeviceBuffer<std::uint32_t> cuts_;   // what the two ways of a pair leave where they meet
    cuda::DeviceBuffer<std::byte> pairs_;      // of PairOnDevice
    cuda::DeviceBuffer<Found> found_;
    std::size_t found_count_ = 0;
    unsigned columns_ = 0, groups_ = 0, blocks_ = 0;  // of a lane; the most of a pair; of a way's part of a cluster
};

}  // namespace sluice::alignment
