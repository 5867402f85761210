// Tells that the broker does not have a stream (yet): its name may be mistyped. Any thread.
#pragma once

#include <chrono>
#include <string>

#include "broker/cli/client/http_client.hpp"
#include "broker/cli/common/console.hpp"

namespace sluice::cli {

// Prints a note if the broker has no such stream, with the name of one that is nearly the same. Says nothing if it
// can't find out in this time, or may not.
void hint_at_unknown_stream(const HttpServer& server, const std::string& stream, std::chrono::milliseconds longest,
                            const Console& console);

// Prints a note with the name of a stream that is nearly the same. Says nothing if there is none, or the broker has the
// stream, or that can't be found out in this time.
void hint_at_nearest_stream(const HttpServer& server, const std::string& stream, std::chrono::milliseconds longest,
                            const Console& console);

}  // namespace sluice::cli
