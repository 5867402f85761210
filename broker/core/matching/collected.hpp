// The matches of a batch by subscriber: which of its filters accept which events. Filled by the fan-out, then sorted.
// Belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "broker/core/delivery/subscriber.hpp"
#include "broker/core/matching/row_permission.hpp"
#include "protocol/feed/model/event.hpp"

namespace sluice::broker {

// A subscriber's filter and an event of the batch that it accepts or leaves undecided.
struct Wanted {
    std::uint32_t event = 0;
    std::uint32_t filter = 0;
    GapReason undecided = GapReason::none;

    friend bool operator<(const Wanted& a, const Wanted& b) {
        return std::tie(a.event, a.undecided, a.filter) < std::tie(b.event, b.undecided, b.filter);
    }
    friend bool operator==(const Wanted&, const Wanted&) = default;
};

class Collected {
public:
    // Adds a subscriber and returns its place.
    std::uint32_t add(std::shared_ptr<Subscriber> subscriber) {
        subscribers_.push_back(std::move(subscriber));
        return static_cast<std::uint32_t>(subscribers_.size() - 1);
    }
    void add(std::uint32_t place, Wanted wanted) { found_.emplace_back(place, wanted); }

    // Drops what undecided filters of users with row filters left open, except events that these are sure to permit:
    // nobody else is to learn that there is such an event. `rows`: null: nothing is sure.
    void withhold_undecided(std::span<const feed::Event> events, RowPermission* rows);

    // Sorts by subscriber and in the order of the batch, which has `events` events. Nothing may be added afterwards.
    void sort(std::size_t events);

    std::size_t size() const { return subscribers_.size(); }
    // Of what was found, at most, while it is sorted.
    std::size_t memory_bytes() const {
        return found_.capacity() * sizeof(found_[0]) + (found_.size() + wanted_.size()) * sizeof(Wanted);
    }
    Subscriber& subscriber(std::size_t place) const { return *subscribers_[place]; }
    std::span<const Wanted> of(std::size_t place) const {
        return std::span(wanted_).subspan(first_[place], first_[place + 1] - first_[place]);
    }
    // Whether at least 64 filters in all found each of these events, so that many subscribers receive it.
    bool is_wide(std::span<const Wanted> wanted) const;

    // Releases everything except the subscribers.
    void forget_found() {
        release(found_);
        release(wanted_);
        release(first_);
        release(fanout_);
    }

private:
    template <class List>
    static void release(List& list) {  // assigning {} would keep its memory
        List().swap(list);
    }

    std::vector<std::shared_ptr<Subscriber>> subscribers_;
    std::vector<std::pair<std::uint32_t, Wanted>> found_;
    std::vector<Wanted> wanted_;
    std::vector<std::size_t> first_;
    std::vector<std::uint32_t> fanout_;  // number of filters that found each event; empty: few in all
};

// Those of the first one's event. `wanted` is sorted and not empty.
std::span<const Wanted> of_first_event(std::span<const Wanted> wanted);
// Whether of_event[i] is undecided and the filter neither accepts the event by another match nor has a gap for it
// already. All are of one event.
bool is_gap(std::span<const Wanted> of_event, std::size_t i);

}  // namespace sluice::broker
