// Many alignments at once on a GPU: two queries share the halves of a register, a group of lanes shares a text. Owned
// by one thread at a time; errors are exceptions (cuda::CudaError). The layout and its floor are in device_many.cu.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cuda/device.hpp"
#include "gpu/operators/alignment/scheme.hpp"
#include "gpu/operators/alignment/sequences.hpp"

namespace sluice::alignment {

// What a group of lanes does: one text against one query, or two. `out` are places in the scores.
struct DeviceItem {
    static constexpr std::uint32_t none = ~0u;

    std::uint32_t query[2], out[2];
};

// What a block does: items of one text, one a group.
struct DeviceChunk {
    std::uint32_t text, first_item, items, rows;  // rows of the longest query
};

// The pairs of one call, arranged for the kernels: by shape and text, queries of like lengths together. Pure.
struct DevicePlan {
    // A kernel's name: how many lanes a group has and how many letters of the text a lane, and whether lanes hold one
    // score of 32 bits instead of two of 16.
    struct Shape {
        unsigned group, columns;
        bool wide;

        bool operator==(const Shape&) const = default;
        std::size_t width() const { return std::size_t{group} * columns; }
    };
    struct Launch {
        Shape shape;
        std::vector<DeviceChunk> chunks;  // longest first
    };

    // ranks[q]: how many queries come before query q, the longest first.
    DevicePlan(const Scheme& scheme, Mode mode, const SequenceSet& queries, std::span<const std::uint32_t> ranks,
               const SequenceSet& texts, std::span<const Pair> pairs, bool wide);

    std::vector<DeviceItem> items;
    std::vector<Launch> launches;  // none is empty
    std::uint64_t cells = 0;       // of the pairs, without padding
};

// Queries stay on the device from one call to the next.
class DeviceMany {
public:
    explicit DeviceMany(const Scheme& scheme);

    void set_queries(const SequenceSet& queries);

    // scores[k] = the score of pairs[k], as reference_align() defines it. Precondition: no pair is too_long().
    void align(Mode mode, const SequenceSet& texts, std::span<const Pair> pairs, std::span<std::int32_t> scores);

    // hits[k] = 1 if the score of pairs[k] is at least thresholds[k], else 0. Computes no more than that takes: nothing
    // where no score of such lengths is enough, and otherwise until both alignments of a group are decided.
    void reaches(Mode mode, const SequenceSet& texts, std::span<const Pair> pairs,
                 std::span<const std::int32_t> thresholds, std::span<std::uint8_t> hits);

    // The parts of align(), for those who overlap or time them: prepare() copies texts and plan to the device,
    // enqueue() starts the kernels, after which scores() of size `pairs` are on the device. A score of `exceeded` did
    // not fit 16 bits: such pairs need a wide plan. With thresholds, a score is only known to reach its threshold or
    // not to.
    static constexpr std::int32_t exceeded = INT32_MIN;
    void prepare(Mode mode, const SequenceSet& texts, std::span<const Pair> pairs, bool wide,
                 std::span<const std::int32_t> thresholds = {});
    void enqueue(cudaStream_t stream);
    const std::int32_t* scores() const { return scores_.data(); }
    std::uint64_t cells() const { return cells_; }
    std::size_t device_bytes() const;

private:
    struct Launch {
        DevicePlan::Shape shape;
        const DeviceChunk* chunks;
        unsigned count, rows;
    };

    void load(Mode mode, const SequenceSet& texts, std::span<const Pair> pairs, bool wide,
              std::span<const std::int32_t> thresholds);
    std::span<const std::int32_t> run(Mode mode, const SequenceSet& texts, std::span<const Pair> pairs, bool wide,
                                      std::span<const std::int32_t> thresholds);

    Scheme scheme_;
    SequenceSet queries_;
    std::vector<std::uint32_t> ranks_;  // DevicePlan's
    unsigned multiprocessors_ = 0;
    cuda::Stream stream_;
    cuda::DeviceBuffer<Code> query_codes_;
    cuda::DeviceBuffer<std::uint32_t> query_begins_;
    cuda::DeviceBuffer<std::int16_t> matrix_;

    // Of the call: in the arena, and what it works on.
    Mode mode_ = Mode::local;
    cuda::PinnedBuffer<char> staged_;
    cuda::DeviceBuffer<char> arena_;
    const std::int32_t* thresholds_ = nullptr;  // null: none are asked for
    const Code* text_codes_ = nullptr;
    const std::uint32_t* text_begins_ = nullptr;
    const DeviceItem* items_ = nullptr;
    unsigned* tickets_ = nullptr;
    std::vector<Launch> launches_;
    std::uint64_t cells_ = 0;
    cuda::DeviceBuffer<uint2> borders_;
    cuda::DeviceBuffer<std::int32_t> scores_;
    cuda::PinnedBuffer<std::int32_t> answers_;
};

}  // namespace sluice::alignment
