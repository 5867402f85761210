// Aligns many pairs at once on a GPU: two queries share the halves of a register, a group of lanes shares a text. Owned
// by one thread at a time; errors are exceptions (cuda::CudaError). lane_group_kernel.cu describes the layout and its
// performance floor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/operators/alignment/cuda/lane_group_plan.hpp"
#include "gpu/operators/alignment/scheme/scheme.hpp"
#include "gpu/operators/alignment/scheme/sequences.hpp"

namespace sluice::alignment {

// The queries stay on the device between calls.
class LaneGroupAligner {
public:
    explicit LaneGroupAligner(const Scheme& scheme);

    void set_queries(const SequenceSet& queries);

    // scores[k] = the score of pairs[k] as defined by reference_align(). Precondition: no pair is too_long().
    void align(Mode mode, const SequenceSet& texts, std::span<const Pair> pairs, std::span<std::int32_t> scores);

    // hits[k] = 1 if the score of pairs[k] is at least thresholds[k], else 0. Computes no more than necessary: nothing
    // if the lengths rule the threshold out, else until both alignments of a group are decided.
    void reaches(Mode mode, const SequenceSet& texts, std::span<const Pair> pairs,
                 std::span<const std::int32_t> thresholds, std::span<std::uint8_t> hits);

    // The steps of align(), for callers that overlap or time them. prepare() copies texts and plan to the device;
    // enqueue() starts the kernels. Once these finish, `pairs.size()` scores() are on the device. A score of `exceeded`
    // did not fit 16 bits: such a pair needs a wide plan. With thresholds, a score only shows whether it reaches its
    // threshold.
    static constexpr std::int32_t exceeded = LaneGroupPlan::exceeded;
    void prepare(Mode mode, const SequenceSet& texts, std::span<const Pair> pairs, bool wide,
                 std::span<const std::int32_t> thresholds = {});
    void enqueue(cudaStream_t stream);
    const std::int32_t* scores() const { return scores_.data(); }
    std::uint64_t cells() const { return cells_; }
    std::size_t device_bytes() const;

private:
    struct Launch {
        LaneGroupPlan::Shape shape;
        const LaneGroupChunk* chunks;
        unsigned count, rows;
    };

    void load(Mode mode, const SequenceSet& texts, std::span<const Pair> pairs, bool wide,
              std::span<const std::int32_t> thresholds);
    std::span<const std::int32_t> run(Mode mode, const SequenceSet& texts, std::span<const Pair> pairs, bool wide,
                                      std::span<const std::int32_t> thresholds);

    Scheme scheme_;
    SequenceSet queries_;
    std::vector<std::uint32_t> ranks_;  // as LaneGroupPlan takes them
    unsigned multiprocessors_ = 0;
    cuda::Stream stream_;
    cuda::DeviceBuffer<Code> query_codes_;
    cuda::DeviceBuffer<std::uint32_t> query_begins_;
    cuda::DeviceBuffer<std::int16_t> matrix_;

    // State of the current call; the pointers are into the arena.
    Mode mode_ = Mode::local;
    cuda::PinnedBuffer<char> staged_;
    cuda::DeviceBuffer<char> arena_;
    const std::int32_t* thresholds_ = nullptr;  // null: no thresholds
    const Code* text_codes_ = nullptr;
    const std::uint32_t* text_begins_ = nullptr;
    const LaneGroupItem* items_ = nullptr;
    unsigned* tickets_ = nullptr;
    std::vector<Launch> launches_;
    std::uint64_t cells_ = 0;
    cuda::DeviceBuffer<uint2> borders_;
    cuda::DeviceBuffer<std::int32_t> scores_;
    cuda::PinnedBuffer<std::int32_t> answers_;
};

}  // namespace sluice::alignment
