// One HTTP connection: reads requests one after another, has the endpoint table answer them, and writes the replies.
// Runs as one coroutine on one I/O thread; drain(), end_stream() and cut() may come from any thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <optional>

#include "broker/net/endpoints.hpp"

namespace sluice {

class HttpSession final : public Connection, public std::enable_shared_from_this<HttpSession> {
public:
    HttpSession(Services& services, boost::asio::ip::tcp::socket socket);

    void start();  // keeps itself, and its place among the connections, until it ends

    void drain() override;
    void end_stream() override;
    void cut() override;

private:
    using Parser = http::request_parser<http::string_body>;
    // Whether the connection can be used further.
    enum class Next : std::uint8_t { request, close, closed_by_peer };

    boost::asio::awaitable<void> run();
    boost::asio::awaitable<Next> serve_requests();
    boost::asio::awaitable<Next> serve_request();
    boost::asio::awaitable<Next> serve_endpoint(const Endpoint& endpoint, HttpRequest& request);
    boost::asio::awaitable<Next> read_body(std::size_t body_bytes_max, bool& refused);
    boost::asio::awaitable<Next> write_reply(HttpReply reply);
    boost::asio::awaitable<Next> refuse(unsigned status, std::string detail);
    boost::asio::awaitable<Next> refuse_unreadable(const boost::system::error_code& error);
    boost::asio::awaitable<void> linger();
    std::optional<HttpReply> find_fault_in_head() const;
    std::optional<HttpReply> find_fault_in_framing() const;
    void prepare_parser();

    Services& services_;
    boost::asio::ip::tcp::socket socket_;
    boost::beast::flat_buffer buffer_;
    std::optional<Parser> parser_;
    std::shared_ptr<EventStream> stream_;  // while the connection is one
    bool draining_ = false;
    bool between_requests_ = false;
    bool replying_ = false;  // to the current request
};

}  // namespace sluice
