// Who the client says it is: what the options and the environment name, and what is sent. Called from main's thread;
// the results are plain values.
#pragma once

#include <boost/system/result.hpp>
#include <optional>
#include <string>
#include <vector>

#include "broker/cli/client/server_url.hpp"

namespace sluice::cli {

struct CredentialOptions {
    std::string user;                  // its password: SLUICE_PASSWORD, netrc, or asked on the terminal
    std::string token_file;            // its first line is the token; empty: SLUICE_TOKEN, if there is one
    std::optional<std::string> netrc;  // the file; "": NETRC, else ~/.netrc. None: none is read
    std::vector<std::string> headers;  // of each request, as "Name: value"
};

// At most a token, or a user with a password, or a netrc file, perhaps with a user in it.
struct Credentials {
    std::string token{};
    std::string user{}, password{};
    std::string netrc{};
    std::vector<std::string> headers{};
    std::string warning{};  // for the user, such as that the token's file may be read by others

    // Whether something is sent that others must not see.
    bool are_secret() const;
};

// Reads what the options name, and asks on the terminal. The error says what to write, and never what was read.
// Secrets are refused for a server to which they would go in plain text, unless SLUICE_ALLOW_PLAINTEXT is 1.
boost::system::result<Credentials, HttpError> find_credentials(const CredentialOptions& options,
                                                               const ServerUrl& server);

// What is wrong with a header field that the user gives, without its value; "": nothing.
std::string find_fault_in_header(const std::string& header);

}  // namespace sluice::cli
