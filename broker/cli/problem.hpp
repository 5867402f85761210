// Refusals as text for a person: the broker's (RFC 9457), and those of filters compiled here. Pure; any thread.
#pragma once

#include <string>

#include "broker/cli/http_client.hpp"
#include "protocol/filter/filter_error.hpp"

namespace sluice::cli {

// "NAME:LINE:COLUMN: what is wrong", and the faulty line with a caret below it, as far as the reply says so. `name` is
// what was sent: a file's name, "filter" …; no newline at the end. A status of 0: the text came otherwise than as a
// reply.
std::string describe_problem(const HttpReply& reply, const std::string& name);

// The same form for a filter: "filter:LINE:COLUMN: what is wrong", and the excerpt with its caret.
std::string describe_problem(const FilterError& error);

}  // namespace sluice::cli
