#include "broker/server/net/socket_transport.hpp"

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_suffix.hpp>
#include <cerrno>
#include <poll.h>
#include <spdlog/fmt/fmt.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <utility>

#include "broker/server/net/plain_address.hpp"
#include "broker/server/net/turns.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

constexpr std::size_t buffers_at_once = 256;  // of a piece

// Writes once, at most one piece.
std::size_t one_piece(const boost::system::error_code& error, std::size_t written) {
    return error || written != 0 ? 0 : piece_bytes;
}

}  // namespace

SocketTransport::SocketTransport(Socket socket) : socket_(std::move(socket)) {
    boost::system::error_code ignored;  // it may be broken already
    socket_.non_blocking(true, ignored);
}

std::string SocketTransport::peer() const {
    boost::system::error_code error;
    const auto endpoint = socket_.remote_endpoint(error);
    return error ? "" : endpoint_text(endpoint);
}

asio::awaitable<bool> SocketTransport::open(const std::function<bool()>&) { co_return true; }

asio::awaitable<std::size_t> SocketTransport::read_some(asio::mutable_buffer room) {
    const auto [error, n] = co_await socket_.async_read_some(room, no_throw);
    co_return error ? 0 : n;
}

asio::awaitable<void> SocketTransport::wait_to_read() {
    co_await socket_.async_wait(asio::socket_base::wait_read, no_throw);
    co_await take_turn(socket_.get_executor());
}

// By one system call. Asio's takes 64 buffers at most, which is 31 short events.
std::size_t SocketTransport::write_some_now(std::span<const asio::const_buffer> buffers) noexcept {
    if (asio::buffer_size(buffers) > piece_bytes) return 0;
    std::array<iovec, buffers_at_once> parts;
    std::size_t n = 0;
    for (const asio::const_buffer& buffer : buffers) {
        if (buffer.size() == 0) continue;
        if (n == parts.size()) break;
        parts[n++] = {const_cast<void*>(buffer.data()), buffer.size()};
    }
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = n;
    const ssize_t written = sendmsg(socket_.native_handle(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    return written > 0 ? static_cast<std::size_t>(written) : 0;  // write() finds what is wrong
}

asio::awaitable<bool> SocketTransport::write(std::span<const asio::const_buffer> buffers) {
    return asio::buffer_size(buffers) <= piece_bytes ? write_at_once(buffers) : write_in_turns(buffers);
}

asio::awaitable<bool> SocketTransport::write_at_once(std::span<const asio::const_buffer> buffers) {
    const auto [error, n] = co_await asio::async_write(socket_, buffers, no_throw);
    co_return !error;
}

asio::awaitable<bool> SocketTransport::write_in_turns(std::span<const asio::const_buffer> buffers) {
    boost::beast::buffers_suffix<std::span<const asio::const_buffer>> rest(buffers);
    while (asio::buffer_size(rest) != 0) {
        co_await take_turn(socket_.get_executor());
        const auto [error, n] = co_await asio::async_write(socket_, rest, one_piece, no_throw);
        if (error) co_return false;
        rest.consume(n);
    }
    co_return true;
}

void SocketTransport::on_input(std::function<void()> function) {
    socket_.async_wait(asio::socket_base::wait_read,
                       [function = std::move(function)](const boost::system::error_code&) { function(); });
}

bool SocketTransport::drop_arrived() {
    const ssize_t dropped = recv(socket_.native_handle(), nullptr, dropped_at_once, MSG_TRUNC | MSG_DONTWAIT);
    return dropped > 0 || (dropped < 0 && (errno == EAGAIN || errno == EINTR));
}

// Polls each time, since waiting until the socket is readable would end at once if bytes are pending.
bool SocketTransport::peer_has_left() {
    if (!socket_.is_open()) return true;
    pollfd state{socket_.native_handle(), POLLRDHUP, 0};
    return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

void SocketTransport::end_sending() noexcept {
    boost::system::error_code ignored;
    socket_.shutdown(asio::socket_base::shutdown_send, ignored);
}

void SocketTransport::cancel() noexcept {
    boost::system::error_code ignored;  // it may have been closed already
    socket_.cancel(ignored);
}

void SocketTransport::close() noexcept {
    boost::system::error_code ignored;
    socket_.close(ignored);
}

void SocketTransport::abort() noexcept {
    boost::system::error_code ignored;
    socket_.set_option(asio::socket_base::linger(true, 0), ignored);
    socket_.close(ignored);
}

}  // namespace sluice::server
