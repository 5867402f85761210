// Why a published document was refused, and where the fault is.
#pragma once

#include <boost/throw_exception.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace sluice::feed {

struct FeedError {
    // not_a_feed: well-formed, but a page, an error message or empty
    enum class Kind : std::uint8_t { not_well_formed, encoding, content_type, limit, event_path, not_a_feed };

    Kind kind = Kind::not_well_formed;
    std::string message;     // one sentence; for a limit it names the option and its value
    std::size_t offset = 0;  // bytes from the start of the document, 0-based
    std::size_t line = 1;    // 1-based
    std::size_t column = 1;  // 1-based, in characters
};

// Called by result<…>::value() on an error; the code base tests results instead.
[[noreturn]] inline void throw_exception_from_error(const FeedError& error, const boost::source_location&) {
    throw std::runtime_error(error.message);
}

}  // namespace sluice::feed
