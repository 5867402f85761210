// The copies that a segment has on devices, attached to the segment (cpu::Segment::attachment). Any thread may read;
// the caller must serialise writers.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "gpu/cpu/segment/segment.hpp"
#include "gpu/cuda/matching_device.hpp"

namespace sluice::cuda {

// A segment's copy on one device, and when to retry if memory was lacking.
struct CopyState {
    std::shared_ptr<const SegmentCopy> made;  // or null
    bool never = false;                       // no device can hold it
    DeviceHealth::Clock::time_point again{};
    std::chrono::milliseconds pause = DeviceHealth::pause_min;
};

CopyState copy_state(const cpu::Segment& segment, std::size_t device);
void set_copy_state(const cpu::Segment& segment, std::size_t device, std::size_t devices, CopyState state);

std::shared_ptr<const SegmentTables> copy_of(const cpu::Segment& segment, std::size_t device);  // or null
bool has_copy(const cpu::Segment& segment, std::size_t device);
// Whether it has no copy there, and may get one.
bool lacks_copy(const cpu::Segment& segment, std::size_t device);
// The number of live segments that were refused for lack of memory.
std::size_t count_refused(const std::vector<std::weak_ptr<const cpu::Segment>>& segments, std::size_t device);

}  // namespace sluice::cuda
