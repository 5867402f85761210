#include "broker/server/net/read_proxy_header.hpp"

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <memory>
#include <sys/socket.h>

#include "broker/server/net/transport.hpp"

namespace sluice::server {

namespace asio = boost::asio;

asio::awaitable<ProxyHeader> read_proxy_header(asio::generic::stream_protocol::socket& socket,
                                               std::chrono::microseconds time) {
    const auto deadline = std::make_shared<asio::steady_timer>(co_await asio::this_coro::executor, time);
    deadline->async_wait([weak = std::weak_ptr(deadline), &socket](const boost::system::error_code& error) {
        boost::system::error_code ignored;
        if (!error && !weak.expired()) socket.cancel(ignored);
    });
    std::array<char, ProxyHeader::v2_bytes_max> text;
    std::size_t taken = 0;
    ProxyHeader header{ProxyHeader::State::more};
    while (header.state == ProxyHeader::State::more) {
        const auto [error] = co_await socket.async_wait(asio::socket_base::wait_read, no_throw);
        if (error || deadline->expiry() <= asio::steady_timer::clock_type::now()) co_return ProxyHeader{};
        const int descriptor = socket.native_handle();
        const ssize_t seen = recv(descriptor, text.data() + taken, text.size() - taken, MSG_PEEK | MSG_DONTWAIT);
        if (seen < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (seen <= 0) co_return ProxyHeader{};
        header = parse_proxy_header({text.data(), taken + static_cast<std::size_t>(seen)});
        if (header.state == ProxyHeader::State::refused) co_return header;
        // All that is seen of an unfinished header belongs to it.
        const std::size_t more =
            header.state == ProxyHeader::State::done ? header.bytes - taken : static_cast<std::size_t>(seen);
        if (recv(descriptor, text.data() + taken, more, MSG_DONTWAIT) != static_cast<ssize_t>(more))
            co_return ProxyHeader{};
        taken += more;
    }
    co_return header;
}

}  // namespace sluice::server
