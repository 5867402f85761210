// The host side of the production kernel: groups of patterns as on the CPU, with bitmaps of their windows' hashes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "gpu/operators/substrings/window_group.hpp"
#include "gpu/tools/search/device_search.cuh"

namespace sluice::substrings {

// A pattern in the open-addressing table of its group, at (hash >> slot_shift) or later. Patterns with the same hash
// follow each other in probing order; a slot with an empty pattern is free.
struct alignas(16) DeviceSlot {
    static constexpr std::uint32_t last_flag = 0x80000000u;

    std::uint32_t hash = 0;
    std::uint32_t pattern = 0;
    std::uint32_t begin = 0;  // of its bytes, in units of 16
    // 17 bits of length, from bit 19 on 9 of the window's offset; and last_flag, if no other of this hash follows.
    std::uint32_t rest = 0;

    DeviceSlot() = default;
    DeviceSlot(std::uint32_t of_hash, const WindowGroup::Entry& entry, const PatternShape& shape, bool last)
        : hash(of_hash),
          pattern(entry.pattern),
          begin(shape.begin),
          rest(shape.length | (entry.offset & ~WindowGroup::last_flag) << 19 | (last ? last_flag : 0)) {}

    SLUICE_HOST_DEVICE std::uint32_t length() const { return rest & 0x1ffff; }
    SLUICE_HOST_DEVICE std::uint32_t offset() const { return (rest >> 19) & 0x1ff; }
    SLUICE_HOST_DEVICE bool last() const { return (rest & last_flag) != 0; }
    SLUICE_HOST_DEVICE PatternShape shape() const { return {begin, length()}; }
};

struct DeviceGroup {
    WindowShape window;
    std::uint32_t bitmap_begin = 0;  // offset of its first word
    std::uint32_t bit_shift = 0;     // shifts a hash to its bit
    std::uint32_t slot_shift = 0, slot_mask = 0;
    const uint4* slots = nullptr;  // DeviceSlots, each read in one access
};

struct DeviceGroups {
    static constexpr int groups_max = 6;

    DeviceGroup group[groups_max];
    int groups = 0;
    const std::uint32_t* bitmap = nullptr;
    std::uint32_t bitmap_words = 0;  // a multiple of 4
};

class CudaFilter {
public:
    CudaFilter(const PatternPool& pool, std::span<const std::string_view> sample);

    // Starts one kernel. Its findings are added to the output, whose tally and bitmap or set must have been cleared.
    template <class Output>
    void enqueue(const BatchView& batch, const Output& output, cudaStream_t stream) const;

private:
    void upload_groups(const PatternPool& pool, std::span<const WindowGroup> groups);

    DevicePatterns patterns_;
    std::vector<cuda::DeviceBuffer<DeviceSlot>> slots_;
    cuda::DeviceBuffer<std::uint32_t> bitmap_;
    DeviceGroups groups_;
    int multiprocessors_ = 0;
};

}  // namespace sluice::substrings
