// The members that a subscriber's delivery adds to its event's JSON: "redelivered":true,"deliveries":2 if it may have
// been delivered before, "filters":[0,3], the indices of the filters that hold, if it wants them, and annotations. Each
// begins with a comma. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "broker/core/delivery/delivery.hpp"
#include "broker/core/delivery/pieces.hpp"

namespace sluice::server {

std::size_t members_bytes(const broker::Delivery& delivery);
void write_members(const broker::Delivery& delivery, broker::Pieces& pieces);

// The whole object, of a delivery whose body is one.
std::string delivery_json(const broker::Delivery& delivery);

std::size_t digits(std::uint64_t number);
void copy_number(std::uint64_t number, broker::Pieces& pieces);

}  // namespace sluice::server
