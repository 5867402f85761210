// JSON as lines for people: "name  value" for each number, text or list. The names of nested objects are joined by
// dots; the objects of a list are numbered from 0. Pure function; any thread.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace sluice::cli {

// `telling`: without values that are zero, false, null or empty.
enum class Values : std::uint8_t { all, telling };

// Safe for terminals. The values begin in one column.
std::vector<std::string> as_lines(const boost::json::object& object, Values values);

}  // namespace sluice::cli
