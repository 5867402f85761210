#include "broker/cli/http_client.hpp"

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/url.hpp>
#include <charconv>

namespace sluice::cli {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using boost::system::error_code;
using Parser = http::response_parser<http::buffer_body>;

namespace {

HttpReply reply_of(const Parser& parser) {
    const auto& message = parser.get();
    HttpReply reply;
    reply.status = message.result_int();
    reply.content_type = message[http::field::content_type];
    const std::string_view retry = message[http::field::retry_after];
    unsigned seconds = 0;
    if (std::from_chars(retry.data(), retry.data() + retry.size(), seconds).ec == std::errc{}) {
        reply.retry_after_seconds = seconds;
    }
    return reply;
}

tcp::socket connect(const HttpServer& server, boost::asio::io_context& context, error_code& error) {
    tcp::socket socket(context);
    const auto endpoints = tcp::resolver(context).resolve(server.host, server.port, error);
    if (!error) boost::asio::connect(socket, endpoints, error);
    return socket;
}

void write(tcp::socket& socket, const HttpServer& server, const HttpRequest& request, error_code& error) {
    http::request<http::span_body<const char>> message(request.method, request.target, 11);
    message.set(http::field::host, server.authority);
    message.set(http::field::user_agent, "sluice");
    if (!request.content_type.empty()) message.set(http::field::content_type, request.content_type);
    message.body() = boost::beast::span<const char>(request.body.data(), request.body.size());
    message.prepare_payload();
    http::write(socket, message, error);
}

}  // namespace

boost::system::result<HttpServer, HttpError> parse_server(std::string_view url) {
    const auto parsed = boost::urls::parse_uri(url);
    const bool port_is_wrong = parsed && parsed->has_port() && parsed->port_number() == 0;
    if (!parsed || port_is_wrong || parsed->scheme_id() != boost::urls::scheme::http || parsed->host().empty() ||
        parsed->path().size() > 1 || parsed->has_userinfo() || parsed->has_query() || parsed->has_fragment()) {
        return HttpError{"the server '" + std::string(url) + "' is not of the form http://HOST[:PORT]"};
    }
    return HttpServer{.host = parsed->host_address(),
                      .port = parsed->has_port() ? std::string(parsed->port()) : "80",
                      .authority = std::string(parsed->encoded_host_and_port())};
}

boost::system::result<HttpReply, HttpError> send(const HttpServer& server, const HttpRequest& request,
                                                 const std::function<bool(std::string_view)>& piece) {
    const auto failed = [&](const char* what, const error_code& error) {
        return HttpError{std::string(what) + " " + server.authority + ": " + error.message()};
    };
    error_code error;
    boost::asio::io_context context(1);
    auto socket = connect(server, context, error);
    if (error) return failed("can't connect to", error);
    // A broker that refuses a large body may reply before it has read all of it: that reply says more than the error.
    error_code write_error;
    write(socket, server, request, write_error);
    Parser parser;
    parser.body_limit(boost::none);
    boost::beast::flat_buffer buffer;
    http::read_header(socket, buffer, parser, error);
    if (error) return failed("no reply from", write_error ? write_error : error);
    auto reply = reply_of(parser);
    std::array<char, 65536> bytes;
    for (bool wanted = true; wanted && !parser.is_done();) {
        auto& body = parser.get().body();
        body.data = bytes.data();
        body.size = bytes.size();
        http::read_some(socket, buffer, parser, error);
        if (error == http::error::need_buffer) error = {};
        const std::string_view read(bytes.data(), bytes.size() - body.size);
        if (reply.status != 200 || !piece) {
            reply.body += read;
        } else if (!read.empty()) {
            wanted = piece(read);
        }
        if (error) return failed("lost the connection to", error);
    }
    return reply;
}

}  // namespace sluice::cli
