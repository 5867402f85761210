// Why a filter was refused, or what is doubtful about it, and where.
#pragma once

#include <boost/throw_exception.hpp>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace sluice::filter {

struct FilterError {
    std::string message;     // what is wrong and what was expected, one sentence
    std::size_t offset = 0;  // bytes from the start of the filter, 0-based
    std::size_t line = 1;    // 1-based
    std::size_t column = 1;  // 1-based, in characters
    std::string excerpt;     // the faulty line, and below it a line with a caret at the fault
};

// About a filter that is accepted, but almost surely does not mean what it says. It changes nothing.
using Hint = FilterError;

inline constexpr std::size_t hints_max = 8;         // of a filter
inline constexpr std::size_t hint_bytes_max = 600;  // of a message, which is one line

// Called by result<…>::value() on an error; the code base tests results instead.
[[noreturn]] inline void throw_exception_from_error(const FilterError& error, const boost::source_location&) {
    throw std::runtime_error(error.message);
}

}  // namespace sluice::filter
