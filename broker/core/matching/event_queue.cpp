#include "broker/core/matching/event_queue.hpp"

#include <algorithm>
#include <utility>

namespace sluice::broker {

bool EventQueue::has_room(std::string_view stream) const {
    const std::lock_guard lock(mutex_);
    return has_room_locked(stream);
}

bool EventQueue::has_room_locked(std::string_view stream) const {
    if (closed_) return true;
    const std::size_t events = lanes_.events(), bytes = lanes_.bytes();
    if (events >= events_max_ || bytes >= bytes_max_) return false;
    const StreamQueue* queue = lanes_.find(stream);
    return queue == nullptr || (queue->events() < events_max_ - events && queue->bytes < bytes_max_ - bytes);
}

bool EventQueue::wait_for_room(std::string_view stream, Waiting& waiting, std::function<void()> on_room) {
    const std::lock_guard lock(mutex_);
    if (has_room_locked(stream)) return false;
    if (waiting.place == 0) waiting.place = ++last_place_;
    const auto comes_later = [&](const Waiter& each) { return each.waiting.place > waiting.place; };
    const auto at = std::find_if(waiters_.begin(), waiters_.end(), comes_later);
    waiters_.insert(at, {std::string(stream), waiting, std::move(on_room)});
    return true;
}

void EventQueue::end_waiting(const Waiting& waiting) noexcept {
    if (waiting.place == 0) return;
    std::list<Waiter> ended;
    std::unique_lock lock(mutex_);
    const auto at = std::find_if(waiters_.begin(), waiters_.end(),
                                 [&](const Waiter& each) { return each.waiting.place == waiting.place; });
    if (at != waiters_.end()) ended.splice(ended.end(), waiters_, at);
    call_waiters(std::move(lock));
}

void EventQueue::call_waiters(std::unique_lock<std::mutex> lock) noexcept {
    std::list<Waiter> called;
    std::size_t room = events_max_ - std::min(events_max_, lanes_.events());
    for (auto each = waiters_.begin(); each != waiters_.end() && (room != 0 || closed_);) {
        const auto waiter = each++;
        if (!has_room_locked(waiter->stream)) continue;
        room -= std::min(room, waiter->waiting.events);
        called.splice(called.end(), waiters_, waiter);
    }
    lock.unlock();
    for (const Waiter& waiter : called) waiter.on_room();
}

std::optional<EventQueue::Place> EventQueue::hold(QueuedEvents events) {
    const std::lock_guard lock(mutex_);
    if (closed_) return std::nullopt;
    StreamQueue& stream = lanes_.stream_of(events.front().event);
    ++stream.places;
    ++places_;
    return Place(*this, stream, std::move(events));
}

EventQueue::Place::~Place() {
    if (queue_ != nullptr) queue_->give_up_place(*stream_);
}

void EventQueue::give_up_place(StreamQueue& stream) noexcept {
    const std::lock_guard lock(mutex_);
    --stream.places;
    --places_;
    if (!nothing_comes()) return;
    fast_changed_.notify_all();
    slow_changed_.notify_all();
}

void EventQueue::Place::push(std::uint64_t first_id, feed::RecordTime time) noexcept {
    for (QueuedEvent& event : events_) {
        event.event.id = first_id++;
        event.event.time = time;
    }
    queue_->push_to(*stream_, events_);
    std::exchange(queue_, nullptr)->give_up_place(*stream_);
}

void EventQueue::push_to(StreamQueue& stream, QueuedEvents& events) noexcept {
    bool wake_fast = false, wake_slow = false;
    {
        const std::lock_guard lock(mutex_);
        lanes_.push(stream, events);
        wake_slow = stream.slow;
        wake_fast = !stream.slow && wanted_ != 0 && lanes_.fast_events() >= wanted_;
    }
    if (wake_fast) fast_changed_.notify_all();
    if (wake_slow) slow_changed_.notify_one();
}

bool EventQueue::push(std::vector<QueuedEvent> events) {
    if (events.empty()) return true;
    auto place = hold({std::move_iterator(events.begin()), std::move_iterator(events.end())});
    if (!place) return false;
    const feed::Event first = place->events_.front().event;
    place->push(first.id, first.time);
    return true;
}

bool EventQueue::wait_for_events(std::unique_lock<std::mutex>& lock, std::size_t events_max,
                                 std::chrono::microseconds delay) {
    const ReadyStreams& ready = lanes_.ready(Lane::fast);
    if (ready.empty()) {
        wanted_ = 1;
        fast_changed_.wait(lock, [&] { return !ready.empty() || nothing_comes(); });
    } else if (lanes_.fast_events() < events_max) {
        wanted_ = events_max;
        fast_changed_.wait_until(lock, ready.front().front().queued_at + delay,
                                 [&] { return lanes_.fast_events() >= events_max || nothing_comes(); });
    }
    wanted_ = 0;
    return !ready.empty() || !nothing_comes();
}

// While the daemon drains, unfinished batches may still hand over events.
bool EventQueue::wait_for_slow_events(std::unique_lock<std::mutex>& lock) {
    const ReadyStreams& ready = lanes_.ready(Lane::slow);
    slow_changed_.wait(
        lock, [&] { return !ready.empty() || (nothing_comes() && in_flight_ == 0 && lanes_.fast_events() == 0); });
    return !ready.empty();
}

bool EventQueue::pop(Lane lane, std::size_t events_max, std::chrono::microseconds delay, QueuedBatch& batch,
                     const std::function<void()>& popped) {
    batch.reserve(events_max);
    std::unique_lock lock(mutex_);
    batch.lane = lane;
    const bool come = lane == Lane::fast ? wait_for_events(lock, events_max, delay) : wait_for_slow_events(lock);
    if (!come) return false;
    lanes_.fill(batch, events_max);
    if (batch.events.empty()) return true;
    if (popped) popped();
    ++in_flight_;
    call_waiters(std::move(lock));
    return true;
}

bool EventQueue::others_wait(const QueuedBatch& batch) const {
    const std::lock_guard lock(mutex_);
    return lanes_.ready(Lane::fast).any_of([&](const StreamQueue& stream) {
        return batch.find_part(stream) == batch.parts.size();
    });
}

void EventQueue::wait_for_turn(QueuedBatch& batch) {
    std::unique_lock lock(mutex_);
    turn_changed_.wait(lock, [&] {
        return std::all_of(batch.parts.begin(), batch.parts.end(),
                           [](const QueuedBatch::Part& part) { return part.stream->finished_tickets == part.ticket; });
    });
    if (batch.lane == Lane::slow) return;
    for (QueuedBatch::Part& part : batch.parts) part.hand_over |= part.stream->slow;
}

void EventQueue::finish(QueuedBatch& batch, bool took_long, std::chrono::nanoseconds work) noexcept {
    bool wake_slow = false;
    {
        const std::lock_guard lock(mutex_);
        lanes_.finish(batch, took_long, work);
        --in_flight_;
        wake_slow = !lanes_.ready(Lane::slow).empty() || closed_;
    }
    turn_changed_.notify_all();
    if (wake_slow) slow_changed_.notify_all();
}

void EventQueue::close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    fast_changed_.notify_all();
    slow_changed_.notify_all();
    call_waiters(std::move(lock));
}

std::size_t EventQueue::clear(const std::function<void(const std::string&)>& dropped) {
    std::unique_lock lock(mutex_);
    const std::size_t n = lanes_.clear(dropped);
    slow_changed_.notify_all();
    call_waiters(std::move(lock));
    return n;
}

bool EventQueue::is_closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
}

std::size_t EventQueue::events() const {
    const std::lock_guard lock(mutex_);
    return lanes_.events();
}

std::size_t EventQueue::bytes() const {
    const std::lock_guard lock(mutex_);
    return lanes_.bytes();
}

std::size_t EventQueue::waiting_publishers() const {
    const std::lock_guard lock(mutex_);
    return waiters_.size();
}

std::size_t EventQueue::slow_streams() const {
    const std::lock_guard lock(mutex_);
    return lanes_.slow_streams();
}

}  // namespace sluice::broker
