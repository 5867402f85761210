// The broker's address as the user writes it. Pure function; any thread.
#pragma once

#include <boost/system/result.hpp>
#include <boost/throw_exception.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sluice::cli {

struct HttpError {
    std::string message;
    bool is_lost = false;  // there was a connection, and it was lost: the broker may have got the request, or not
};

[[noreturn]] inline void throw_exception_from_error(const HttpError& error, const boost::source_location&) {
    throw std::runtime_error(error.message);
}

struct ServerUrl {
    std::string url;          // without a slash at the end; targets such as "/v1/status" are appended
    std::string authority;    // host and port, for messages; or "unix:" and the path
    std::string socket_path;  // of a Unix socket, through which plain HTTP goes; empty: TCP
    bool is_tls = false;      // https
    bool is_local = false;    // a Unix socket, a loopback address or name, or 0.0.0.0 or ::, which lead here as well
};

// Accepts http[s]://HOST[:PORT][/PATH], with a path where a proxy serves the broker below one, and unix:PATH.
boost::system::result<ServerUrl, HttpError> parse_server_url(std::string_view url);

}  // namespace sluice::cli
