// Validates the event path in a stream's options (a config::TextCheck). Pure; any thread.
#pragma once

#include <cstddef>
#include <string>

namespace sluice::broker {

constexpr std::size_t event_path_bytes_max = 1'024;

// Returns what is wrong with the path and where, or "" if it is valid.
std::string check_event_path(const std::string& path);

}  // namespace sluice::broker
