// JSON as this program prints it: on one line, numbers without an exponent. Pure function; any thread.
#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace sluice::cli {

// Numbers keep their value: 1E20 becomes 100000000000000000000, and 1.5E-5 becomes 0.000015. What is not finite, which
// JSON has no number for, becomes null.
std::string plain_json(const boost::json::value& value);

}  // namespace sluice::cli
