#include "broker/cli/event_work.hpp"

#include <chrono>
#include <utility>

namespace sluice::cli {

EventWork::EventWork(std::function<bool(const SseEvent&)> handle)
    : handle_(std::move(handle)), thread_([this] { run(); }) {}

EventWork::~EventWork() {
    {
        const std::lock_guard lock(mutex_);
        is_ending_ = true;
    }
    work_.notify_one();
    thread_.join();
}

bool EventWork::has_room(const SseEvent& event) const {
    return waiting_.empty() || bytes_ + event.data.size() <= bytes_max;
}

bool EventWork::add(const SseEvent& event, const std::function<bool()>& stops) {
    constexpr std::chrono::milliseconds turn{100};
    for (;;) {
        if (stops()) return false;
        std::unique_lock lock(mutex_);
        if (!progress_.wait_for(lock, turn, [&] { return has_room(event); })) continue;
        waiting_.push_back(event);
        bytes_ += event.data.size();
        break;
    }
    work_.notify_one();
    return true;
}

void EventWork::drop() {
    std::unique_lock lock(mutex_);
    waiting_.clear();
    bytes_ = 0;
    progress_.wait(lock, [this] { return !is_handling_; });
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

bool EventWork::has_ended() const {
    const std::lock_guard lock(mutex_);
    return has_ended_;
}

void EventWork::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        work_.wait(lock, [this] { return is_ending_ || (!waiting_.empty() && !has_ended_); });
        if (is_ending_) return;
        const SseEvent event = std::move(waiting_.front());
        waiting_.pop_front();
        bytes_ -= event.data.size();
        is_handling_ = true;
        lock.unlock();
        bool goes_on = false;
        std::exception_ptr thrown;
        try {
            goes_on = handle_(event);
        } catch (...) {
            thrown = std::current_exception();
        }
        lock.lock();
        is_handling_ = false;
        if (!goes_on) has_ended_ = true;
        if (thrown) thrown_ = thrown;
        progress_.notify_all();
    }
}

}  // namespace sluice::cli
