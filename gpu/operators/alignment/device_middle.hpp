// Local alignments of pairs of DNA sequences of some thousand letters: too long to be a warp's work, too short to fill
// a GPU. A cluster of blocks takes a pair; what counts is the way from its first cell to its last. Score and end point.
// Owned by one thread at a time; errors are exceptions (cuda::CudaError). The layout and its floor are in
// device_middle.cu.
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
    // Whether the current device has clusters of blocks (Hopper and later, if there is code for it), and room for the
    // longest query.
    static bool available();

    explicit DeviceMiddle(const Scheme& scheme) : scheme_(scheme) {}

    // result[k] is that of pairs[k], as reference_align() defines it but of equal end points any, or not above
    // known_below if the score isn't. stop_at is not looked at. Precondition: they fit.
    std::vector<EndPoint> align(std::span<const LongPair> pairs);

    // The parts of align(), for those who time them.
    void prepare(std::span<const LongPair> pairs);
    void enqueue(cudaStream_t stream);
    std::vector<EndPoint> finish(cudaStream_t stream);  // waits
    std::size_t device_bytes() const;

    // How the kernel sees a pair, and what it finds in a strip.
    struct PairOnDevice;
    struct StripResult {
        std::int32_t score;
        std::uint32_t query_end, text_end;
    };

private:
    struct Extent {
        std::size_t first_result, results;
        bool swapped;
    };

    Scheme scheme_;
    std::vector<Extent> extents_;
    cuda::DeviceBuffer<std::uint32_t> words_;  // of queries and texts
    cuda::DeviceBuffer<std::byte> pairs_;      // of PairOnDevice
    cuda::DeviceBuffer<StripResult> results_;
    std::size_t result_count_ = 0;
    unsigned groups_ = 0, blocks_ = 0;  // the most of a pair
};

}  // namespace sluice::alignment
