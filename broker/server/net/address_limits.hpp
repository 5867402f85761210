// Converts the options into the limits of the address table. Pure function; any thread.
#pragma once

#include <cstddef>

#include "broker/server/net/address_table.hpp"
#include "config/options.hpp"

namespace sluice::server {

// `connections_max`: the most connections that there can be, as file descriptors permit.
AddressLimits address_limits(const config::LimitOptions& options, std::size_t connections_max);

}  // namespace sluice::server
