// The members of a broker's reply; one that is missing, or has another type, is empty. Pure functions; any thread.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/cli/common/console.hpp"

namespace sluice::cli {

std::uint64_t number_in(const boost::json::object& object, std::string_view name);
std::string text_in(const boost::json::object& object, std::string_view name);  // as one line for a terminal
std::optional<bool> bool_in(const boost::json::object& object, std::string_view name);
boost::json::object object_in(const boost::json::object& object, std::string_view name);
boost::json::array array_in(const boost::json::object& object, std::string_view name);
std::vector<boost::json::object> objects_in(const boost::json::object& object, std::string_view name);

// Prints the reply's hints about its filter as notes.
void report_hints(const boost::json::object& reply, const Console& console);

}  // namespace sluice::cli
