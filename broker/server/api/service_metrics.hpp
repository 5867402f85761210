// Registers metrics for numbers that the services keep themselves: connections, subscriptions, memory, the queue. They
// are read from the services on demand.
#pragma once

#include "broker/server/api/services.hpp"

namespace sluice::server {

// Registers them in services.counters.metrics; call once. The metrics must not be read after the services are
// destroyed.
void register_metrics(Services& services);

}  // namespace sluice::server
