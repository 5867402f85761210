// Links with --wrap=accept: here it says of the first connections that they have ended before they were accepted.
#include "broker/server/net/listener.hpp"

#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <cerrno>
#include <deque>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/counters.hpp"
#include "broker/server/net/address_limits.hpp"
#include "broker/server/net/address_table.hpp"
#include "broker/server/net/connections.hpp"
#include "config/load.hpp"
#include "tests/support/eventually.hpp"

namespace {

constexpr std::array<int, 2> failures{ECONNABORTED, EPROTO};
std::atomic<std::size_t> failed{0};

}  // namespace

extern "C" int __real_accept(int listener, sockaddr* address, socklen_t* address_bytes);   // NOLINT: the linker's
extern "C" int __wrap_accept(int listener, sockaddr* address, socklen_t* address_bytes) {  // NOLINT: names
    const int connection = __real_accept(listener, address, address_bytes);
    if (connection < 0 || failed == failures.size()) return connection;
    ::close(connection);
    errno = failures[failed++];
    return -1;
}

namespace sluice::server {

namespace {

namespace asio = boost::asio;

struct CountedSessions final : SessionFactory {
    void start_session(std::unique_ptr<Transport>, Admission) override { ++count; }
    std::string rejection_text(Rejection) const override { return ""; }
    std::atomic<int> count{0};
};

// At the end they release a thread that waits in accept(), so that a test that fails does not hang.
class Clients {
public:
    explicit Clients(std::uint16_t port) : place_(asio::ip::address_v4::loopback(), port) {}
    Clients(const Clients&) = delete;
    Clients& operator=(const Clients&) = delete;
    ~Clients() {
        boost::system::error_code ignored;
        for (std::size_t i = 0; i <= failures.size(); ++i) clients_.emplace_back(io_).connect(place_, ignored);
    }

    void connect() { clients_.emplace_back(io_).connect(place_); }

private:
    const asio::ip::tcp::endpoint place_;
    asio::io_context io_;
    std::deque<asio::ip::tcp::socket> clients_;
};

}  // namespace

TEST_CASE("Listener: a connection that ends before it is accepted delays neither its thread nor the next ones") {
    const config::Options options = config::parse_config("", "").options;
    broker::Counters counters;
    Connections connections(10);
    base::MemoryBudget memory(64u << 20);
    AddressTable addresses(address_limits(options.limits, 10));
    ConnectionServices services{options, counters, connections, memory, addresses};
    CountedSessions sessions;
    std::atomic<std::size_t> reached{0};
    IoThreads threads(1);
    config::ListenerOptions place;
    place.address = "127.0.0.1";
    const auto listener = std::make_shared<Listener>(place, nullptr, threads, services, sessions);
    listener->keep_running();
    threads.start();
    Clients clients(listener->place().port);
    for (std::size_t i = 1; i <= failures.size(); ++i) {
        clients.connect();
        EVENTUALLY(failed == i);
        asio::post(threads.first(), [&] { ++reached; });
        EVENTUALLY(reached == i);
    }
    clients.connect();
    clients.connect();
    EVENTUALLY(sessions.count == 2);
    listener->close();
}

}  // namespace sluice::server
