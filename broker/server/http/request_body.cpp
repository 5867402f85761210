#include "broker/server/http/request_body.hpp"

#include <boost/asio/buffer.hpp>
#include <span>
#include <spdlog/fmt/compile.h>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "broker/server/http/busy_problems.hpp"
#include "broker/server/http/permission.hpp"
#include "broker/server/http/request_refusals.hpp"
#include "config/options.hpp"

namespace sluice::server {

namespace asio = boost::asio;

asio::awaitable<std::optional<BodyStream::End>> RequestBody::read(std::string& into, Clock::time_point deadline) {
    using ArrivalEnd = RequestArrival::End;
    if (asked_) co_return asked_;
    session_.connection.set_deadline(deadline);
    waits_ = true;
    interrupted_ = false;
    const std::optional<ArrivalEnd> ended = co_await session_.arrival.read_body_part();
    waits_ = false;
    session_.connection.clear_deadline();
    std::string& body = session_.reader.body();
    bytes_ += body.size();
    if (into.empty())
        into.swap(body);
    else
        into.append(body);
    body.clear();
    if (!ended) co_return asked_;
    arrived_ = *ended;
    switch (*ended) {
        case ArrivalEnd::complete:
            co_return End::complete;
        case ArrivalEnd::late:
            co_return End::late;
        case ArrivalEnd::peer_left:
            if (asked_ || interrupted_) co_return asked_;  // a wait that was cancelled looks the same
            co_return End::peer_left;
        default:
            break;
    }
    co_return End::refused;
}

void RequestBody::interrupt() noexcept {
    if (!waits_) return;
    interrupted_ = true;
    session_.transport.cancel();
}

void RequestBody::end(End why) noexcept {
    if (!asked_) asked_ = why;
    interrupt();
}

std::size_t RequestBody::memory_bytes() const {
    return session_.reader.input_capacity() + session_.reader.body().capacity();
}

HttpReply RequestBody::refusal(End end) const {
    switch (end) {
        case End::draining:
            return busy_problem("the daemon is shutting down");
        case End::revoked:
            return unauthorized("the user or its rights have changed");
        case End::peer_left:
        case End::complete:
            return status_reply(400, "the connection was closed before the end of the body");
        case End::late:
        case End::refused:
            break;
    }
    return arrival_refusal(arrived_, session_.services, session_.address, session_.reader);
}

asio::awaitable<bool> RequestBody::begin_reply(HttpReply reply) {
    chunks_ = session_.reader.head().version() >= 11;
    return write_bytes(session_.begin_reply(reply));
}

asio::awaitable<bool> RequestBody::write(std::string_view text) {
    if (!chunks_) return write_bytes(std::string(text));
    return write_bytes(fmt::format(FMT_COMPILE("{:x}\r\n"), text.size()).append(text) + "\r\n");
}

asio::awaitable<bool> RequestBody::end_reply() { return write_bytes(chunks_ ? "0\r\n\r\n" : ""); }

// Data that the client does not read ends the connection after a while.
asio::awaitable<bool> RequestBody::write_bytes(std::string bytes) {
    asio::const_buffer buffer = asio::buffer(bytes);
    if (session_.transport.write_now(std::span(&buffer, 1))) co_return true;
    session_.connection.set_deadline(Clock::now() + session_.services.options.http.request_timeout);
    const bool written = co_await session_.transport.write(std::span<const asio::const_buffer>(&buffer, 1));
    session_.connection.clear_deadline();
    co_return written;
}

}  // namespace sluice::server
