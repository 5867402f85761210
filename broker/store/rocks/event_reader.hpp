// Reads events from a store. Any thread; waits for the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "broker/store/event_log.hpp"
#include "broker/store/rocks/log_state.hpp"

namespace sluice::store {

class EventReader {
public:
    explicit EventReader(SharedState& state) : state_(state) {}

    // As EventLog::read() and first_id_since(). While the database is closed, after a fault, there is nothing to read.
    Slice read(std::string_view stream, std::uint64_t from, std::size_t events_max, std::size_t bytes_max) const;
    std::uint64_t first_id_since(std::string_view stream, feed::RecordTime time) const;

private:
    SharedState& state_;
};

}  // namespace sluice::store
