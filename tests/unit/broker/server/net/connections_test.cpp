#include "broker/server/net/connections.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <vector>

using namespace std::chrono_literals;
using sluice::server::Connection;
using sluice::server::Connections;

namespace {

struct Idler final : Connection {
    void end_revoked() noexcept override {}
    void drain() noexcept override {}
    void end_stream() noexcept override {}
    void give_way() noexcept override { ++gives; }
    void cut() noexcept override {}
    void expire() noexcept override {}
    int gives = 0;
};

const Connection::Clock::time_point start{1h};

std::shared_ptr<Idler> add(Connections& connections) {
    auto idler = std::make_shared<Idler>();
    connections.add(idler);
    return idler;
}

}  // namespace

TEST_CASE("a connection makes room that has waited the longest") {
    Connections connections(3);
    const auto busy = add(connections), older = add(connections);
    CHECK(connections.make_room());
    const auto newer = add(connections);
    CHECK_FALSE(connections.make_room());
    CHECK_FALSE(connections.awaits_room());  // full, but no connection is about to end
    older->set_waiting(start);
    newer->set_waiting(start + 1s);
    CHECK(connections.make_room());
    CHECK(connections.make_room());  // there is room now, although the connection has not ended yet
    CHECK(older->gives == 1);
    CHECK(connections.size() == 3);
    const auto next = add(connections);
    connections.remove(older);
    CHECK(connections.make_room());
    CHECK(newer->gives == 1);
    CHECK(busy->gives == 0);
    CHECK(next->gives == 0);
    CHECK(connections.displaced() == 2);
}

TEST_CASE("where many wait some make room at once, and there is an end to how many are ending") {
    constexpr sluice::server::ConnectionRoom room{1'000};
    Connections connections(room);
    std::vector<std::shared_ptr<Idler>> idlers;
    for (int i = 0; i < 1'000; ++i) {
        idlers.push_back(add(connections));
        idlers.back()->set_waiting(start + 1s * i);
    }
    CHECK(connections.make_room());
    CHECK(connections.displaced() == Connections::displaced_max);
    for (std::size_t i = 0; i < idlers.size(); ++i) CHECK(idlers[i]->gives == (i < Connections::displaced_max ? 1 : 0));
    std::vector<std::shared_ptr<Idler>> added;
    while (connections.make_room()) added.push_back(add(connections));
    CHECK(added.size() == room.ending);
    CHECK(connections.displaced() == room.ending);
    CHECK(connections.awaits_room());
    connections.remove(idlers.front());
    CHECK_FALSE(connections.awaits_room());
    CHECK(connections.make_room());
    CHECK(connections.displaced() == room.ending + 1);
}

TEST_CASE("where the system has no room some are cut, however many are open") {
    Connections connections(1'000);
    const auto busy = add(connections), older = add(connections), newer = add(connections);
    CHECK_FALSE(connections.displace());
    older->set_waiting(start);
    newer->set_waiting(start + 1s);
    CHECK(connections.displace());
    CHECK(older->gives == 1);
    CHECK(newer->gives + busy->gives == 0);
}

TEST_CASE("a connection that has received a request meanwhile does not give way, and another one does") {
    Connections connections(2);
    const auto first = add(connections), second = add(connections);
    first->set_waiting(start);
    second->set_waiting(start + 1s);
    CHECK(connections.make_room());
    CHECK(first->gives == 1);
    first->set_busy();
    connections.stays(*first);
    CHECK(connections.displaced() == 0);
    CHECK(connections.make_room());
    CHECK(second->gives == 1);
    CHECK(first->gives == 1);
    connections.remove(second);
    connections.stays(*second);  // too late
    CHECK(connections.displaced() == 1);
    CHECK(connections.make_room());
}

TEST_CASE("there are no more connections than file descriptors allow") {
    const auto enough = sluice::server::connection_room(10'000, 20'000, 100);
    CHECK(enough.connections == 10'000);
    CHECK(enough.ending == 512);
    CHECK(sluice::server::connection_room(10'000, std::numeric_limits<std::size_t>::max(), 100).connections == 10'000);
    for (const std::size_t descriptors : {16u, 100u, 256u, 1'024u, 10'000u, 10'200u}) {
        CAPTURE(descriptors);
        const auto room = sluice::server::connection_room(10'000, descriptors, 100);
        CHECK(room.ending >= 1);
        CHECK(room.connections >= descriptors / 3);
        CHECK(room.connections + room.ending <= descriptors - std::min<std::size_t>(100, descriptors / 2));
    }
    CHECK(sluice::server::connection_room(10, 256, 100).connections == 10);
    CHECK(sluice::server::connection_room(20'000, 20'000, 100).connections == 19'388);
}
