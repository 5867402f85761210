// Alignments of one pair of sequences, or some, that are too long to be a lane's or a warp's work (1,000 to tens of
// millions of letters), spread over a GPU after MASA-CUDAlign (Sandes et al., ACM TOPC 2, 2016): a wavefront of strips,
// memory linear in the lengths, blocks pruned that can't hold the best score. Score and end point; the alignment itself
// is trace.hpp's. Owned by one thread at a time, on the device that it was made on (device_slices.hpp takes several);
// errors are exceptions (cuda::CudaError). The layout and its floor are in device_long.cu.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cuda/device.hpp"
#include "gpu/operators/alignment/reference.hpp"
#include "gpu/operators/alignment/scheme.hpp"

namespace sluice::alignment {

// Rows and columns of the tile that a lane does in a step.
struct LongShape {
    unsigned rows = 0, columns = 0;  // 0: what suits

    bool operator==(const LongShape&) const = default;
};

struct LongOptions {
    bool prune = true;  // local alignments only: leave out blocks that can't reach a better score
    // What the score is known to exceed; blocks that can't are left out from the start. A result that is not above it
    // says only that the score is not above it.
    std::int32_t known_below = 0;
    std::int32_t stop_at = INT32_MAX;  // stop as soon as some cell has this score
    LongShape shape = {};              // for those who measure
};

// One pair of several.
struct LongPair {
    Codes query, text;
    std::int32_t known_below = 0, stop_at = INT32_MAX;  // as in LongOptions
};

struct LongStatistics {
    std::uint64_t tiles = 0, pruned_left = 0, pruned_right = 0;  // below and above the main diagonal
    double pruned_share() const {
        return tiles == 0 ? 0 : static_cast<double>(pruned_left + pruned_right) / static_cast<double>(tiles);
    }
};

class DeviceLong {
public:
    explicit DeviceLong(const Scheme& scheme);

    // Of equal end points any. Precondition: the lengths are not too_long().
    EndPoint align(Mode mode, Codes query, Codes text, const LongOptions& options = {});
    // The same for several pairs side by side: result[k] is pairs[k]'s.
    std::vector<EndPoint> align(Mode mode, std::span<const LongPair> pairs, bool prune = true, LongShape shape = {});
    const LongStatistics& statistics() const { return statistics_; }  // of the last call

    // The parts of align(), for those who time them.
    void prepare(Mode mode, std::span<const LongPair> pairs, bool prune, LongShape shape = {});
    void enqueue(cudaStream_t stream);
    std::vector<EndPoint> finish(cudaStream_t stream);  // waits
    std::size_t device_bytes() const;

    // Share of the blocks of strips that are done, from 0 to 1; may be asked by another thread while align() waits.
    double progress() const;

private:
    struct Extent {
        std::size_t first_result, results;
        Codes query, text;
    };

    Scheme scheme_;
    Mode mode_ = Mode::local;
    bool prune_ = true;
    LongShape shape_;
    std::vector<Extent> extents_;
    cuda::DeviceBuffer<Code> codes_;
    cuda::DeviceBuffer<std::byte> work_;  // of LongWork
    cuda::DeviceBuffer<std::uint32_t> unit_work_;
    cuda::DeviceBuffer<std::int32_t> matrix_;
    cuda::DeviceBuffer<std::byte> state_;  // what is zero at first: ticket, best scores, results, buses
    std::size_t state_bytes_ = 0, results_at_ = 0, result_count_ = 0;
    cuda::PinnedBuffer<unsigned> progress_;
    unsigned units_ = 0;
    LongStatistics statistics_;
};

}  // namespace sluice::alignment
