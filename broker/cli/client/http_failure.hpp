// Says in words why a request got no reply. Pure function; any thread.
#pragma once

#include <chrono>
#include <string>

#include "broker/cli/client/tls.hpp"

namespace sluice::cli {

struct HttpFailure {
    int code = 0;        // libcurl's CURLcode
    std::string detail;  // libcurl's words
    int system_error = 0;
    unsigned tunnel_status = 0;  // by which a proxy answered that was to connect to a server of https; 0: none
    std::string authority;
    bool is_socket = false;  // it leads through a Unix socket
    TlsFiles files;
    TlsNotes tls;
    std::chrono::milliseconds connect_timeout{}, silence_max{};
    bool was_connected = false;  // it had a connection, with TLS if that is wanted
    bool had_reply = false;      // the reply had begun
    bool is_too_long = false;    // the reply is longer than is kept
};

std::string describe_failure(const HttpFailure& failure);

}  // namespace sluice::cli
