// The target of a request with parameters. Pure function; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::cli {

using Parameters = std::vector<std::pair<std::string_view, std::string>>;

// "/v1/events?filter=a%2Bb". A parameter's value may be any bytes; all that a query could mean otherwise are escaped,
// '+' as well, which brokers read as a space.
std::string target_of(std::string_view path, const Parameters& parameters);

}  // namespace sluice::cli
