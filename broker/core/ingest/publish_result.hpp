// The outcome of publishing a document.
#pragma once

#include <boost/throw_exception.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace sluice::broker {

struct PublishResult {
    std::size_t received = 0;
    std::size_t added = 0;
    std::size_t updated = 0;
    std::size_t unchanged = 0;
    std::uint64_t first_id = 0;  // of the events of this document; 0: nothing in it is new or changed
    std::uint64_t last_id = 0;
};

enum class PublishRefusal : std::uint8_t {
    no_room,  // in the queue
    closed,
    too_many_new_streams,      // from this address
    too_many_streams,          // all of limits.streams are in use
    too_many_defined_streams,  // half of limits.streams are defined
    no_memory,
    no_space,       // on the log's disk
    unavailable,    // the log; whether the document was stored is unknown
    not_looked_up,  // items of it, in the store: Publisher::look_up()
};

[[noreturn]] inline void throw_exception_from_error(PublishRefusal, const boost::source_location&) {
    throw std::runtime_error("publication refused");
}

}  // namespace sluice::broker
