// A fault in a filter, thrown inside this folder where it is found. compile_filter turns it into a FilterError, so that
// no exception leaves the folder. Pure values; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/filter/syntax/filter_error.hpp"

namespace sluice::filter {

struct Fault {
    std::size_t offset = 0;  // bytes from the start of the filter
    std::string message;     // what is wrong and what was expected, one sentence
};

// Adds line, column and an excerpt of the text. Columns count characters. A long line is cut around the fault.
FilterError locate(const Fault& fault, std::string_view text);

}  // namespace sluice::filter
