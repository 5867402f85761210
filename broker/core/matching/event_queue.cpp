#include "broker/core/matching/event_queue.hpp"

#include <algorithm>
#include <utility>

#include "gpu/check/check.hpp"

namespace sluice::broker {

bool EventQueue::has_room(std::string_view stream) const {
    if (closed_) return true;
    const std::size_t events = lanes_.taken_events(), bytes = lanes_.taken_bytes();
    if (events >= events_max_ || bytes >= bytes_max_) return false;
    const StreamQueue* queue = lanes_.find(stream);
    return queue == nullptr ||
           (queue->taken_events() < events_max_ - events && queue->taken_bytes() < bytes_max_ - bytes);
}

bool EventQueue::wait_for_room(std::string_view stream, Waiting& waiting, std::function<void()> on_room) {
    const Lock lock = this->lock();
    if (has_room(stream)) return false;
    if (waiting.place == 0) waiting.place = ++last_place_;
    const auto comes_later = [&](const Waiter& each) { return each.waiting.place > waiting.place; };
    const auto at = std::find_if(waiters_.begin(), waiters_.end(), comes_later);
    waiters_.insert(at, {std::string(stream), waiting, std::move(on_room)});
    return true;
}

void EventQueue::end_waiting(const Waiting& waiting) noexcept {
    if (waiting.place == 0) return;
    std::list<Waiter> ended;
    Lock lock = this->lock();
    const auto at = std::find_if(waiters_.begin(), waiters_.end(),
                                 [&](const Waiter& each) { return each.waiting.place == waiting.place; });
    if (at != waiters_.end()) ended.splice(ended.end(), waiters_, at);
    call_waiters(std::move(lock));
}

void EventQueue::call_waiters(Lock lock) noexcept {
    std::list<Waiter> called;
    std::size_t room = events_max_ - std::min(events_max_, lanes_.taken_events());
    for (auto each = waiters_.begin(); each != waiters_.end() && (room != 0 || closed_);) {
        const auto waiter = each++;
        if (!has_room(waiter->stream)) continue;
        room -= std::min(room, waiter->waiting.events);
        called.splice(called.end(), waiters_, waiter);
    }
    lock.unlock();
    for (const Waiter& waiter : called) waiter.on_room();
}

std::optional<EventQueue::Place> EventQueue::reserve(std::string_view stream, const feed::Document& document,
                                                     std::size_t events, std::size_t bytes, Wake wake) {
    const Lock lock = this->lock();
    if (closed_ || !has_room(stream)) return std::nullopt;
    StreamQueue& queue = lanes_.stream_of(stream);
    Reservations made;
    spare_reservations_.take(1, made);
    if (made.empty()) made.emplace_back();
    Reservation& reservation = made.front();
    reservation.document = &document;
    reservation.events = events;
    reservation.bytes = bytes;
    reservation.wakes_later = wake == Wake::later;
    spare_events_.take(events, reservation.nodes);
    ++places_;
    return Place(*this, queue, lanes_.reserve(queue, made));
}

EventQueue::Place::~Place() {
    if (queue_ != nullptr) queue_->release(*stream_, reservation_);
}

QueuedEvents EventQueue::Place::nodes(std::size_t n) {
    QueuedEvents nodes;
    move_nodes(reservation_->nodes, n, nodes);
    nodes.resize(n);
    return nodes;
}

// Only push() looks at the events, after their append.
void EventQueue::Place::fill(QueuedEvents events) noexcept {
    SLUICE_CHECK(reservation_->filled.empty() && events.size() <= reservation_->events);
    const std::size_t unused = reservation_->events - events.size();
    reservation_->filled.splice(reservation_->filled.end(), events);
    if (unused != 0) queue_->reduce(*stream_, *reservation_, unused);
}

void EventQueue::reduce(StreamQueue& stream, Reservation& reservation, std::size_t events) noexcept {
    Lock lock = this->lock();
    lanes_.reduce(stream, reservation, events);
    call_waiters(std::move(lock));
}

void EventQueue::release(StreamQueue& stream, Reservations::iterator reservation) noexcept {
    Reservations released;  // destroyed without the lock
    Lock lock = this->lock();
    lanes_.release(stream, reservation, released);
    spare_events_.give(released.front().nodes);
    SLUICE_CHECK(places_ != 0);
    --places_;
    if (nothing_comes()) {
        fast_changed_.notify_all();
        slow_changed_.notify_all();
    }
    call_waiters(std::move(lock));
}

bool EventQueue::push(std::string_view stream, const feed::Document& document,
                      std::span<const feed::EventHead> appended) noexcept {
    Reservations pushed;
    Lock lock = this->lock();
    StreamQueue* const queue = lanes_.find(stream);
    if (queue == nullptr || !lanes_.release(*queue, document, pushed)) return false;
    SLUICE_CHECK(places_ != 0);
    --places_;
    const Wake wake = pushed.front().wakes_later ? Wake::later : Wake::now;
    QueuedEvents events = std::move(pushed.front().filled);
    SLUICE_CHECK(events.size() == appended.size());
    spare_events_.give(pushed.front().nodes);
    spare_reservations_.give(pushed);
    auto head = appended.begin();
    for (QueuedEvent& event : events) {
        event.event.id = head->id;
        event.event.time = head->time;
        ++head;
    }
    push_locked(std::move(lock), *queue, events, wake);
    return true;
}

bool EventQueue::push(std::vector<QueuedEvent> events) {
    if (events.empty()) return true;
    QueuedEvents nodes(std::move_iterator(events.begin()), std::move_iterator(events.end()));
    Lock lock = this->lock();
    if (closed_) return false;
    StreamQueue& queue = lanes_.stream_of(*nodes.front().event.stream);
    push_locked(std::move(lock), queue, nodes, Wake::now);
    return true;
}

void EventQueue::push_locked(Lock lock, StreamQueue& stream, QueuedEvents& events, Wake wake) noexcept {
    last_id_ = std::max(last_id_, events.back().event.id);
    lanes_.push(stream, events);
    pushes_.fetch_add(1, std::memory_order_relaxed);
    if (nothing_comes()) {
        lock.unlock();
        fast_changed_.notify_all();
        slow_changed_.notify_all();
    } else if (stream.slow) {
        lock.unlock();
        slow_changed_.notify_one();
    } else if (wake == Wake::later && !closed_ && lanes_.fast_events() <= late_events_max &&
               lanes_.bytes() <= late_bytes_max) {
        if (is_awaited()) is_wake_due_.store(true, std::memory_order_relaxed);
    } else {
        wake_fast(std::move(lock));
    }
}

// Whether a thread of the fast lane waits for no more than what is there, and none has been woken for it, or looks for
// events before it sleeps.
bool EventQueue::is_awaited() const {
    if (is_woken_ || short_waits_.is_waiting() || lanes_.fast_events() == 0) return false;
    return collectors_ != 0 ? lanes_.fast_events() >= wanted_ : sleepers_ != 0;
}

// One is enough: if it leaves any events, it wakes the next.
void EventQueue::wake_fast(Lock lock) noexcept {
    is_wake_due_.store(false, std::memory_order_relaxed);
    if (!is_awaited()) return;
    is_woken_ = true;
    ++wakes_;
    const bool is_any = collectors_ == 0;
    lock.unlock();
    if (is_any)
        fast_changed_.notify_one();
    else
        fast_changed_.notify_all();
}

void EventQueue::wake() noexcept {
    if (is_wake_due()) wake_fast(lock());
}

void EventQueue::begin_after(std::uint64_t last_id) {
    const Lock lock = this->lock();
    last_id_ = last_id;
}

void EventQueue::begin_at_next(std::atomic<std::uint64_t>& first_id) const {
    const Lock lock = this->lock();
    first_id = last_id_ + 1;
}

std::uint64_t EventQueue::decided_id(std::string_view stream) const {
    const Lock lock = this->lock();
    const StreamQueue* const queue = lanes_.find(stream);
    return queue == nullptr ? last_id_ : queue->decided_up_to(last_id_);
}

std::uint64_t EventQueue::decided_id_of_all(const QueuedBatch* with) const {
    const Lock lock = this->lock();
    return lanes_.decided_up_to(last_id_, with);
}

// Sleeping and being woken takes longer than the next event often takes to come, and costs its publisher a system call.
void EventQueue::look_for_events(Lock& lock) {
    if (closed_ || !short_waits_.may_begin()) return;
    const std::uint64_t before = pushes_.load(std::memory_order_relaxed);
    lock.unlock();
    ShortWaits::wait_while([&] { return pushes_.load(std::memory_order_relaxed) == before; });
    lock.lock();
    short_waits_.end(!lanes_.ready(Lane::fast).empty());
}

bool EventQueue::wait_for_events(Lock& lock, std::size_t events_max, std::chrono::microseconds delay) {
    const ReadyStreams& ready = lanes_.ready(Lane::fast);
    if (ready.empty()) {
        look_for_events(lock);
        ++sleepers_;
        while (ready.empty() && !nothing_comes()) {
            fast_changed_.wait(lock);
            is_woken_ = false;
        }
        --sleepers_;
    } else if (lanes_.fast_events() < events_max) {
        const auto until = ready.front().front().queued_at + delay;
        wanted_ = events_max;
        ++collectors_;
        while (lanes_.fast_events() < events_max && !nothing_comes()) {
            const std::cv_status status = fast_changed_.wait_until(lock, until);
            is_woken_ = false;
            if (status == std::cv_status::timeout) break;
        }
        --collectors_;
    }
    return !ready.empty() || !nothing_comes();
}

// While the daemon drains, unfinished batches may still hand over events.
bool EventQueue::wait_for_slow_events(Lock& lock) {
    const ReadyStreams& ready = lanes_.ready(Lane::slow);
    slow_changed_.wait(
        lock, [&] { return !ready.empty() || (nothing_comes() && in_flight_ == 0 && lanes_.fast_events() == 0); });
    return !ready.empty();
}

bool EventQueue::pop(Lane lane, std::size_t events_max, std::chrono::microseconds delay, QueuedBatch& batch,
                     const std::function<void()>& popped) {
    batch.reserve(events_max);
    Lock lock = this->lock();
    batch.lane = lane;
    const bool come = lane == Lane::fast ? wait_for_events(lock, events_max, delay) : wait_for_slow_events(lock);
    if (!come) return false;
    lanes_.fill(batch, events_max);
    if (batch.events.empty()) return true;
    if (popped) popped();
    ++in_flight_;
    const bool wakes_next = lane == Lane::fast && is_awaited();
    if (wakes_next) {
        is_woken_ = true;
        ++wakes_;
    }
    call_waiters(std::move(lock));
    if (wakes_next) fast_changed_.notify_one();
    return true;
}

bool EventQueue::pop_or_wake(std::size_t events_max, QueuedBatch& batch, const std::function<void()>& popped) {
    batch.reserve(events_max);
    Lock lock = this->lock();
    const bool is_little = lanes_.fast_events() <= events_max && lanes_.bytes() <= late_bytes_max;
    // After close() the matching threads take what is left, and end.
    if (!is_wake_due() || !is_little || !is_awaited() || collectors_ != 0 || in_flight_ != 0 || closed_) {
        wake_fast(std::move(lock));
        return false;
    }
    is_wake_due_.store(false, std::memory_order_relaxed);
    batch.lane = Lane::fast;
    lanes_.fill(batch, events_max);
    SLUICE_CHECK(!batch.events.empty() && lanes_.fast_events() == 0);
    if (popped) popped();
    ++in_flight_;
    call_waiters(std::move(lock));
    return true;
}

bool EventQueue::others_wait(const QueuedBatch& batch) const {
    const Lock lock = this->lock();
    return lanes_.ready(Lane::fast).any_of([&](const StreamQueue& stream) {
        return batch.find_part(stream) == batch.parts.size();
    });
}

void EventQueue::wait_for_turn(QueuedBatch& batch) {
    Lock lock = this->lock();
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
        const Lock lock = this->lock();
        lanes_.finish(batch, took_long, work);
        spare_events_.give(batch.nodes);
        SLUICE_CHECK(in_flight_ != 0);
        --in_flight_;
        wake_slow = !lanes_.ready(Lane::slow).empty() || closed_;
    }
    turn_changed_.notify_all();
    if (wake_slow) slow_changed_.notify_all();
}

void EventQueue::close() {
    Lock lock = this->lock();
    closed_ = true;
    fast_changed_.notify_all();
    slow_changed_.notify_all();
    call_waiters(std::move(lock));
}

std::size_t EventQueue::clear(const std::function<void(const std::string&)>& dropped) {
    Lock lock = this->lock();
    const std::size_t n = lanes_.clear(dropped);
    slow_changed_.notify_all();
    call_waiters(std::move(lock));
    return n;
}

bool EventQueue::is_closed() const {
    const Lock lock = this->lock();
    return closed_;
}

std::size_t EventQueue::events() const {
    const Lock lock = this->lock();
    return lanes_.events();
}

std::size_t EventQueue::bytes() const {
    const Lock lock = this->lock();
    return lanes_.bytes();
}

std::size_t EventQueue::waiting_publishers() const {
    const Lock lock = this->lock();
    return waiters_.size();
}

std::uint64_t EventQueue::locks() const {
    const std::lock_guard lock(mutex_);
    return locks_;
}

std::uint64_t EventQueue::wakes() const {
    const Lock lock = this->lock();
    return wakes_;
}

std::size_t EventQueue::sleepers() const {
    const Lock lock = this->lock();
    return sleepers_;
}

std::size_t EventQueue::slow_streams() const {
    const Lock lock = this->lock();
    return lanes_.slow_streams();
}

}  // namespace sluice::broker
