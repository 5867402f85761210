// A segment's scanned rows on a device: which literals have masks, how what an event makes true becomes bits of them,
// and the rows in clusters. Built by one thread; then immutable, for kernels of any stream.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/cpu/segment.hpp"
#include "gpu/cuda/arena.hpp"
#include "gpu/cuda/cluster_match.hpp"

namespace sluice::cuda {

// The literals of a bit family's predicate, or none: where its bit is set, the first one's mask gets the event, and the
// second one's loses it; of `!=`, whose bit says the opposite's core, both get it.
struct MaskPair {
    std::uint32_t positive = none, negated = none;
};
struct MaskRange {
    std::uint32_t attribute;  // in ScanView::range_attributes
    std::uint32_t lo, hi;     // ranks among the attribute's bounds
    std::uint32_t literal;
    bool negated;
};
// x != c is `x exists` without `all x are c`.
struct MaskNotEqual {
    std::uint32_t literal, exists;
    bool negated;
};

struct ScanView {
    const MaskPair* of_bit = nullptr;    // by PredicateTables::bit(); null: there are no scanned rows
    const std::uint8_t* full = nullptr;  // by literal: its mask begins with all events
    const std::uint32_t* range_attributes = nullptr;
    const MaskRange* ranges = nullptr;
    const MaskNotEqual* not_equals = nullptr;
    std::uint32_t literals = 0, stride = 0, attribute_count = 0, range_count = 0, not_equal_count = 0;
};

// A batch's memory: masks[w * stride + literal], positions[attribute * 1024 + event].
struct ScanMemory {
    std::uint32_t* masks = nullptr;
    NumberPosition* positions = nullptr;
};

class ScanTables {
public:
    // Throws CudaError.
    ScanTables(const Segment& segment, MemoryPool& memory, Uploader& uploader);

    const ScanView& view() const { return view_; }
    bool empty() const { return view_.of_bit == nullptr; }
    std::size_t mask_words(std::size_t words) const { return words * view_.stride; }
    std::size_t positions() const { return view_.attribute_count * EventBatch::events_max; }

    // Around the look-up kernel, which sets the bits: what is before it, and what is after it. begin() also sets the
    // count of hits to 0.
    void begin(std::uint32_t events, const ScanMemory& memory, std::uint32_t* hit_count, cudaStream_t stream) const;
    void finish(std::uint32_t events, const ScanMemory& memory, HitList hits, cudaStream_t stream) const;

private:
    ScanView view_;
    Arena arena_;
    ClusterRows rows_;
    Claim rows_claim_;  // for their memory
};

}  // namespace sluice::cuda
