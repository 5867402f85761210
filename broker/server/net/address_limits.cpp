#include "broker/server/net/address_limits.hpp"

#include <algorithm>

namespace sluice::server {

AddressLimits address_limits(const config::LimitOptions& options, std::size_t connections_max) {
    constexpr std::size_t share = 4, enough = 1'000;
    AddressLimits limits;
    limits.connections =
        options.address_connections.value_or(std::clamp<std::size_t>(connections_max / share, 1, enough));
    limits.requests = options.address_requests;
    limits.bytes = options.address_bytes;
    limits.streams = options.address_streams;
    limits.exempt = options.address_exempt;
    return limits;
}

}  // namespace sluice::server
