// Reports what is wrong: from the broker's problem details (RFC 9457), and for filters compiled here.
#pragma once

#include <string>

#include "broker/cli/client/http_client.hpp"
#include "broker/cli/common/console.hpp"
#include "protocol/filter/filter.hpp"
#include "protocol/filter/syntax/filter_error.hpp"

namespace sluice::cli {

// "NAME:LINE:COLUMN: what is wrong", then the faulty line with a caret below it, as far as the reply contains them.
// `name` is what was sent: a file's name, "filter" etc. No newline at the end. A status of 0 means that the body did
// not come as a reply (but, for example, in an event).
std::string describe_problem(const HttpReply& reply, const std::string& name);

// An error with this text; as JSON, the problem's members are added to it.
void report_problem(const Console& console, const HttpReply& reply, const std::string& name);

// Whether the broker refused a filter rather than another part of the request.
bool is_about_filter(const HttpReply& reply);

// The same for XPath compiled here, called `name`.
std::string describe_problem(const filter::FilterError& error, const std::string& name = "filter");
void report_problem(const Console& console, const filter::FilterError& error, const std::string& name = "filter");

// Prints the filter's hints as notes.
void print_hints(const filter::Filter& filter, const Console& console);

}  // namespace sluice::cli
