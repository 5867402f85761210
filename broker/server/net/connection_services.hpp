// The components that every connection uses, whatever it speaks. All of them outlive every connection, and any thread
// may use them. Who uses one includes its header.
#pragma once

#include <atomic>
#include <cstddef>

#include "broker/server/net/trusted_proxies.hpp"
#include "config/options.hpp"

namespace sluice::base {
class MemoryBudget;
}

namespace sluice::broker {
struct Counters;
}

namespace sluice::server {

class AddressTable;
class Connections;

// The memory of an open connection, not counting its requests.
inline constexpr std::size_t connection_memory_bytes = 16u << 10;
inline constexpr std::size_t tls_memory_bytes = 32u << 10;  // what TLS takes in addition

struct ConnectionServices {
    const config::Options& options;
    broker::Counters& counters;
    Connections& connections;
    base::MemoryBudget& memory;
    AddressTable& addresses;
    const TrustedProxies proxies{options.http.trusted_proxies};
    std::atomic<std::size_t> monitoring_connections{0};  // beyond limits.connections or memory
    std::atomic<std::size_t> new_connections{0};         // accepted, and not yet served
};

}  // namespace sluice::server
