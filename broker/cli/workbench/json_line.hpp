// Objects as lines of JSON for other programs: numbers have no exponent, which not all of them read. Pure function; any
// thread.
#pragma once

#include <boost/json/object.hpp>
#include <string>

namespace sluice::cli {

// The object, whose members are not nested, without a line end.
std::string json_line(const boost::json::object& object);

}  // namespace sluice::cli
