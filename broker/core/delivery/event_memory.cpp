#include "broker/core/delivery/event_memory.hpp"

#include <memory>
#include <utility>

namespace sluice::broker {

namespace {

constexpr std::size_t mailboxes_share = 8;  // no subscriber is ended while mailboxes use less than 1/8 of the budget
constexpr int ended_max = 4;                // subscribers ended for one event

struct HeldEvent {
    base::MemoryCharge charge;
    SharedEvent event;  // destroyed first
};

}  // namespace

SharedEventPtr EventMemory::charged(SharedEvent event) {
    constexpr std::size_t block_bytes = 2 * sizeof(void*);  // the shared pointer's control block
    const std::size_t bytes = event.body.capacity() + sizeof(HeldEvent) + block_bytes;
    // End slow readers before publishers are refused because of them.
    const std::size_t reserve = memory_.bytes_max() / 16;
    if (memory_.used() + reserve > memory_.ceiling(base::MemoryUse::bodies)) relieve();
    base::MemoryCharge charge = memory_.charge(base::MemoryUse::mailboxes, bytes);
    for (int i = 0; !charge && i < ended_max && relieve(); ++i)
        charge = memory_.charge(base::MemoryUse::mailboxes, bytes);
    if (!charge) charge = memory_.force_charge(base::MemoryUse::mailboxes, bytes);
    const auto held = std::make_shared<HeldEvent>();
    held->charge = std::move(charge);
    held->event = std::move(event);
    return {held, &held->event};
}

bool EventMemory::relieve() {
    if (memory_.used(base::MemoryUse::mailboxes) < memory_.bytes_max() / mailboxes_share) return false;
    if (!mailboxes_.end_largest()) return false;
    count(counters_.slow_consumers);
    return true;
}

}  // namespace sluice::broker
