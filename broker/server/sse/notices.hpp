// What subscribers are told in place of events, as problems (RFC 9457). Pure; any thread.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>

#include "broker/core/delivery/delivery.hpp"

namespace sluice::server {

// Something that was asked for can't be replayed.
struct Reset {
    std::string stream;           // "*": of any stream
    std::uint64_t oldest_id = 0;  // of the oldest event that the log has
    std::string epoch;
    std::uint64_t position = 0;  // it goes on after this id
    // epoch: of the id; retention: events have been dropped; damaged: some can't be read; unknown: no event has the id
    std::string reason;
};
boost::json::object reset_json(const Reset& reset);
Reset reset_of(const broker::Delivery& delivery, const std::string& epoch);

boost::json::object gap_json(const broker::Delivery& gap);

}  // namespace sluice::server
