// The slots of a set's subscriptions: whether a slot is taken, its generation, and where its subscription is. Belongs
// to the set's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <new>
#include <string>

#include "gpu/api/matcher.hpp"

namespace sluice::cpu {

// Removals continue without memory. Returns false if one can't be noted.
template <class List, class What>
bool note(List& list, What what) noexcept {
    try {
        list.push_back(what);
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

class SlotTable {
public:
    // Where a subscription is: its number in the builder, or one of these.
    static constexpr std::uint32_t vacant = engine::none, in_segment = engine::none - 1;

    explicit SlotTable(std::uint64_t slots_max) : slots_max_(slots_max) {}

    std::size_t size() const { return size_; }  // slots taken

    // Takes a slot; throws engine::LimitError if there is none. place(id) returns the subscription's number in the
    // builder; if it throws, the slot stays free.
    template <class Place>
    engine::SubscriptionId add(Place place) {
        const bool reuse = !free_.empty();
        if (!reuse && slots_.size() >= slots_max_)
            throw engine::LimitError("a set has at most " + std::to_string(slots_max_) + " slots for subscriptions");
        const auto slot = reuse ? free_.back() : static_cast<std::uint32_t>(slots_.size());
        if (!reuse) slots_.emplace_back();
        const engine::SubscriptionId id{slot, slots_[slot].generation};
        try {
            slots_[slot].place = place(id);
        } catch (...) {
            if (!reuse) note(free_, slot);  // or it is not used again
            throw;
        }
        if (reuse) free_.pop_back();
        ++size_;
        return id;
    }

    // Returns vacant if the subscription is not in the set.
    std::uint32_t place(engine::SubscriptionId id) const {
        if (id.slot >= slots_.size() || slots_[id.slot].generation != id.generation) return vacant;
        return slots_[id.slot].place;
    }
    // The subscription must be in the set.
    void remove(engine::SubscriptionId id) {
        slots_[id.slot] = {id.generation + 1, vacant};
        note(free_, id.slot);
        --size_;
    }

    // Notes that the subscription, which must be in the set, has moved.
    void put(engine::SubscriptionId id, std::uint32_t place) noexcept { slots_[id.slot].place = place; }

private:
    struct Slot {
        std::uint32_t generation = 0;
        std::uint32_t place = vacant;
    };

    const std::uint64_t slots_max_;
    std::deque<Slot> slots_;  // a deque, which grows without moving its elements
    std::deque<std::uint32_t> free_;
    std::size_t size_ = 0;
};

}  // namespace sluice::cpu
