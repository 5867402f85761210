// The recurrence analysis of a series as text and as JSON, and its plot as grey levels and as characters. Pure
// functions; any thread.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "broker/cli/workbench/operator_options.hpp"
#include "gpu/tools/recurrence/analyse.hpp"
#include "gpu/tools/recurrence/plot.hpp"

namespace sluice::cli {

// Several lines.
std::string recurrence_text(const RecurrenceOptions& options, const recurrence::AnalysisOptions& how,
                            std::size_t points, const recurrence::Analysis& analysis);

// A value that does not exist, since nothing recurs, is null.
boost::json::object recurrence_json(const RecurrenceOptions& options, const recurrence::AnalysisOptions& how,
                                    std::size_t points, const recurrence::Analysis& analysis);

// Black where all cells of a pixel recur, white where none does. Both axes begin at the lower left.
std::vector<std::uint8_t> grey_levels(const recurrence::Plot& plot);

// A character for two rows of pixels: "░" if any cell recurs, then "▒", "▓" and "█" with each further quarter.
std::string plot_text(const recurrence::Plot& plot);

}  // namespace sluice::cli
