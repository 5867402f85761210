#include "broker/server/net/tls_transport.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <boost/beast/core/buffers_suffix.hpp>
#include <iterator>
#include <string_view>
#include <sys/socket.h>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/server/net/turns.hpp"

namespace sluice::server {

namespace asio = boost::asio;

using State = TlsSession::State;

namespace {

constexpr std::string_view plain_http_reply =
    "HTTP/1.1 400 Bad Request\r\n"
    "Content-Type: text/plain\r\n"
    "Connection: close\r\n"
    "\r\n"
    "this port speaks TLS; use https://\n";

// One for each thread, since nothing is kept in it.
std::array<char, TlsSession::record_bytes>& scratch() {
    thread_local std::array<char, TlsSession::record_bytes> bytes;
    return bytes;
}

// What the next record is to carry: a piece of the first buffer that is not empty, or, if it is short, a copy of it and
// those that follow. Many short buffers make one record.
template <typename Buffers>
asio::const_buffer next_record(const Buffers& buffers) {
    const auto first = std::find_if(asio::buffer_sequence_begin(buffers), asio::buffer_sequence_end(buffers),
                                    [](const asio::const_buffer& buffer) { return buffer.size() != 0; });
    if (first == asio::buffer_sequence_end(buffers)) return {};
    const asio::const_buffer buffer = *first;
    if (buffer.size() >= TlsSession::record_bytes || std::next(first) == asio::buffer_sequence_end(buffers))
        return asio::buffer(buffer, TlsSession::record_bytes);
    return asio::buffer(scratch(), asio::buffer_copy(asio::buffer(scratch()), buffers));
}

}  // namespace

TlsTransport::TlsTransport(Socket socket, TlsSession session)
    : SocketTransport(std::move(socket)), session_(std::move(session)) {
    session_.attach(this->socket().native_handle());
}

asio::awaitable<bool> TlsTransport::wait_for(State state) {
    if (state != State::wants_read && state != State::wants_write) co_return false;
    const auto wait = state == State::wants_read ? Socket::wait_read : Socket::wait_write;
    const auto [error] = co_await socket().async_wait(wait, no_throw);
    co_return !error;
}

// Each step takes a turn, since it may cost a millisecond: connections that are served do not wait for many of them.
asio::awaitable<bool> TlsTransport::open(const std::function<bool()>& begin) {
    if (!co_await wait_for(State::wants_read) || !begin()) co_return false;
    for (State state = State::wants_read; state != State::ended;) {
        co_await take_turn(executor());
        if (!socket().is_open()) co_return false;
        state = session_.shake_hands();
        if (state == State::done) co_return true;
        if (state != State::ended && !co_await wait_for(state)) co_return false;
    }
    if (session_.met_plain_http())
        send(socket().native_handle(), plain_http_reply.data(), plain_http_reply.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    base::log_at(config::LogLevel::debug, [this] {
        base::log_debug("TLS handshake failed", {{"peer", peer()}, {"reason", session_.failure()}});
    });
    co_return false;
}

asio::awaitable<std::size_t> TlsTransport::read_some(asio::mutable_buffer room) {
    for (;;) {
        if (!socket().is_open()) co_return 0;
        const TlsSession::Transfer read = session_.read(static_cast<char*>(room.data()), room.size());
        if (read.state == State::done) co_return read.bytes;
        if (!co_await wait_for(read.state)) co_return 0;
    }
}

asio::awaitable<void> TlsTransport::wait_to_read() {
    if (!session_.may_have_bytes()) co_await socket().async_wait(Socket::wait_read, no_throw);
    co_await take_turn(executor());
}

std::size_t TlsTransport::write_some_now(std::span<const asio::const_buffer> buffers) noexcept {
    if (!socket().is_open() || asio::buffer_size(buffers) > piece_bytes) return 0;
    boost::beast::buffers_suffix<std::span<const asio::const_buffer>> rest(buffers);
    std::size_t written = 0;
    for (;;) {
        const asio::const_buffer record = next_record(rest);
        if (record.size() == 0) return written;
        const auto [state, bytes] = session_.write(static_cast<const char*>(record.data()), record.size());
        if (state != State::done) return written;
        written += bytes;
        rest.consume(bytes);
    }
}

asio::awaitable<bool> TlsTransport::write(std::span<const asio::const_buffer> buffers) {
    boost::beast::buffers_suffix<std::span<const asio::const_buffer>> rest(buffers);
    const bool takes_turns = asio::buffer_size(buffers) > piece_bytes;
    for (std::size_t written = takes_turns ? piece_bytes : 0;;) {
        if (takes_turns && written >= piece_bytes) {
            co_await take_turn(executor());
            written = 0;
        }
        if (!socket().is_open()) co_return false;
        const asio::const_buffer record = next_record(rest);
        if (record.size() == 0) co_return true;
        const auto [state, bytes] = session_.write(static_cast<const char*>(record.data()), record.size());
        if (state == State::done) {
            written += bytes;
            rest.consume(bytes);
        } else if (!co_await wait_for(state)) {
            co_return false;
        }
    }
}

void TlsTransport::on_input(std::function<void()> function) {
    if (!session_.may_have_bytes()) return SocketTransport::on_input(std::move(function));
    asio::post(executor(), std::move(function));
}

bool TlsTransport::drop_arrived() {
    for (std::size_t dropped = 0; dropped < dropped_at_once && socket().is_open();) {
        const auto [state, bytes] = session_.read(scratch().data(), scratch().size());
        if (state != State::done) return state != State::ended;
        dropped += bytes;
    }
    return socket().is_open();
}

void TlsTransport::end_sending() noexcept {
    if (socket().is_open()) session_.end_sending();
    SocketTransport::end_sending();
}

void TlsTransport::close() noexcept {
    if (socket().is_open()) session_.end_sending();
    SocketTransport::close();
}

}  // namespace sluice::server
