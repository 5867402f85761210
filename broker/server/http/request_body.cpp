#include "broker/server/http/request_body.hpp"

#include <array>
#include <spdlog/fmt/compile.h>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "broker/server/http/busy_problems.hpp"
#include "broker/server/http/permission.hpp"
#include "broker/server/http/request_refusals.hpp"
#include "config/options.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

constexpr std::size_t few_bytes = connection_memory_bytes / 2;  // of buffers, which are worth keeping

}  // namespace

// While it lives, read() waits.
class RequestBody::Waiting {
public:
    Waiting(RequestBody& body, Clock::time_point deadline) : body_(body) {
        Connection& connection = body.session_.connection;
        connection.set_deadline(deadline);
        const bool may_give_way = deadline == Clock::time_point::max();
        if (may_give_way) connection.set_waiting(Clock::now() + RequestArrival::familiar_lead);
        body.waits_ = true;
        body.interrupted_ = false;
    }
    ~Waiting() {
        body_.waits_ = false;
        body_.session_.connection.set_busy();
        body_.session_.connection.clear_deadline();
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    RequestBody& body_;
};

// Nothing suspends before it waits, once the client has been asked for the body: interrupt() is never missed.
asio::awaitable<std::optional<BodyStream::End>> RequestBody::read(std::string& into, Clock::time_point deadline) {
    using ArrivalEnd = RequestArrival::End;
    if (!asked_ && !has_gone_on_ && !co_await go_on()) co_return End::peer_left;
    if (asked_) co_return asked_;
    std::optional<ArrivalEnd> ended;
    {
        const Waiting waiting(*this, deadline);
        ended = co_await session_.arrival.read_body_part();
    }
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

void RequestBody::narrow() {
    if (memory_bytes() > few_bytes) session_.reader.narrow();
}

HttpReply RequestBody::refusal(End end) const {
    switch (end) {
        case End::draining:
            return busy_problem("the broker is shutting down");
        case End::revoked:
            return unauthorized("the user or its rights have changed");
        case End::displaced:
            return busy_problem("other clients needed the connection, by which no document was coming");
        case End::no_memory:
            return busy_problem("there was no memory for the rest of the body");
        case End::peer_left:
        case End::complete:
            return status_reply(400, "the connection was closed before the end of the body");
        case End::late:
        case End::refused:
            break;
    }
    return arrival_refusal(arrived_, session_.services, session_.address, session_.reader);
}

// Not before its handler wants the body, or has begun to reply: what it refuses is not sent.
asio::awaitable<bool> RequestBody::go_on() {
    has_gone_on_ = true;
    if (session_.reader.is_complete()) co_return true;
    session_.connection.set_deadline(Clock::now() + session_.services.options.http.request_timeout);
    const bool is_told = co_await session_.arrival.go_on();
    session_.connection.clear_deadline();
    co_return is_told;
}

asio::awaitable<bool> RequestBody::begin_reply(HttpReply reply) {
    if (!has_gone_on_ && !co_await go_on()) co_return false;
    chunks_ = session_.reader.head().version() >= 11;
    const std::string head = session_.begin_reply(reply);
    asio::const_buffer buffer = asio::buffer(head);
    co_return co_await write_all(std::span(&buffer, 1));
}

asio::awaitable<bool> RequestBody::write(std::string_view text) {
    const std::string size = chunks_ ? fmt::format(FMT_COMPILE("{:x}\r\n"), text.size()) : std::string();
    const std::string_view end = chunks_ ? "\r\n" : "";
    std::array<asio::const_buffer, 3> buffers = {asio::buffer(size), asio::buffer(text), asio::buffer(end)};
    co_return co_await write_all(buffers);
}

asio::awaitable<bool> RequestBody::end_reply() {
    constexpr std::string_view last_chunk = "0\r\n\r\n";
    if (!chunks_) co_return true;
    asio::const_buffer buffer = asio::buffer(last_chunk);
    co_return co_await write_all(std::span(&buffer, 1));
}

// Data that the client does not read ends the connection after a while.
asio::awaitable<bool> RequestBody::write_all(std::span<asio::const_buffer> buffers) {
    if (session_.transport.write_now(buffers)) co_return true;
    session_.connection.set_deadline(Clock::now() + session_.services.options.http.request_timeout);
    const bool written = co_await session_.transport.write(buffers);
    session_.connection.clear_deadline();
    co_return written;
}

}  // namespace sluice::server
