// Handles the events of a stream one by one, in order, on a thread of its own, while the stream is read. All functions
// are called by the thread that reads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "broker/cli/client/sse_reader.hpp"

namespace sluice::cli {

class EventWork {
public:
    static constexpr std::size_t bytes_max = 64u << 20;  // of the events that wait, unless there is only one

    // `handle` returns false if no more is wanted. It is never called twice at once.
    explicit EventWork(std::function<bool(const SseEvent&)> handle);
    ~EventWork();
    EventWork(const EventWork&) = delete;
    EventWork& operator=(const EventWork&) = delete;

    // Waits until there is room. Returns false if `stops` returns true before, which is asked ten times a second.
    bool add(const SseEvent& event, const std::function<bool()>& stops);
    // Forgets what waits, and returns when nothing is being handled. Throws what `handle` has thrown.
    void drop();
    // `handle` has returned false, or thrown.
    bool has_ended() const;

private:
    void run();
    bool has_room(const SseEvent& event) const;

    const std::function<bool(const SseEvent&)> handle_;
    mutable std::mutex mutex_;
    std::condition_variable work_, progress_;
    std::deque<SseEvent> waiting_;
    std::size_t bytes_ = 0;  // of those that wait
    bool is_handling_ = false, has_ended_ = false, is_ending_ = false;
    std::exception_ptr thrown_;
    std::thread thread_;
};

}  // namespace sluice::cli
