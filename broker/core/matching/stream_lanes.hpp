// The contents of the queue: each stream's events, the room reserved for more, the lane it is in, and the streams that
// are ready to be matched. Chooses the events of each batch; never waits. Belongs to EventQueue; used under its lock.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "broker/core/matching/queued_batch.hpp"
#include "broker/core/matching/stream_queue.hpp"

namespace sluice::broker {

class StreamLanes {
public:
    // How long a stream stays in the slow lane after its last slow batch.
    static constexpr std::chrono::seconds slow_for{10};
    // How long a stream's turn in the slow lane should take. A turn is one event at least, and one at first.
    static constexpr std::chrono::milliseconds slow_turn{200};
    // A batch this large takes no further events, and a stream with an event this large moves to the slow lane.
    static constexpr std::size_t batch_bytes_max = 1u << 20;

    StreamQueue& stream_of(std::string_view stream);   // adds it if necessary
    StreamQueue* find(std::string_view stream) const;  // null: unknown

    // Takes the only reservation of `made` and returns its place.
    Reservations::iterator reserve(StreamQueue& stream, Reservations& made) noexcept;
    // Gives back room of `events` of the reservation's events.
    void reduce(StreamQueue& stream, Reservation& reservation, std::size_t events) noexcept;
    // Moves the reservation to the end of `to` and gives back its room.
    void release(StreamQueue& stream, Reservations::iterator reservation, Reservations& to) noexcept;
    // Does so for the first reservation of the document, if there is any.
    bool release(StreamQueue& stream, const feed::Document& document, Reservations& to) noexcept;

    // Takes the events, of which there must be at least one.
    void push(StreamQueue& stream, QueuedEvents& events) noexcept;
    // Moves events from the batch's lane into the batch: in the fast lane from streams in turn, in the slow lane from
    // one stream.
    void fill(QueuedBatch& batch, std::size_t events_max);
    // In a batch of the fast lane, the parts marked `hand_over` go to the slow lane. `took_long`: the batch's largest
    // stream moves to the slow lane, too. `work` determines how many events the stream of a slow batch may have next.
    void finish(QueuedBatch& batch, bool took_long, std::chrono::nanoseconds work) noexcept;
    // Drops all events and returns their number. Calls `dropped` for each stream that had any; null: for none.
    std::size_t clear(const std::function<void(const std::string&)>& dropped);

    // All events up to this id have been delivered, or will be with the unfinished batch `with`; null: have been.
    std::uint64_t decided_up_to(std::uint64_t last_id, const QueuedBatch* with) const;

    const ReadyStreams& ready(Lane lane) const { return lane == Lane::fast ? ready_ : slow_ready_; }
    std::size_t events() const { return events_; }
    std::size_t fast_events() const { return fast_events_; }  // in the fast lane
    std::size_t bytes() const { return bytes_; }
    std::size_t taken_events() const { return events_ + reserved_events_; }
    std::size_t taken_bytes() const { return bytes_ + reserved_bytes_; }
    std::size_t slow_streams() const;  // in the slow lane

private:
    using Clock = StreamQueue::Clock;

    static std::size_t next_slow_events(std::size_t events, std::chrono::nanoseconds work);
    void forget_idle();
    void make_ready(StreamQueue& stream);
    void make_slow(StreamQueue& stream);
    void take(StreamQueue& stream, std::size_t events_max, QueuedBatch& batch, std::size_t& batch_bytes);
    static void note_decided(QueuedBatch& batch) noexcept;
    void return_events(QueuedBatch& batch) noexcept;

    std::unordered_map<std::string_view, std::unique_ptr<StreamQueue>> streams_;  // keyed by StreamQueue::name
    ReadyStreams ready_, slow_ready_;  // streams with events to match, by lane
    std::size_t events_ = 0, bytes_ = 0, fast_events_ = 0;
    std::size_t reserved_events_ = 0, reserved_bytes_ = 0;
};

}  // namespace sluice::broker
