// Published events on their way to the matcher, in order. Publishers ask for room and wait for it asynchronously;
// matching threads take batches. Bounded: has_room() is false from the bound on, and what is then pushed nevertheless
// is at most one document per I/O thread. Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "protocol/feed/event.hpp"

namespace sluice {

struct QueuedEvent {
    Event event;
    std::size_t bytes = 0;  // its share of the document
    std::chrono::steady_clock::time_point queued_at;
};

class EventQueue {
public:
    EventQueue(std::size_t events_max, std::size_t bytes_max) : events_max_(events_max), bytes_max_(bytes_max) {}

    bool has_room() const;
    // False: there is room already. Otherwise `on_room` is called once, from another thread, when there is room again
    // or the queue has been closed.
    bool wait_for_room(std::function<void()> on_room);

    // All or nothing. False: closed.
    bool push(std::vector<QueuedEvent> events);

    // Waits for events and appends a batch to `batch`: at once what is there if the queue was empty, else when there
    // are `events_max` or the first has waited for `delay`. False: closed and empty.
    bool pop(std::size_t events_max, std::chrono::microseconds delay, std::vector<Event>& batch);

    void close();
    std::size_t clear();  // drops everything queued, and says how many
    bool is_closed() const;

    std::size_t events() const;
    std::size_t bytes() const;

private:
    bool has_room_locked() const { return closed_ || (queue_.size() < events_max_ && bytes_ < bytes_max_); }
    void call_waiters(std::unique_lock<std::mutex> lock);

    const std::size_t events_max_;
    const std::size_t bytes_max_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<QueuedEvent> queue_;
    std::size_t bytes_ = 0;
    std::size_t wanted_ = 0;  // the size that a popping thread waits for; 0: none waits
    std::vector<std::function<void()>> waiters_;
    bool closed_ = false;
};

}  // namespace sluice
