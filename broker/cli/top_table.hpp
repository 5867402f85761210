// The figures of `sluice top` as text. Pure functions; any thread.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "broker/cli/top_figures.hpp"

namespace sluice::cli {

// Safe for terminals. At most so many lines: streams and conditions that find no room are left out. `authority`: the
// broker's host and port.
std::vector<std::string> top_table(const TopFigures& figures, const std::string& authority, std::size_t lines_max);

// Rates that there are none of are null.
boost::json::object top_json(const TopFigures& figures);

// The first characters of a line that fit into so many columns, if each takes one.
std::string first_columns(const std::string& line, std::size_t columns);

}  // namespace sluice::cli
