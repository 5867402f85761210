// A plain blocking HTTP/1.1 client: one connection for each request, nothing kept between them, nothing sent twice.
// Any thread.
#pragma once

#include <boost/beast/http/verb.hpp>
#include <boost/system/result.hpp>
#include <boost/throw_exception.hpp>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sluice::cli {

struct HttpServer {
    std::string host, port;
    std::string authority;  // host and port as in the URL
};

struct HttpRequest {
    boost::beast::http::verb method = boost::beast::http::verb::get;
    std::string target = "/";
    std::string content_type{};  // of the body; empty: there is none
    std::string body{};
};

struct HttpReply {
    unsigned status = 0;
    std::string content_type{};
    std::optional<unsigned> retry_after_seconds{};
    std::string body{};
};

struct HttpError {
    std::string message;
};

[[noreturn]] inline void throw_exception_from_error(const HttpError& error, const boost::source_location&) {
    throw std::runtime_error(error.message);
}

// http://HOST[:PORT], nothing behind it.
boost::system::result<HttpServer, HttpError> parse_server(std::string_view url);

// Waits for the reply. With `piece`, the body of a 200 reply is handed to it as it arrives, until it ends or `piece`
// says false, and HttpReply::body stays empty.
boost::system::result<HttpReply, HttpError> send(const HttpServer& server, const HttpRequest& request,
                                                 const std::function<bool(std::string_view)>& piece = {});

}  // namespace sluice::cli
