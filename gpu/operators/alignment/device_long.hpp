// One alignment of two long sequences on a GPU (10,000 to tens of millions of letters), after MASA-CUDAlign (Sandes et
// al., ACM TOPC 2, 2016): a wavefront of strips, memory linear in the lengths, blocks pruned that can't hold the best
// score. Score and end point; the alignment itself is trace.hpp's. Owned by one thread at a time; errors are exceptions
// (cuda::CudaError). The layout and its floor are in device_long.cu.
#pragma once

#include <cstdint>

#include "gpu/cuda/device.hpp"
#include "gpu/operators/alignment/reference.hpp"
#include "gpu/operators/alignment/scheme.hpp"

namespace sluice::alignment {

struct LongOptions {
    bool prune = true;  // local alignments only: leave out blocks that can't reach a better score
    // What the score is known to exceed; blocks that can't are left out from the start. A result that is not above it
    // says only that the score is not above it.
    std::int32_t known_below = 0;
    std::int32_t stop_at = INT32_MAX;  // stop as soon as some cell has this score
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
    const LongStatistics& statistics() const { return statistics_; }  // of the last call

    // The parts of align(), for those who time them.
    void prepare(Mode mode, Codes query, Codes text, const LongOptions& options);
    void enqueue(cudaStream_t stream);
    EndPoint finish(cudaStream_t stream);  // waits
    std::size_t device_bytes() const;

    // Share of the rows of the last strip that are done, from 0 to 1; may be asked by another thread while align()
    // waits.
    double progress() const;

private:
    struct StripResult {
        std::int32_t score;
        std::uint32_t query_end, text_end;
        std::uint32_t pruned_left, pruned_right, unused[3];
    };
    friend struct LongArguments;

    Scheme scheme_;
    Mode mode_ = Mode::local;
    LongOptions options_;
    std::uint32_t rows_ = 0, columns_ = 0, strips_ = 0, strip_columns_ = 0;
    cuda::DeviceBuffer<Code> query_, text_;
    cuda::DeviceBuffer<std::int32_t> matrix_;
    cuda::DeviceBuffer<ulonglong2> bus_;
    cuda::DeviceBuffer<StripResult> results_;
    cuda::DeviceBuffer<unsigned> counters_;
    cuda::PinnedBuffer<unsigned> progress_;
    unsigned multiprocessors_ = 0;
    LongStatistics statistics_;
};

}  // namespace sluice::alignment
