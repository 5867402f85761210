#include "gpu/cuda/segment_copies.hpp"

#include <algorithm>
#include <utility>

namespace sluice::cuda {

namespace {

using States = std::vector<CopyState>;  // by device

std::shared_ptr<const States> states_of(const cpu::Segment& segment) {
    return std::static_pointer_cast<const States>(segment.attachment().get());
}

}  // namespace

CopyState copy_state(const cpu::Segment& segment, std::size_t device) {
    const auto states = states_of(segment);
    return states ? (*states)[device] : CopyState{};
}

void set_copy_state(const cpu::Segment& segment, std::size_t device, std::size_t devices, CopyState state) {
    const auto old = states_of(segment);
    auto states = old ? std::make_shared<States>(*old) : std::make_shared<States>();
    states->resize(devices);
    (*states)[device] = std::move(state);
    segment.attachment().set(std::move(states));
}

std::shared_ptr<const SegmentTables> copy_of(const cpu::Segment& segment, std::size_t device) {
    const auto states = states_of(segment);
    return states && (*states)[device].made ? (*states)[device].made->tables() : nullptr;
}

bool has_copy(const cpu::Segment& segment, std::size_t device) { return copy_of(segment, device) != nullptr; }

bool lacks_copy(const cpu::Segment& segment, std::size_t device) {
    return !has_copy(segment, device) && !copy_state(segment, device).never;
}

std::size_t count_refused(const std::vector<std::weak_ptr<const cpu::Segment>>& segments, std::size_t device) {
    return static_cast<std::size_t>(std::count_if(segments.begin(), segments.end(), [device](const auto& weak) {
        const auto segment = weak.lock();
        if (!segment) return false;
        const CopyState state = copy_state(*segment, device);
        return state.never || (state.again != DeviceHealth::Clock::time_point{} && !has_copy(*segment, device));
    }));
}

}  // namespace sluice::cuda
