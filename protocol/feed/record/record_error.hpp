// Why bytes are not an append of records, or why records can't be written as one. Plain value.
#pragma once

#include <boost/throw_exception.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace sluice::feed {

struct RecordError {
    enum class Kind : std::uint8_t {
        truncated,  // the bytes end too early
        damaged,    // the checksum does not fit the bytes
        malformed,  // the bytes are something else, or were written wrongly
        version,    // a version that this program does not know
        limit,      // RecordLimits are exceeded
    };

    Kind kind = Kind::malformed;
    std::string message;     // one sentence
    std::size_t offset = 0;  // bytes from the start of the append to the fault, 0-based
};

// Called by result<…>::value() on an error; the code base tests results instead.
[[noreturn]] inline void throw_exception_from_error(const RecordError& error, const boost::source_location&) {
    throw std::runtime_error(error.message);
}

}  // namespace sluice::feed
