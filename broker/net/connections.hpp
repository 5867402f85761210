// The open connections: counted, cut when their deadline passes, and asked to end when the daemon drains. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_set>

namespace sluice {

// What the registry may ask of a connection. All calls come from other threads than the connection's own and return
// at once.
class Connection {
public:
    using Clock = std::chrono::steady_clock;

    virtual ~Connection() = default;
    virtual void drain() = 0;       // end after the request that is under way, if any
    virtual void end_stream() = 0;  // end the event stream, if it is one, after what it has queued
    virtual void cut() = 0;         // end now

    void set_deadline(Clock::time_point deadline) { deadline_.store(deadline, std::memory_order_relaxed); }
    void clear_deadline() { set_deadline(Clock::time_point::max()); }
    bool is_late(Clock::time_point now) const { return deadline_.load(std::memory_order_relaxed) <= now; }

private:
    std::atomic<Clock::time_point> deadline_{Clock::time_point::max()};
};

class Connections {
public:
    explicit Connections(std::size_t connections_max) : connections_max_(connections_max) {}

    bool has_room() const;
    void add(std::shared_ptr<Connection> connection);
    void remove(const std::shared_ptr<Connection>& connection);
    std::size_t size() const;

    void drain();
    void end_streams();
    void cut();
    void cut_late(Connection::Clock::time_point now);
    bool wait_until_none(Connection::Clock::time_point deadline);

private:
    template <typename Do>
    void for_each(Do act);

    const std::size_t connections_max_;
    mutable std::mutex mutex_;
    std::condition_variable removed_;
    std::unordered_set<std::shared_ptr<Connection>> connections_;
    bool draining_ = false;  // connections added from now on drain at once
};

}  // namespace sluice
