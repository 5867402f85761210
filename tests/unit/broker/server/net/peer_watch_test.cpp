#include "broker/server/net/peer_watch.hpp"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>

#include "broker/server/net/socket_transport.hpp"

namespace asio = boost::asio;
using asio::ip::tcp;
using sluice::server::Departure;
using sluice::server::PeerWatch;
using sluice::server::SocketTransport;

namespace {

struct Pair {
    Pair() {
        tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
        client.connect(acceptor.local_endpoint());
        server = std::make_unique<SocketTransport>(acceptor.accept());
        watch = std::make_shared<PeerWatch>(*server, departure);
    }

    asio::io_context io;
    tcp::socket client{io};
    std::unique_ptr<SocketTransport> server;
    std::shared_ptr<Departure> departure = std::make_shared<Departure>();
    std::shared_ptr<PeerWatch> watch;
};

asio::awaitable<void> read_some(SocketTransport& transport, std::size_t& n) {
    std::array<char, 100> room;
    n = co_await transport.read_some(asio::buffer(room));
}

}  // namespace

TEST_CASE("a client that leaves is noticed, what it sent before is left alone") {
    for (const bool resets : {false, true}) {
        Pair pair;
        asio::write(pair.client, asio::buffer("next request", 12));
        pair.watch->start();
        pair.io.run_one();
        CHECK_FALSE(pair.departure->noticed);
        if (resets) {
            pair.client.set_option(asio::socket_base::linger(true, 0));
            pair.client.close();
        } else {
            pair.client.shutdown(tcp::socket::shutdown_send);
        }
        pair.io.run();  // ends when nothing is watched any more
        CHECK(pair.departure->noticed);
        if (resets) continue;
        std::size_t n = 0;
        asio::co_spawn(pair.io, read_some(*pair.server, n), asio::detached);
        pair.io.restart();
        pair.io.run();
        CHECK(n == 12);
    }
}

TEST_CASE("a connection that is cut has no client") {
    Pair pair;
    pair.watch->start();
    pair.server->close();
    pair.io.run();
    CHECK(pair.departure->noticed);
}

TEST_CASE("nothing is noticed when the watch has stopped") {
    Pair pair;
    pair.watch->start();
    pair.watch->stop();
    pair.client.close();
    pair.io.run();
    CHECK_FALSE(pair.departure->noticed);
}
