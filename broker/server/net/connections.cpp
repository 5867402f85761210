#include "broker/server/net/connections.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace sluice::server {

ConnectionRoom connection_room(std::size_t connections, std::size_t descriptors, std::size_t reserve) {
    constexpr std::size_t ending_share = 8;
    const ConnectionRoom wanted{connections};
    const std::size_t left = descriptors - std::min(reserve, descriptors / 2);
    const std::size_t ending = std::clamp<std::size_t>(left / ending_share, 1, wanted.ending);
    return {std::min(connections, std::max<std::size_t>(left - std::min(left, ending), 1)), ending};
}

bool Connections::is_full_locked() const { return connections_.size() - ending_.size() >= room_.connections; }

bool Connections::make_room() {
    const std::lock_guard lock(mutex_);
    if (is_full_locked() && ending_.size() < room_.ending) displace_locked();
    return !is_full_locked();
}

bool Connections::awaits_room() const {
    const std::lock_guard lock(mutex_);
    return is_full_locked() && ending_.size() >= room_.ending;
}

bool Connections::displace() {
    const std::lock_guard lock(mutex_);
    if (ending_.size() < room_.ending) displace_locked();
    return !ending_.empty();
}

void Connections::displace_locked() {
    std::vector<std::pair<Connection::Clock::time_point, Connection*>> waiting;
    for (const auto& connection : connections_) {
        const auto since = connection->waiting_since();
        if (since == Connection::Clock::time_point::max() || ending_.contains(connection.get())) continue;
        waiting.emplace_back(since, connection.get());
    }
    // Each search visits all connections, so it finds several, but only a share: some of the others are merely pausing.
    const std::size_t share = std::clamp<std::size_t>(waiting.size() / 8, 1, displaced_max);
    const std::size_t n = std::min({waiting.size(), share, room_.ending - ending_.size()});
    std::partial_sort(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(n), waiting.end());
    for (const auto& [since, connection] : std::span(waiting).first(n)) {
        ending_.insert(connection);
        connection->give_way();
        displaced_.fetch_add(1, std::memory_order_relaxed);
    }
}

void Connections::stays(const Connection& connection) {
    const std::lock_guard lock(mutex_);
    if (ending_.erase(&connection) != 0) displaced_.fetch_sub(1, std::memory_order_relaxed);
}

void Connections::add(std::shared_ptr<Connection> connection) {
    const std::lock_guard lock(mutex_);
    if (draining_) connection->drain();
    connections_.insert(std::move(connection));
}

void Connections::remove(const std::shared_ptr<Connection>& connection) {
    const std::lock_guard lock(mutex_);
    connections_.erase(connection);
    ending_.erase(connection.get());
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

void Connections::end_revoked() {
    for_each([](Connection& connection) { connection.end_revoked(); });
}

void Connections::cut() {
    for_each([](Connection& connection) { connection.cut(); });
}

void Connections::expire_late(Connection::Clock::time_point now) {
    for_each([now](Connection& connection) {
        if (connection.is_late(now)) connection.expire();
    });
}

bool Connections::wait_until_none(Connection::Clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    return removed_.wait_until(lock, deadline, [this] { return connections_.empty(); });
}

}  // namespace sluice::server
