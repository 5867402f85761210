// Reads what the client uses of a reply's head. Pure function; any thread.
#pragma once

#include <string_view>

#include "broker/cli/client/http_reply.hpp"

namespace sluice::cli {

// Takes one line of a head. A status line begins a new reply, as after an interim one. Returns true for the empty line
// that ends a head.
bool read_header(std::string_view line, HttpReply& reply);

}  // namespace sluice::cli
