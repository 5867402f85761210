// Published events on their way to the matcher: in order within a stream and in turn between streams, so that a stream
// with much to match does not hold up the others. Publishers reserve room and wait for it asynchronously. Matching
// threads take batches and finish them. Any thread.
//
// There are two lanes. The fast lane mixes the events of many streams in a batch. A stream whose events take too long
// there moves to the slow lane for some time, where other threads match each stream separately.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/core/matching/queued_batch.hpp"
#include "broker/core/matching/short_waits.hpp"
#include "broker/core/matching/stream_lanes.hpp"
#include "broker/core/matching/stream_queue.hpp"
#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/record.hpp"

namespace sluice::broker {

class EventQueue {
public:
    static constexpr std::size_t batch_bytes_max = StreamLanes::batch_bytes_max;
    // With more than this, a push wakes at once, whatever was said.
    static constexpr std::size_t late_events_max = 32, late_bytes_max = 128u << 10;

    // When a push wakes a matching thread that sleeps. Later: for a thread that is about to push more, and calls wake()
    // or pop_or_wake() then, which it must do soon.
    enum class Wake : std::uint8_t { now, later };

    EventQueue(std::size_t events_max, std::size_t bytes_max) : events_max_(events_max), bytes_max_(bytes_max) {}

    // Room for the events of one document, from before their append to the log until they are pushed: it counts as
    // taken, pushing them needs no memory, and the queue does not end, whatever else happens. The room is given back
    // when the place is destroyed, unless the events have been pushed. Belongs to the publisher.
    class Place {
    public:
        Place(Place&& other) noexcept
            : queue_(std::exchange(other.queue_, nullptr)), stream_(other.stream_), reservation_(other.reservation_) {}
        Place& operator=(Place&&) = delete;
        ~Place();

        // A list of `n` events, to be assigned and passed to fill(). Call at most once.
        QueuedEvents nodes(std::size_t n);
        // The events to push: at least one, at most as many as were reserved. Call once, before their append.
        void fill(QueuedEvents events) noexcept;
        // The events have been pushed.
        void end() noexcept { queue_ = nullptr; }

    private:
        friend class EventQueue;
        Place(EventQueue& queue, StreamQueue& stream, Reservations::iterator reservation)
            : queue_(&queue), stream_(&stream), reservation_(reservation) {}

        EventQueue* queue_;  // null: it has ended, or was moved from
        StreamQueue* stream_;
        Reservations::iterator reservation_;
    };
    // Reserves a place for up to `events` events of the document, which keep `bytes` bytes alive. Returns none without
    // room, or if the queue is closed. One stream may fill half of the queue, two a third each, and so on, so there is
    // always room for another. Wherever anything is free a place is granted whole, so that one document may exceed the
    // bounds. `wake`: for the push into the place.
    std::optional<Place> reserve(std::string_view stream, const feed::Document& document, std::size_t events,
                                 std::size_t bytes, Wake wake = Wake::now);
    // A publisher that waits for room for its document's events, and its place among the others, which it keeps if the
    // room is gone when it comes.
    struct Waiting {
        std::size_t events = 1;
        std::uint64_t place = 0;  // 0: it has not waited yet
    };
    // Returns false if there is room already. Otherwise calls `on_room` once, from any thread, when there is room again
    // or the queue has been closed. Those who came first are called first, and only as many as there is room for.
    bool wait_for_room(std::string_view stream, Waiting& waiting, std::function<void()> on_room);
    // Call when a publisher that has waited is done, whether it has published or not: what room it leaves is others'.
    void end_waiting(const Waiting& waiting) noexcept;

    // Pushes the events of the document's filled place, with the ids and times of `appended`, one for each. Returns
    // false if there is no such place.
    bool push(std::string_view stream, const feed::Document& document,
              std::span<const feed::EventHead> appended) noexcept;
    // Pushes events of one stream that have no place, beyond the bounds if need be. Returns false if the queue is
    // closed.
    bool push(std::vector<QueuedEvent> events);

    // The log has events up to this id, from earlier processes. Call before any event is pushed.
    void begin_after(std::uint64_t last_id);

    // Sets `first_id` to the id after the highest one pushed so far, before another event is pushed. Events pushed
    // later are popped later, so if a program was given to the matching threads before, they match all events from
    // `first_id` on with it or a newer one.
    //
    // Calls of the log's listener are in order for each stream only, so an event of another stream may be pushed later
    // with a lower id. It had its id before this call, so its publication began before it.
    void begin_at_next(std::atomic<std::uint64_t>& first_id) const;

    // Everything of the stream up to this id has been put into mailboxes.
    std::uint64_t decided_id(std::string_view stream) const;
    // The same of all streams; with `with`, once this unfinished batch has been, too.
    std::uint64_t decided_id_of_all(const QueuedBatch* with = nullptr) const;

    // Waits for events and fills an empty batch. The fast lane, if it was empty, returns the first events at once;
    // otherwise it waits until there are `events_max` events or the first has waited for `delay`. The slow lane returns
    // events of one stream. The batch may stay empty. Returns false if the queue is closed and no more events can come.
    // Calls `popped` for a batch that is not empty, before any other thread can pop a batch.
    bool pop(Lane lane, std::size_t events_max, std::chrono::microseconds delay, QueuedBatch& batch,
             const std::function<void()>& popped = {});
    // Wakes a thread of the fast lane if a push has left that for later. Any thread.
    void wake() noexcept;
    bool is_wake_due() const { return is_wake_due_.load(std::memory_order_relaxed); }
    // The same, unless a thread of the fast lane sleeps, none waits for more events and no batch is unfinished: then
    // fills an empty batch with all events of the fast lane, if these are at most `events_max` and few bytes, and
    // returns true. Their turn has come already. Never waits.
    bool pop_or_wake(std::size_t events_max, QueuedBatch& batch, const std::function<void()>& popped = {});

    // Whether events of streams outside the batch are waiting in the fast lane.
    bool others_wait(const QueuedBatch& batch) const;

    // Waits until all earlier batches with events of the same streams are finished. Then marks the parts of streams
    // that have moved to the slow lane meanwhile.
    void wait_for_turn(QueuedBatch& batch);
    // Call exactly once for each batch, after its turn. Marked parts go to the slow lane; the others have been
    // delivered. `took_long`: the stream with the most bytes in the batch moves to the slow lane. `work`: how long the
    // batch has taken; a stream whose events take long has few in its next batch there. Allocates nothing.
    void finish(QueuedBatch& batch, bool took_long = false,
                std::chrono::nanoseconds work = std::chrono::nanoseconds(0)) noexcept;

    void close();
    // Drops all queued events and returns their number. Calls `dropped` for each stream that had any; it must not call
    // the queue. Null: for none.
    std::size_t clear(const std::function<void(const std::string&)>& dropped = {});
    bool is_closed() const;

    std::size_t events() const;
    std::size_t bytes() const;
    std::size_t slow_streams() const;        // in the slow lane
    std::size_t waiting_publishers() const;  // for room
    std::uint64_t locks() const;             // how often the lock was taken: each publication should need few
    std::uint64_t wakes() const;             // how often a thread of the fast lane was woken for events
    std::size_t sleepers() const;            // threads of the fast lane that wait for a first event

private:
    struct Waiter {
        std::string stream;
        Waiting waiting;
        std::function<void()> on_room;
    };

    using Lock = std::unique_lock<std::mutex>;

    Lock lock() const {
        Lock lock(mutex_);
        ++locks_;
        return lock;
    }
    bool has_room(std::string_view stream) const;
    void call_waiters(Lock lock) noexcept;
    void push_locked(Lock lock, StreamQueue& stream, QueuedEvents& events, Wake wake) noexcept;
    bool is_awaited() const;
    void wake_fast(Lock lock) noexcept;
    void reduce(StreamQueue& stream, Reservation& reservation, std::size_t events) noexcept;
    void release(StreamQueue& stream, Reservations::iterator reservation) noexcept;
    bool nothing_comes() const { return closed_ && places_ == 0; }
    bool wait_for_events(Lock& lock, std::size_t events_max, std::chrono::microseconds delay);
    void look_for_events(Lock& lock);
    bool wait_for_slow_events(Lock& lock);

    const std::size_t events_max_;
    const std::size_t bytes_max_;
    mutable std::mutex mutex_;
    mutable std::uint64_t locks_ = 0;
    std::condition_variable fast_changed_, slow_changed_, turn_changed_;
    StreamLanes lanes_;
    SpareNodes<QueuedEvents> spare_events_{1'024};
    SpareNodes<Reservations> spare_reservations_{64};
    std::size_t in_flight_ = 0;  // unfinished batches
    std::size_t places_ = 0;     // neither pushed nor given back
    // Threads of the fast lane: those that sleep until there is a first event, and those that wait for more of them.
    std::size_t sleepers_ = 0, collectors_ = 0;
    std::size_t wanted_ = 0;                // the number of events that the latter wait for
    bool is_woken_ = false;                 // one of either has been woken, and has yet to look
    std::atomic<bool> is_wake_due_{false};  // changed under the lock
    std::uint64_t wakes_ = 0;
    ShortWaits short_waits_;
    std::atomic<std::uint64_t> pushes_{0};  // changed under the lock
    std::list<Waiter> waiters_;             // by place
    std::uint64_t last_place_ = 0;
    std::uint64_t last_id_ = 0;  // the highest of the events pushed, and of earlier ones
    bool closed_ = false;
};

}  // namespace sluice::broker
