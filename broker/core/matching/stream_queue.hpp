// One stream's events in the queue, and the stream's lane. Belongs to EventQueue; used under its lock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "protocol/feed/model/event.hpp"

namespace sluice::broker {

struct QueuedEvent {
    feed::Event event;
    std::size_t bytes = 0;  // its share of the document
    std::chrono::steady_clock::time_point queued_at;
};

using QueuedEvents = std::list<QueuedEvent>;  // a list, so that events can be moved without allocating

// Room for the events of one document.
struct Reservation {
    const feed::Document* document = nullptr;  // whose events; also names the reservation
    std::size_t events = 0, bytes = 0;
    bool wakes_later = false;  // EventQueue::Wake, for their push
    QueuedEvents nodes{};      // spare ones for the events, perhaps not enough; empty
    QueuedEvents filled{};     // the events, once they are known: then only push() touches them
};
using Reservations = std::list<Reservation>;

// Moves the first `n` nodes, or all if there are fewer, to the end of `to`.
template <typename List>
void move_nodes(List& from, std::size_t n, List& to) noexcept {
    to.splice(to.end(), from, from.begin(),
              std::next(from.begin(), static_cast<std::ptrdiff_t>(std::min(n, from.size()))));
}

// Nodes of a list to be used again: publishers would allocate them, and matching threads free them.
template <typename List>
class SpareNodes {
public:
    explicit SpareNodes(std::size_t nodes_max) : nodes_max_(nodes_max) {}

    // Takes the nodes, whatever they contain, unless there would be too many.
    void give(List& nodes) noexcept {
        if (nodes_.size() + nodes.size() <= nodes_max_) nodes_.splice(nodes_.begin(), nodes);
    }
    // Moves up to `n` nodes to the end of `to`.
    void take(std::size_t n, List& to) noexcept { move_nodes(nodes_, n, to); }

private:
    const std::size_t nodes_max_;
    List nodes_;
};

struct StreamQueue {
    using Clock = std::chrono::steady_clock;

    explicit StreamQueue(std::shared_ptr<const std::string> stream_name) : name(std::move(stream_name)) {}

    const std::shared_ptr<const std::string> name;
    std::size_t bytes = 0;

    std::uint64_t next_ticket = 0, finished_tickets = 0;  // of batches with events of the stream
    std::size_t fast_batches = 0;                         // unfinished batches of the fast lane
    Reservations reservations;                            // for events that will be pushed
    std::size_t reserved_events = 0, reserved_bytes = 0;  // by them
    bool slow = false;                                    // in the slow lane
    std::size_t slow_events_max = 1;                      // of its next batch there
    bool ready = false;                                   // in the ready list of its lane
    StreamQueue* next_ready = nullptr;                    // the next stream in that list
    std::uint64_t decided_id = 0;                         // delivered up to here, while batches are unfinished
    Clock::time_point slow_until;                         // until then in the slow lane, even without events

    std::size_t events() const { return events_.size(); }
    bool in_flight() const { return next_ticket != finished_tickets; }
    bool is_idle() const { return events() == 0 && !in_flight() && reservations.empty(); }
    std::size_t taken_events() const { return events() + reserved_events; }
    std::size_t taken_bytes() const { return bytes + reserved_bytes; }
    const QueuedEvent& front() const { return events_.front(); }

    // Moves the first event to the end of `to`.
    QueuedEvent& pop_to(QueuedEvents& to) noexcept {
        to.splice(to.end(), events_, events_.begin());
        bytes -= to.back().bytes;
        given_back_ = 0;
        return to.back();
    }
    // Inserts the events after those that earlier batches gave back, before all others.
    void give_back(QueuedEvents& events) noexcept {
        for (const QueuedEvent& event : events) bytes += event.bytes;
        const auto at = std::next(events_.begin(), static_cast<std::ptrdiff_t>(given_back_));
        given_back_ += events.size();
        events_.splice(at, events);
    }
    // Everything of the stream up to this id has been delivered. `last_id`: of the last event pushed to any stream.
    std::uint64_t decided_up_to(std::uint64_t last_id) const {
        if (in_flight()) return decided_id;
        return events() == 0 ? last_id : front().event.id - 1;
    }
    void clear() {
        events_.clear();
        bytes = 0;
        given_back_ = 0;
    }

    void push(QueuedEvents& events) noexcept {
        for (const QueuedEvent& event : events) bytes += event.bytes;
        events_.splice(events_.end(), events);
    }

private:
    QueuedEvents events_;
    std::size_t given_back_ = 0;  // number of leading events given back since the last pop()
};

// The streams that take turns: an intrusive list. Allocates nothing, so a ready stream is never lost for lack of
// memory.
class ReadyStreams {
public:
    bool empty() const { return first_ == nullptr; }
    StreamQueue& front() const { return *first_; }

    void push_back(StreamQueue& stream) {
        stream.ready = true;
        stream.next_ready = nullptr;
        (last_ == nullptr ? first_ : last_->next_ready) = &stream;
        last_ = &stream;
    }
    StreamQueue& pop_front() {
        StreamQueue& stream = *first_;
        first_ = stream.next_ready;
        if (first_ == nullptr) last_ = nullptr;
        stream.ready = false;
        return stream;
    }
    void remove(StreamQueue& stream) {
        ReadyStreams kept;
        while (!empty()) {
            StreamQueue& each = pop_front();
            if (&each != &stream) kept.push_back(each);
        }
        *this = kept;
    }
    void clear() {
        while (!empty()) pop_front();
    }
    template <typename Test>
    bool any_of(Test test) const {
        for (const StreamQueue* s = first_; s != nullptr; s = s->next_ready)
            if (test(*s)) return true;
        return false;
    }

private:
    StreamQueue* first_ = nullptr;
    StreamQueue* last_ = nullptr;
};

}  // namespace sluice::broker
