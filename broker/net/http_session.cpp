#include "broker/net/http_session.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/read.hpp>

#include "broker/base/log.hpp"
#include "broker/net/event_stream.hpp"
#include "broker/net/http_text.hpp"

namespace sluice {

namespace asio = boost::asio;

namespace {

constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t first_read_bytes = 4'096;  // a small document comes in one piece with its head
constexpr std::size_t read_ahead_bytes = 64u << 10;
constexpr std::size_t ignored_body_bytes_max = 64u << 10;  // of a request to an endpoint that takes no body
constexpr std::chrono::seconds linger_timeout{2};

}  // namespace

HttpSession::HttpSession(Services& services, asio::ip::tcp::socket socket)
    : services_(services), socket_(std::move(socket)), buffer_(services.options.http.header_bytes + read_ahead_bytes) {
    buffer_.reserve(first_read_bytes);
}

void HttpSession::start() {
    services_.connections.add(shared_from_this());
    asio::co_spawn(socket_.get_executor(), run(), [self = shared_from_this()](const std::exception_ptr&) {
        self->services_.connections.remove(self);
    });
}

void HttpSession::drain() {
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
        self->draining_ = true;
        const bool nothing_begun = self->between_requests_ && !self->parser_->got_some() && self->buffer_.size() == 0;
        if (nothing_begun) self->socket_.cancel();
    });
}

void HttpSession::end_stream() {
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
        if (self->stream_) self->stream_->finish();
    });
}

void HttpSession::cut() {
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
        boost::system::error_code ignored;
        // What a slow subscriber has not taken is not worth the kernel's memory.
        if (self->stream_) self->socket_.set_option(asio::socket_base::linger(true, 0), ignored);
        self->socket_.close(ignored);
    });
}

asio::awaitable<void> HttpSession::run() {
    Next next = Next::close;
    bool failed = false;
    try {
        next = co_await serve_requests();
    } catch (const std::exception& error) {
        log_error("request failed", {{"reason", error.what()}});
        failed = true;
    }
    stream_.reset();
    if (failed && !replying_) next = co_await refuse(500, "the request could not be completed");
    if (next == Next::close) co_await linger();
    boost::system::error_code ignored;
    socket_.close(ignored);
}

asio::awaitable<HttpSession::Next> HttpSession::serve_requests() {
    Next next = Next::request;
    while (next == Next::request) next = co_await serve_request();
    co_return next;
}

void HttpSession::prepare_parser() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(services_.options.http.header_bytes));
    parser_->body_limit(boost::none);  // set when the endpoint is known
}

asio::awaitable<HttpSession::Next> HttpSession::serve_request() {
    prepare_parser();
    replying_ = false;
    if (draining_ && buffer_.size() == 0) co_return Next::close;
    set_deadline(Clock::now() + services_.options.http.idle_timeout);
    between_requests_ = true;
    const auto [error, n] = co_await http::async_read_header(socket_, buffer_, *parser_, no_throw);
    between_requests_ = false;
    if (error) co_return co_await refuse_unreadable(error);
    set_deadline(Clock::now() + services_.options.http.request_timeout);
    count(services_.counters.requests);

    if (auto reply = find_fault_in_head()) co_return co_await write_reply(std::move(*reply));
    const auto& message = parser_->get();
    auto target = parse_target(message.target());
    if (!target) co_return co_await refuse(400, "the request target is not a path with a well-formed query");
    Route route = find_route(message.method(), target->path);
    if (route.endpoint == nullptr) co_return co_await write_reply(std::move(route.refusal));
    HttpRequest request{message.method(), target->path, &message.base(), std::move(target->query), {}};
    co_return co_await serve_endpoint(*route.endpoint, request);
}

std::optional<HttpReply> HttpSession::find_fault_in_framing() const {
    const auto& message = parser_->get();
    const auto encoding = message.find(http::field::transfer_encoding);
    if (encoding == message.end()) return std::nullopt;
    if (message.version() < 11) return status_reply(400, "HTTP/1.0 has no Transfer-Encoding");
    if (message.count(http::field::content_length) != 0) {
        return status_reply(400, "Content-Length and Transfer-Encoding exclude each other");
    }
    if (!boost::beast::iequals(encoding->value(), "chunked")) {
        return status_reply(501, "of transfer codings only chunked is supported");
    }
    return std::nullopt;
}

std::optional<HttpReply> HttpSession::find_fault_in_head() const {
    if (auto reply = find_fault_in_framing()) {
        reply->closes = true;
        return reply;
    }
    const auto& message = parser_->get();
    if (message.version() >= 11 && message.count(http::field::host) != 1) {
        return status_reply(400, "a request has exactly one Host field");
    }
    if (message.method() == http::verb::unknown || message.method() == http::verb::connect) {
        return status_reply(501, "unknown method " + std::string(message.method_string()));
    }
    return std::nullopt;
}

asio::awaitable<HttpSession::Next> HttpSession::serve_endpoint(const Endpoint& endpoint, HttpRequest& request) {
    if (endpoint.body_bytes_max != nullptr && !parser_->content_length() && !parser_->chunked()) {
        co_return co_await refuse(411, "a body with Content-Length or Transfer-Encoding: chunked is required");
    }
    bool refused = false;
    const Next next = co_await read_body(
        endpoint.body_bytes_max != nullptr ? endpoint.body_bytes_max(services_.options) : ignored_body_bytes_max,
        refused);
    if (refused || next != Next::request) co_return next;
    request.body = std::move(parser_->get().body());
    clear_deadline();
    HttpReply reply = co_await endpoint.handler(services_, request);
    set_deadline(Clock::now() + services_.options.http.request_timeout);
    co_return co_await write_reply(std::move(reply));
}

asio::awaitable<HttpSession::Next> HttpSession::read_body(std::size_t body_bytes_max, bool& refused) {
    if (parser_->is_done()) co_return Next::request;
    const std::string too_large = "a body of this request has at most " + std::to_string(body_bytes_max) + " bytes";
    refused = true;
    if (parser_->content_length().value_or(0) > body_bytes_max) co_return co_await refuse(413, too_large);
    const std::string_view expect = parser_->get()[http::field::expect];
    if (!expect.empty()) {
        if (!boost::beast::iequals(expect, "100-continue")) co_return co_await refuse(417, "unknown expectation");
        constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
        if (buffer_.size() == 0) {
            const auto [error, n] = co_await asio::async_write(socket_, asio::buffer(go_on), no_throw);
            if (error) co_return Next::closed_by_peer;
        }
    }
    parser_->body_limit(body_bytes_max);
    // Beast reads as much as the buffer holds without growing.
    buffer_.reserve(std::min<std::size_t>(parser_->content_length_remaining().value_or(0), read_ahead_bytes));
    const auto [error, n] = co_await http::async_read(socket_, buffer_, *parser_, no_throw);
    if (error == http::error::body_limit) co_return co_await refuse(413, too_large);
    if (error) co_return co_await refuse_unreadable(error);
    refused = false;
    co_return Next::request;
}

asio::awaitable<HttpSession::Next> HttpSession::refuse(unsigned status, std::string detail) {
    co_return co_await write_reply(status_reply(status, std::move(detail)));
}

asio::awaitable<HttpSession::Next> HttpSession::refuse_unreadable(const boost::system::error_code& error) {
    if (error == http::error::end_of_stream || error == http::error::partial_message) co_return Next::closed_by_peer;
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
        co_return co_await refuse(
            431, "a request head has at most " + std::to_string(services_.options.http.header_bytes) + " bytes");
    }
    if (error == http::error::bad_version) co_return co_await refuse(505, "HTTP/1.1 is spoken here");
    if (error.category() == make_error_code(http::error::bad_method).category()) {
        co_return co_await refuse(400, "the request is not well-formed: " + error.message());
    }
    co_return draining_ ? Next::close : Next::closed_by_peer;
}

asio::awaitable<HttpSession::Next> HttpSession::write_reply(HttpReply reply) {
    if (reply.status >= 400) count(services_.counters.request_errors);
    replying_ = true;
    const auto& message = parser_->get();
    const bool is_head = message.method() == http::verb::head;
    ReplyFraming framing{message.version(), false, {}};
    if (reply.stream && !is_head) {
        stream_ = std::move(reply.stream);
        if (draining_) stream_->finish();  // end_stream() may have come and gone while it was being set up
        co_await stream_->run(socket_, *this, reply_head(reply, framing), message.version() >= 11);
        stream_.reset();
        co_return Next::close;
    }
    // A body that has not been read is taken for the next request if the connection is used further.
    framing.keep_alive = parser_->is_done() && parser_->keep_alive() && !draining_ && !reply.closes;
    if (!reply.stream) framing.content_length = reply.body.size();
    const std::string head = reply_head(reply, framing);
    if (is_head) reply.body.clear();
    const std::array<asio::const_buffer, 2> buffers{asio::buffer(head), asio::buffer(reply.body)};
    const auto [error, n] = co_await asio::async_write(socket_, buffers, no_throw);
    if (error) co_return Next::closed_by_peer;
    co_return framing.keep_alive ? Next::request : Next::close;
}

// Closing while the rest of a request arrives would reset the connection, and the peer might lose the reply with it.
asio::awaitable<void> HttpSession::linger() {
    if (!parser_->got_some() || parser_->is_done()) co_return;
    boost::system::error_code ignored;
    socket_.shutdown(asio::socket_base::shutdown_send, ignored);
    set_deadline(Clock::now() + linger_timeout);
    std::array<char, 4096> dropped;
    for (;;) {
        const auto [error, n] = co_await socket_.async_read_some(asio::buffer(dropped), no_throw);
        if (error) co_return;
    }
}

}  // namespace sluice
