// The options of every command that talks to a broker. Plain values.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "broker/cli/common/output_options.hpp"

namespace sluice::cli {

constexpr const char* default_server = "http://127.0.0.1:8080";

struct BrokerOptions : OutputOptions {
    std::string server = default_server;               // its URL
    std::string ca_file;                               // certificates to trust, PEM; empty: the system's
    std::optional<std::chrono::milliseconds> timeout;  // for a sign of the broker; none: as suits the command
};

}  // namespace sluice::cli
