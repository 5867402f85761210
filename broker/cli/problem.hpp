// A refusal by the broker (RFC 9457) as text for a person. Pure; any thread.
#pragma once

#include <string>

#include "broker/cli/http_client.hpp"

namespace sluice::cli {

// "NAME:LINE:COLUMN: what is wrong", and the faulty line with a caret below it, as far as the reply says so. `name` is
// what was sent: a file's name, "filter" …; no newline at the end. A status of 0: the text came otherwise than as a
// reply.
std::string describe_problem(const HttpReply& reply, const std::string& name);

}  // namespace sluice::cli
