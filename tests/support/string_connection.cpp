#include "tests/support/string_connection.hpp"

#include <algorithm>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstring>
#include <exception>
#include <utility>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/server/endpoints.hpp"
#include "broker/server/net/connection_services.hpp"
#include "broker/server/net/session_factory.hpp"
#include "broker/server/net/turns.hpp"

namespace sluice::testing {

namespace asio = boost::asio;

namespace {

constexpr std::size_t room = 1u << 20;  // so that strings need no memory while allocations fail
constexpr std::chrono::milliseconds moment{20};

}  // namespace

// The other end of the connection, which outlives the session.
struct StringConnection::Peer {
    Peer(asio::io_context& io, std::size_t piece_max, std::size_t can_be_written)
        : reading(io, asio::steady_timer::time_point::max()),
          waiting(io, asio::steady_timer::time_point::max()),
          writing(io, asio::steady_timer::time_point::max()),
          piece(piece_max),
          output_max(can_be_written) {
        input.reserve(room);
        output.reserve(room);
    }

    bool has_input() const { return closed || input_ended || read < input.size(); }
    void wake() noexcept {
        reading.cancel();
        waiting.cancel();
        writing.cancel();
    }

    asio::steady_timer reading, waiting;  // cancelled when there is something to read
    asio::steady_timer writing;           // cancelled when something can be written
    const std::size_t piece, output_max;
    std::string input, output;
    std::size_t read = 0, reads = 0, writes = 0;
    bool input_ended = false, closed = false, takes_output = true;
};

class StringConnection::Transport final : public server::Transport {
public:
    explicit Transport(std::shared_ptr<Peer> peer) : peer_(std::move(peer)) {}

    asio::any_io_executor executor() override { return peer_->reading.get_executor(); }
    std::string peer() const override { return "192.0.2.1:1"; }

    asio::awaitable<bool> open(const std::function<bool()>&) override { co_return true; }
    std::string user() const override { return {}; }

    asio::awaitable<std::size_t> read_some(asio::mutable_buffer to) override {
        cancelled_ = false;
        while (!peer_->has_input() && !cancelled_) co_await peer_->reading.async_wait(server::no_throw);
        if (cancelled_ || peer_->closed) co_return 0;
        const std::size_t n = std::min({to.size(), peer_->piece, peer_->input.size() - peer_->read});
        std::memcpy(to.data(), peer_->input.data() + peer_->read, n);
        peer_->read += n;
        if (n != 0) ++peer_->reads;
        co_return n;
    }
    asio::awaitable<void> wait_to_read() override {
        cancelled_ = false;
        while (!peer_->has_input() && !cancelled_) co_await peer_->reading.async_wait(server::no_throw);
        co_await server::take_turn(executor());
    }
    asio::awaitable<bool> write(std::span<const asio::const_buffer> buffers) override {
        co_await asio::post(executor(), asio::use_awaitable);
        if (!peer_->takes_output) cancelled_ = false;
        while (!peer_->takes_output && !peer_->closed && !cancelled_)
            co_await peer_->writing.async_wait(server::no_throw);
        if (!peer_->takes_output) co_return false;
        ++peer_->writes;
        for (const asio::const_buffer& buffer : buffers) {
            if (peer_->closed || buffer.size() > peer_->output_max - peer_->output.size()) co_return false;
            peer_->output.append(static_cast<const char*>(buffer.data()), buffer.size());
        }
        co_return true;
    }

    void on_input(std::function<void()> function) override {
        peer_->waiting.async_wait([function = std::move(function)](const boost::system::error_code&) { function(); });
        if (peer_->has_input()) peer_->waiting.cancel();
    }
    bool drop_arrived() override {
        peer_->read = peer_->input.size();
        return !peer_->input_ended && !peer_->closed;
    }
    bool peer_has_left() override { return peer_->input_ended || peer_->closed; }

    void end_sending() noexcept override {  // the peer then ends, too
        peer_->input_ended = true;
        peer_->wake();
    }
    void cancel() noexcept override {
        cancelled_ = true;
        peer_->wake();
    }
    void close() noexcept override {
        peer_->closed = true;
        peer_->wake();
    }
    void abort() noexcept override { close(); }

private:
    std::size_t write_some_now(std::span<const asio::const_buffer> buffers) noexcept override {
        const std::size_t n = std::min(asio::buffer_size(buffers), peer_->piece);
        const std::size_t before = peer_->output.size();
        if (peer_->closed || !peer_->takes_output || n > peer_->output_max - before) return 0;
        if (n != 0) ++peer_->writes;
        peer_->output.resize(before + n);
        return asio::buffer_copy(asio::buffer(peer_->output.data() + before, n), buffers);
    }

    const std::shared_ptr<Peer> peer_;
    bool cancelled_ = false;
};

StringConnection::StringConnection(asio::io_context& io, server::Services& services, std::size_t piece,
                                   std::size_t output_max, server::Router router)
    : io_(io),
      peer_(std::make_shared<Peer>(io, piece, output_max)),
      router_(router ? std::move(router) : server::make_router(services)) {
    const asio::ip::address address = asio::ip::address_v4::loopback();
    server::Admission admission{server::Principal{address},
                                services.addresses.connect(address, server::AddressTable::Clock::now()), false, false,
                                services.memory.charge(base::MemoryUse::connections, server::connection_memory_bytes)};
    const auto session =
        std::make_shared<server::HttpSession>(services, services.browser_rules, services.authentication, router_,
                                              std::make_unique<Transport>(peer_), std::move(admission));
    session_ = session;
    session->start();
}

StringConnection::~StringConnection() {
    take_output(true);
    end();
    while (!has_ended()) run();
}

void StringConnection::send(std::string_view bytes) {
    peer_->input += bytes;
    peer_->wake();
}

void StringConnection::end() {
    peer_->input_ended = true;
    peer_->wake();
}

void StringConnection::take_output(bool takes) {
    peer_->takes_output = takes;
    peer_->wake();
}

const std::string& StringConnection::output() const { return peer_->output; }

std::size_t StringConnection::writes() const { return peer_->writes; }

std::size_t StringConnection::reads() const { return peer_->reads; }

std::size_t StringConnection::unread_bytes() const { return peer_->input.size() - peer_->read; }

void StringConnection::run() {
    try {
        io_.restart();
        io_.run_one_for(moment);
    } catch (const std::exception&) {
    }
}

}  // namespace sluice::testing
