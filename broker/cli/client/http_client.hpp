// A blocking HTTP client on libcurl: one connection per request, no state between requests, no retries, no redirects.
// Uses the proxy that the environment names (http_proxy, https_proxy, no_proxy), except for this machine. Any thread.
#pragma once

#include <boost/system/result.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/cli/client/credentials.hpp"
#include "broker/cli/client/http_reply.hpp"
#include "broker/cli/client/server_url.hpp"
#include "broker/cli/client/tls_files.hpp"

namespace sluice::cli {

struct BrokerOptions;

struct HttpServer : ServerUrl {
    TlsFiles tls;
    Credentials credentials;  // sent with each request, to this server alone
    std::chrono::milliseconds connect_timeout{10'000};
    // Ends a request in which no byte is received or sent for so long, except while its body's source waits for its
    // descriptor.
    std::chrono::milliseconds silence_max{60'000};
};

// A body that is sent in chunks as it comes.
struct HttpBodySource {
    // Called before the first byte, each time that the request is sent; may be empty.
    std::function<void()> begin{};
    // Fills the room with what has come. 0: that was all. None: nothing has come.
    std::function<std::optional<std::size_t>(char* room, std::size_t bytes)> read{};
    // Whether to read again after nothing had come.
    std::function<bool()> is_ready{};
    // What it waits for until then, to be readable; -1: for nothing but the reply.
    std::function<int()> descriptor{};
};

struct HttpRequest {
    std::string method = "GET";
    std::string target = "/";
    std::string content_type{};  // of the body
    std::string body{};
    std::vector<std::string> headers{};  // others, as "Name: value"
    HttpBodySource source{};             // instead of `body`, if it can be read
};

// What to call while a request goes on; each may be empty.
struct HttpWatch {
    // Called with the head of a 200 reply. Returns the longest silence from then on.
    std::function<std::chrono::milliseconds(const HttpReply&)> head{};
    // Takes the body of a 200 reply as it arrives, until it returns false; HttpReply::body stays empty.
    std::function<bool(std::string_view)> piece{};
    // Told, again and again, how many bytes of the request's body have been sent.
    std::function<void(std::size_t)> sent{};
    // Asked ten times a second: true ends the request. The reply is then as far as it has come, its status 0 if no head
    // has.
    std::function<bool()> stops{};
};

// The server that the options name, or why they can't be used. Reads the files that https needs, to check them, and
// the credentials, for which it may ask on the terminal; warns of files that others may read.
// --cacert's last default is the environment's CURL_CA_BUNDLE.
boost::system::result<HttpServer, HttpError> find_server(const BrokerOptions& options);

// Waits for the reply, of any status.
boost::system::result<HttpReply, HttpError> send(const HttpServer& server, const HttpRequest& request,
                                                 const HttpWatch& watch = {});

// "libcurl 7.88.1 (OpenSSL/3.0.17)"
std::string http_library();

}  // namespace sluice::cli
