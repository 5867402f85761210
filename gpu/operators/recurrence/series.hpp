// Parses a numeric series from the text of an attribute's value: "0.1 0.5, 1.3;0.7". Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::recurrence {

constexpr std::size_t series_points_max = std::size_t{1} << 24;

// message is 'value 3 is not a number: "abc"'; offset is in bytes from the start of the text.
struct SeriesError {
    std::size_t offset = 0;
    std::string message;
};

// Replaces `values` by the series in `text`, which is empty if the text is only white space. Values are decimal numbers
// ("-1.5", "+2", ".5", "1e-3") separated by white space, a comma or a semicolon, with optional white space around it;
// one separator may follow the last value. Returns an error, and the `values` before it, if a value is not a number
// (this includes "nan", "inf" and numbers too large for a double), is missing between two separators, or would be one
// more than `points_max`.
std::optional<SeriesError> parse_series(std::string_view text, std::vector<double>& values,
                                        std::size_t points_max = series_points_max);

// The number of values, without keeping them; 0 if the text is not a series.
std::size_t count_values(std::string_view text);

}  // namespace sluice::recurrence
