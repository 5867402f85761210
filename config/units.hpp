// Reads and writes numbers with a unit, as in configuration files. Pure; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::config {

// "42": decimal digits only.
std::optional<std::uint64_t> parse_integer(std::string_view text);
// "200us", "5ms", "15s", "10min", "1h", "90d". A unit is required.
std::optional<std::chrono::microseconds> parse_duration(std::string_view text);
// "512" (bytes), "512B", "64KiB", "16MiB", "1GiB".
std::optional<std::size_t> parse_size(std::string_view text);

// The value in the largest unit that keeps the number whole.
std::string duration_text(std::chrono::microseconds duration);
std::string size_text(std::size_t bytes);

}  // namespace sluice::config
