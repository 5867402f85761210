// The open connections: counts them, cuts them when their deadline passes, and ends them when the daemon drains. Any
// thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_set>

namespace sluice::server {

// The interface of a connection to Connections. Calls come from threads other than the connection's and return at once,
// without allocating: they must work when memory is short, too.
class Connection {
public:
    using Clock = std::chrono::steady_clock;

    virtual ~Connection() = default;
    virtual void drain() noexcept = 0;       // ends it after the request in progress, if any
    virtual void end_stream() noexcept = 0;  // ends its event stream, if any, after the queued events
    // Ends its event stream or stream of documents, if any, if the rights of its user are gone.
    virtual void end_revoked() noexcept = 0;
    // Ends it if it waits for a request or a stream's next document; otherwise calls Connections::stays().
    virtual void give_way() noexcept = 0;
    virtual void cut() noexcept = 0;     // ends it now
    virtual void expire() noexcept = 0;  // its deadline has passed: ends it, with the reason if possible

    void set_deadline(Clock::time_point deadline) { deadline_.store(deadline, std::memory_order_relaxed); }
    void clear_deadline() { set_deadline(Clock::time_point::max()); }
    bool is_late(Clock::time_point now) const { return deadline_.load(std::memory_order_relaxed) <= now; }

    // The time since when it has been waiting for a request, or for a stream's next document; max() while it has one. A
    // connection that has had requests before may set a later time.
    void set_waiting(Clock::time_point since) { waiting_since_.store(since, std::memory_order_relaxed); }
    void set_busy() { set_waiting(Clock::time_point::max()); }
    Clock::time_point waiting_since() const { return waiting_since_.load(std::memory_order_relaxed); }

private:
    std::atomic<Clock::time_point> deadline_{Clock::time_point::max()};
    std::atomic<Clock::time_point> waiting_since_{Clock::time_point::max()};
};

// The most open connections, and the most further connections that were to give way but are not yet gone.
struct ConnectionRoom {
    std::size_t connections;
    std::size_t ending = 512;
};

// Reduces `connections` to what the file descriptors permit, with up to `reserve` of them for the daemon itself.
// Otherwise new connections could not even be accepted to displace waiting ones.
ConnectionRoom connection_room(std::size_t connections, std::size_t descriptors, std::size_t reserve);

class Connections {
public:
    explicit Connections(std::size_t connections_max) : Connections(ConnectionRoom{connections_max}) {}
    explicit Connections(ConnectionRoom room) : room_(room) {}

    static constexpr std::size_t displaced_max = 32;  // by one call

    // Returns whether one more may be added. If there is no room, several of the connections that have waited the
    // longest for a request give way; returns false if too few wait.
    bool make_room();
    // Whether it is full only until some that give way are gone.
    bool awaits_room() const;
    // Some waiting connections give way, however many are open, because the system has no room. Returns whether any
    // have yet to end.
    bool displace();
    // A connection that was to give way has received a request meanwhile.
    void stays(const Connection& connection);
    std::uint64_t displaced() const { return displaced_.load(std::memory_order_relaxed); }  // gave way, in all
    void add(std::shared_ptr<Connection> connection);
    void remove(const std::shared_ptr<Connection>& connection);
    std::size_t size() const;
    std::size_t connections_max() const { return room_.connections; }

    void drain();
    void end_streams();
    void end_revoked();
    void cut();
    void expire_late(Connection::Clock::time_point now);
    bool wait_until_none(Connection::Clock::time_point deadline);

private:
    template <typename Do>
    void for_each(Do act);
    bool is_full_locked() const;
    void displace_locked();

    const ConnectionRoom room_;
    mutable std::mutex mutex_;
    std::condition_variable removed_;
    std::unordered_set<std::shared_ptr<Connection>> connections_;
    std::unordered_set<const Connection*> ending_;  // those that are to give way
    std::atomic<std::uint64_t> displaced_{0};
    bool draining_ = false;  // connections added from now on drain at once
};

}  // namespace sluice::server
