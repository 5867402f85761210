#include "broker/matching/event_queue.hpp"

#include <algorithm>
#include <utility>

namespace sluice {

bool EventQueue::has_room() const {
    const std::lock_guard lock(mutex_);
    return has_room_locked();
}

bool EventQueue::wait_for_room(std::function<void()> on_room) {
    const std::lock_guard lock(mutex_);
    if (has_room_locked()) return false;
    waiters_.push_back(std::move(on_room));
    return true;
}

bool EventQueue::push(std::vector<QueuedEvent> events) {
    bool wake = false;
    {
        const std::lock_guard lock(mutex_);
        if (closed_) return false;
        const auto now = std::chrono::steady_clock::now();
        for (QueuedEvent& event : events) {
            event.queued_at = now;
            bytes_ += event.bytes;
            queue_.push_back(std::move(event));
        }
        wake = wanted_ != 0 && queue_.size() >= wanted_;
    }
    if (wake) changed_.notify_all();
    return true;
}

bool EventQueue::pop(std::size_t events_max, std::chrono::microseconds delay, std::vector<Event>& batch) {
    std::unique_lock lock(mutex_);
    if (queue_.empty()) {
        wanted_ = 1;
        changed_.wait(lock, [this] { return !queue_.empty() || closed_; });
    } else if (queue_.size() < events_max) {
        wanted_ = events_max;
        changed_.wait_until(lock, queue_.front().queued_at + delay,
                            [this, events_max] { return queue_.size() >= events_max || closed_; });
    }
    wanted_ = 0;
    if (queue_.empty()) return !closed_;
    const std::size_t n = std::min(events_max, queue_.size());
    const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(n);
    for (auto queued = queue_.begin(); queued != end; ++queued) {
        bytes_ -= queued->bytes;
        batch.push_back(std::move(queued->event));
    }
    queue_.erase(queue_.begin(), end);
    call_waiters(std::move(lock));
    return true;
}

void EventQueue::close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
    call_waiters(std::move(lock));
}

std::size_t EventQueue::clear() {
    std::deque<QueuedEvent> dropped;
    std::unique_lock lock(mutex_);
    dropped.swap(queue_);
    bytes_ = 0;
    call_waiters(std::move(lock));
    return dropped.size();
}

void EventQueue::call_waiters(std::unique_lock<std::mutex> lock) {
    if (waiters_.empty() || !has_room_locked()) return;
    const auto waiters = std::exchange(waiters_, {});
    lock.unlock();
    for (const auto& on_room : waiters) on_room();
}

bool EventQueue::is_closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
}

std::size_t EventQueue::events() const {
    const std::lock_guard lock(mutex_);
    return queue_.size();
}

std::size_t EventQueue::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

}  // namespace sluice
