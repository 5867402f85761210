// The options of every command that talks to a broker. Plain values.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "broker/cli/client/credentials.hpp"
#include "broker/cli/client/tls_files.hpp"
#include "broker/cli/common/output_options.hpp"

namespace sluice::cli {

constexpr const char* default_server = "http://127.0.0.1:8080";

struct BrokerOptions : OutputOptions {
    std::string server = default_server;  // its URL
    TlsFiles tls;
    CredentialOptions credentials;
    std::optional<std::chrono::milliseconds> timeout;  // for a sign of the broker; none: as suits the command
};

}  // namespace sluice::cli
