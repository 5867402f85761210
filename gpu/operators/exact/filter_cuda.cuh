// The production kernel's host side: groups of patterns as on the CPU, with the bitmaps of their windows' hashes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "gpu/operators/exact/device_search.cuh"
#include "gpu/operators/exact/window_group.hpp"

namespace sluice::exact {

struct DeviceEntry {
    WindowGroup::Entry entry;
    PatternShape shape;
};

struct DeviceGroup {
    WindowShape window;
    std::uint32_t bitmap_begin = 0;  // of its words
    std::uint32_t bit_shift = 0;     // of a hash, to its bit
    std::uint32_t slot_shift = 0, slot_mask = 0;
    const WindowGroup::Slot* slots = nullptr;
    const DeviceEntry* entries = nullptr;
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

    // One kernel; what it finds is added to the output, whose tally and bitmap or set must have been cleared.
    template <class Output>
    void enqueue(const BatchView& batch, const Output& output, cudaStream_t stream) const;

private:
    void upload_groups(const PatternPool& pool, std::span<const WindowGroup> groups);

    DevicePatterns patterns_;
    std::vector<cuda::DeviceBuffer<WindowGroup::Slot>> slots_;
    std::vector<cuda::DeviceBuffer<DeviceEntry>> entries_;
    cuda::DeviceBuffer<std::uint32_t> bitmap_;
    DeviceGroups groups_;
    int multiprocessors_ = 0;
};

}  // namespace sluice::exact
