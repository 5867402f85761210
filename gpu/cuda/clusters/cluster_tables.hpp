// A segment's cluster rows on a device: the literals that have masks, how an event's true literals become mask bits,
// and the rows in clusters. Built by one thread; then immutable, for kernels of any stream.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/cpu/segment/segment.hpp"
#include "gpu/cuda/clusters/cluster_match.hpp"
#include "gpu/device/arena.hpp"

namespace sluice::cuda {

// The positive and negated literal of a bit family's predicate, or none. If the predicate's bit is set, the event is
// added to the first one's mask and removed from the second one's. For `!=`, whose bit stands for the opposite's core,
// it is added to both.
struct MaskPair {
    std::uint32_t positive = engine::none, negated = engine::none;
};
struct MaskRange {
    std::uint32_t attribute;  // index in ClusterMasksView::range_attributes
    std::uint32_t lo, hi;     // ranks among the attribute's bounds
    std::uint32_t literal;
    bool negated;
};
// x != c is `x exists` and not `all x are c`.
struct MaskNotEqual {
    std::uint32_t literal, exists;
    bool negated;
};

struct ClusterMasksView {
    const MaskPair* of_bit = nullptr;    // by PredicateTables::bit(); null: no cluster rows
    const std::uint8_t* full = nullptr;  // by literal: whether its mask begins with all events
    const std::uint32_t* range_attributes = nullptr;
    const MaskRange* ranges = nullptr;
    const MaskNotEqual* not_equals = nullptr;
    std::uint32_t literals = 0, stride = 0, attribute_count = 0, range_count = 0, not_equal_count = 0;
};

// A batch's memory: masks[mask_at(w, stride, literal)], positions[attribute * 1024 + event].
struct ClusterMemory {
    std::uint32_t* masks = nullptr;
    engine::NumberPosition* positions = nullptr;
};

class ClusterTables {
public:
    // Throws CudaError.
    ClusterTables(const cpu::Segment& segment, MemoryPool& memory, Uploader& uploader);

    const ClusterMasksView& view() const { return view_; }
    bool empty() const { return view_.of_bit == nullptr; }
    std::size_t mask_words(std::size_t words) const { return words * view_.stride; }
    std::size_t positions() const { return view_.attribute_count * engine::EventBatch::events_max; }

    // Enqueue the kernels before and after the access kernel, which sets the bits. begin() also sets the count of hits
    // to 0.
    void begin(std::uint32_t events, const ClusterMemory& memory, std::uint32_t* hit_count, cudaStream_t stream) const;
    void finish(std::uint32_t events, const ClusterMemory& memory, HitList hits, cudaStream_t stream) const;

private:
    ClusterMasksView view_;
    Arena arena_;
    ClusterRows rows_;
};

}  // namespace sluice::cuda
