// Aligns one or several pairs of sequences that are too long for a lane or a warp (1,000 to tens of millions of
// letters), spread over a GPU after MASA-CUDAlign (Sandes et al., ACM TOPC 2, 2016): a wavefront of strips, memory
// linear in the lengths, and pruning of blocks that cannot hold the best score. Returns score and end point; trace.hpp
// finds the alignment itself. Owned by one thread at a time, on the device where it was created
// (multi_device_aligner.hpp takes several); errors are exceptions (cuda::CudaError). wavefront_aligner.cu describes the
// layout and its performance floor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/operators/alignment/cuda/wavefront_tiles.hpp"
#include "gpu/operators/alignment/scheme/reference.hpp"
#include "gpu/operators/alignment/scheme/scheme.hpp"

namespace sluice::alignment {

struct WavefrontOptions {
    bool prune = true;  // local alignments only: skip blocks that cannot reach a better score
    // A bound that the score must exceed to matter; blocks that cannot exceed it are pruned from the start. A result
    // that is not above it only shows that the score is not above it.
    std::int32_t known_below = 0;
    std::int32_t stop_at = INT32_MAX;  // stop as soon as some cell has this score
    TileShape shape = {};              // for measurements
};

// One pair of several.
struct SequencePair {
    Codes query, text;
    std::int32_t known_below = 0, stop_at = INT32_MAX;  // as in WavefrontOptions
};

class WavefrontAligner {
public:
    explicit WavefrontAligner(const Scheme& scheme);

    // Any of several equal end points may be returned. Precondition: the lengths are not too_long().
    EndPoint align(Mode mode, Codes query, Codes text, const WavefrontOptions& options = {});
    // The same for several pairs side by side: result[k] is the end point of pairs[k].
    std::vector<EndPoint> align(Mode mode, std::span<const SequencePair> pairs, bool prune = true,
                                TileShape shape = {});
    const PruneStatistics& statistics() const { return statistics_; }  // of the last call

    // The steps of align(), for callers that time them.
    void prepare(Mode mode, std::span<const SequencePair> pairs, bool prune, TileShape shape = {});
    void enqueue(cudaStream_t stream);
    std::vector<EndPoint> finish(cudaStream_t stream);  // waits for the stream
    std::size_t device_bytes() const;

    // The share of the blocks of strips that are done, from 0 to 1. Another thread may call this while align() waits.
    double progress() const;

private:
    struct Extent {
        std::size_t first_result, results;
        Codes query, text;
    };

    Scheme scheme_;
    Mode mode_ = Mode::local;
    bool prune_ = true;
    TileShape shape_;
    std::vector<Extent> extents_;
    cuda::DeviceBuffer<Code> codes_;
    cuda::DeviceBuffer<std::byte> work_;  // WavefrontWork
    cuda::DeviceBuffer<std::uint32_t> unit_work_;
    cuda::DeviceBuffer<std::int32_t> matrix_;
    cuda::DeviceBuffer<std::byte> state_;  // initially zero: ticket, best scores, results, buses
    std::size_t state_bytes_ = 0, results_at_ = 0, result_count_ = 0;
    cuda::PinnedBuffer<unsigned> progress_;
    unsigned units_ = 0;
    PruneStatistics statistics_;
};

}  // namespace sluice::alignment
