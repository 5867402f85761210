// The results of sluice distance, as text and as JSON. Pure functions; any thread.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/cli/workbench/operator_options.hpp"

namespace sluice::cli {

// A pattern or a text as a line shows it: on one line, and shortened if it is long.
std::string shown_string(std::string_view utf8);

// A pair: "DISTANCE\tPATTERN NUMBER\tTEXT NUMBER\tPATTERN\tTEXT\n", the last two as shown_string() makes them.
std::string distance_line(std::uint32_t distance, std::uint64_t pattern, std::uint64_t text,
                          std::string_view shown_pattern, std::string_view shown_text);
// `record`: the name of the text, if it is a record of FASTA.
boost::json::object distance_json(std::uint32_t distance, std::uint64_t pattern, std::uint64_t text,
                                  const std::optional<std::string>& record);

struct DistanceSummary {
    std::uint64_t patterns = 0, pattern_characters = 0;
    std::uint64_t texts = 0, text_characters = 0;
    std::uint64_t within = 0;  // the pairs within the bound, if there is one
    edits::AllPairs::Work work;

    double cells() const { return static_cast<double>(pattern_characters) * static_cast<double>(text_characters); }
};

// "64 patterns, 1 text of 4194304 characters: 4.3e9 cells in 92.4 ms (46.5 GCUPS), w-shuffle in 32 parts on the GPU".
std::string summary_line(const DistanceOptions& options, const DistanceSummary& summary);
boost::json::object summary_json(const DistanceOptions& options, const DistanceSummary& summary);

}  // namespace sluice::cli
