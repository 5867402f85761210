// Finds how much of a stream is beyond its bounds. Reads the index; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "broker/store/rocks/database/database.hpp"
#include "broker/store/rocks/layout.hpp"

namespace sluice::store {

struct Bounds {
    std::uint64_t events = ~std::uint64_t{0};
    std::uint64_t bytes = ~std::uint64_t{0};
    feed::RecordTime oldest = 0;  // the time of the oldest event
    std::uint64_t first_id = 0;   // its id
};

bool is_within(const StoredExtent& extent, const Bounds& bounds);

struct DropResult {
    StoredExtent extent;  // without its oldest events, as far as they are beyond the bounds
    std::optional<Fault> fault;
};
DropResult drop_events(const Database& database, std::uint32_t stream, const StoredExtent& extent,
                       const Bounds& bounds);

}  // namespace sluice::store
