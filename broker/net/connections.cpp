#include "broker/net/connections.hpp"

#include <utility>

namespace sluice {

bool Connections::has_room() const {
    const std::lock_guard lock(mutex_);
    return connections_.size() < connections_max_;
}

void Connections::add(std::shared_ptr<Connection> connection) {
    const std::lock_guard lock(mutex_);
    if (draining_) connection->drain();
    connections_.insert(std::move(connection));
}

void Connections::remove(const std::shared_ptr<Connection>& connection) {
    const std::lock_guard lock(mutex_);
    connections_.erase(connection);
    removed_.notify_all();
}

std::size_t Connections::size() const {
    const std::lock_guard lock(mutex_);
    return connections_.size();
}

template <typename Do>
void Connections::for_each(Do act) {
    const std::lock_guard lock(mutex_);
    for (const auto& connection : connections_) act(*connection);
}

void Connections::drain() {
    {
        const std::lock_guard lock(mutex_);
        draining_ = true;
    }
    for_each([](Connection& connection) { connection.drain(); });
}

void Connections::end_streams() {
    for_each([](Connection& connection) { connection.end_stream(); });
}

void Connections::cut() {
    for_each([](Connection& connection) { connection.cut(); });
}

void Connections::cut_late(Connection::Clock::time_point now) {
    for_each([now](Connection& connection) {
        if (connection.is_late(now)) connection.cut();
    });
}

bool Connections::wait_until_none(Connection::Clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    return removed_.wait_until(lock, deadline, [this] { return connections_.empty(); });
}

}  // namespace sluice
