#include "broker/net/event_stream.hpp"

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <span>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/delivery/frames.hpp"

namespace sluice {

namespace asio = boost::asio;

namespace {

constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);

std::string peer_of(const asio::ip::tcp::socket& socket) {
    boost::system::error_code error;
    const auto endpoint = socket.remote_endpoint(error);
    return error ? "" : fmt::format("{}:{}", endpoint.address().to_string(), endpoint.port());
}

// A subscriber has nothing more to say; reading shows when it goes away.
asio::awaitable<void> watch_client(asio::ip::tcp::socket& socket) {
    std::array<char, 512> ignored;
    for (;;) {
        const auto [error, n] = co_await socket.async_read_some(asio::buffer(ignored), no_throw);
        if (error) co_return;
    }
}

}  // namespace

EventStream::EventStream(Services& services, std::shared_ptr<Alarm> alarm, std::shared_ptr<Subscriber> subscriber,
                         std::string notes)
    : services_(services), alarm_(std::move(alarm)), subscriber_(std::move(subscriber)), notes_(std::move(notes)) {}

EventStream::~EventStream() {
    alarm_->on_ring = nullptr;
    subscriber_->mailbox.finish();
    services_.registry.remove(subscriber_);
    services_.subscribers.fetch_sub(1);
}

std::function<void()> EventStream::ring(const std::shared_ptr<Alarm>& alarm) {
    return [alarm] {
        asio::post(alarm->timer.get_executor(), [alarm] {
            alarm->timer.cancel();
            if (alarm->on_ring) alarm->on_ring();
        });
    };
}

asio::awaitable<void> EventStream::run(Socket& socket, Connection& connection, std::string head, bool chunked) {
    using namespace asio::experimental::awaitable_operators;
    chunked_ = chunked;
    const std::string peer = peer_of(socket);
    alarm_->on_ring = [this, &connection] {
        if (subscriber_->mailbox.state() == Mailbox::State::overflowed)
            connection.set_deadline(Connection::Clock::now() + services_.options.delivery.close_timeout);
        else if (!subscriber_->mailbox.farewell().empty())
            connection.set_deadline(Connection::Clock::now() + services_.options.http.request_timeout);
    };
    connection.clear_deadline();
    if (co_await write(socket, head + chunk(": subscribed\n\n" + std::exchange(notes_, {})))) {
        co_await (write_events(socket) || watch_client(socket));
    }
    alarm_->on_ring = nullptr;
    if (subscriber_->mailbox.state() == Mailbox::State::overflowed) {
        log_warn("slow consumer disconnected", {{"peer", peer}});
    } else if (!subscriber_->mailbox.farewell().empty()) {
        log_warn("slow filter, subscriber disconnected", {{"peer", peer}});
    }
}

asio::awaitable<void> EventStream::write_events(Socket& socket) {
    Mailbox& mailbox = subscriber_->mailbox;
    for (;;) {
        const auto [messages, state] = mailbox.take();
        if (!messages.empty()) {
            if (!co_await write(socket, messages)) co_return;
            mailbox.written(messages);
            count(services_.counters.deliveries_written, messages.size());
            continue;
        }
        if (state != Mailbox::State::open) {
            co_await write_end(socket, state);
            co_return;
        }
        alarm_->timer.expires_after(services_.options.delivery.heartbeat);
        const auto [rung] = co_await alarm_->timer.async_wait(no_throw);
        if (!rung && !co_await write(socket, chunk(": heartbeat\n\n"))) co_return;
    }
}

asio::awaitable<void> EventStream::write_end(Socket& socket, Mailbox::State state) {
    std::string end = subscriber_->mailbox.farewell();
    if (state == Mailbox::State::overflowed) end = slow_consumer_frame();
    if (!end.empty()) end = chunk(end);
    if (chunked_) end += "0\r\n\r\n";
    co_await write(socket, std::move(end));
}

asio::awaitable<bool> EventStream::write(Socket& socket, const std::vector<Message>& messages) {
    std::size_t bytes = 0;
    for (const Message& message : messages) bytes += message.size();
    const std::string chunk_head = chunked_ ? fmt::format("{:x}\r\n", bytes) : "";
    std::vector<asio::const_buffer> buffers;
    buffers.reserve(2 * messages.size() + 2);
    buffers.push_back(asio::buffer(chunk_head));
    for (const Message& message : messages) {
        buffers.push_back(asio::buffer(*message.head));
        if (!message.tail.empty()) buffers.push_back(asio::buffer(message.tail));
    }
    if (chunked_) buffers.push_back(asio::buffer("\r\n", 2));
    const auto [error, n] = co_await asio::async_write(socket, std::span<const asio::const_buffer>(buffers), no_throw);
    co_return !error;
}

asio::awaitable<bool> EventStream::write(Socket& socket, std::string text) {
    const auto [error, n] = co_await asio::async_write(socket, asio::buffer(text), no_throw);
    co_return !error;
}

std::string EventStream::chunk(std::string_view text) const {
    return chunked_ ? fmt::format("{:x}\r\n{}\r\n", text.size(), text) : std::string(text);
}

}  // namespace sluice
