#include "broker/net/listener.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>

#include "broker/base/log.hpp"
#include "broker/net/http_session.hpp"
#include "broker/net/http_text.hpp"

namespace sluice {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::milliseconds pause_after_error{100};  // out of file descriptors, mostly

tcp::endpoint endpoint_of(const HttpOptions& options) {
    return {asio::ip::make_address(options.address), options.port};
}

asio::awaitable<void> turn_away(tcp::socket socket) {
    HttpReply reply = status_reply(503, "limits.connections are open");
    reply.headers.emplace_back("Retry-After", "1");
    const std::string text = reply_head(reply, {11, false, reply.body.size()}) + reply.body;
    co_await asio::async_write(socket, asio::buffer(text), no_throw);
}

}  // namespace

Listener::Listener(IoThreads& threads, Services& services)
    : threads_(threads),
      services_(services),
      acceptor_(threads.first()),
      pause_(threads.first()),
      tick_(threads.first()) {
    const HttpOptions& options = services.options.http;
    try {
        const tcp::endpoint endpoint = endpoint_of(options);
        acceptor_.open(endpoint.protocol());
        acceptor_.set_option(asio::socket_base::reuse_address(true));
        acceptor_.bind(endpoint);
        acceptor_.listen();
    } catch (const boost::system::system_error& error) {
        // Without the place in Asio's source where it came up, which would be part of what().
        const boost::system::error_code code(error.code().value(), error.code().category());
        throw boost::system::system_error(
            code, "cannot listen on " + options.address + " port " + std::to_string(options.port));
    }
    local_ = acceptor_.local_endpoint();
}

void Listener::start() {
    asio::co_spawn(
        threads_.first(), [self = shared_from_this()] { return self->accept_connections(); }, asio::detached);
    asio::co_spawn(
        threads_.first(), [self = shared_from_this()] { return self->cut_late_connections(); }, asio::detached);
}

void Listener::close() {
    asio::post(threads_.first(), [self = shared_from_this()] {
        boost::system::error_code ignored;
        self->acceptor_.close(ignored);
        self->pause_.cancel();
    });
}

asio::awaitable<void> Listener::accept_connections() {
    while (acceptor_.is_open()) {
        auto [error, socket] = co_await acceptor_.async_accept(threads_.next(), no_throw);
        if (error == asio::error::operation_aborted) co_return;
        if (error) {
            log_warn("connection could not be accepted", {{"reason", error.message()}});
            pause_.expires_after(pause_after_error);
            co_await pause_.async_wait(no_throw);
            continue;
        }
        boost::system::error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        socket.set_option(asio::socket_base::keep_alive(true), ignored);
        if (services_.connections.has_room()) {
            count(services_.counters.connections_accepted);
            std::make_shared<HttpSession>(services_, std::move(socket))->start();
        } else {
            count(services_.counters.connections_refused);
            auto executor = socket.get_executor();
            asio::co_spawn(executor, turn_away(std::move(socket)), asio::detached);
        }
    }
}

// Also while draining: the io_context's end ends it.
asio::awaitable<void> Listener::cut_late_connections() {
    const HttpOptions& options = services_.options.http;
    const Duration shortest = std::min(options.idle_timeout, options.request_timeout);
    const Duration interval = std::clamp<Duration>(shortest / 4, std::chrono::milliseconds(5), std::chrono::seconds(1));
    for (;;) {
        tick_.expires_after(interval);
        const auto [error] = co_await tick_.async_wait(no_throw);
        if (error) co_return;
        services_.connections.cut_late(Connection::Clock::now());
    }
}

}  // namespace sluice
