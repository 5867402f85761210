// The components that endpoints use. All of them outlive every connection, and any thread may use them.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "broker/base/memory_budget.hpp"
#include "broker/base/workers.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/delivery/mailboxes.hpp"
#include "broker/core/ingest/idempotency.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/server/address_table.hpp"
#include "broker/server/browser_rules.hpp"
#include "broker/server/connections.hpp"
#include "broker/server/limits.hpp"
#include "broker/server/status_text.hpp"
#include "config/options.hpp"

namespace sluice::server {

struct Services {
    const config::Options& options;
    broker::Counters& counters;
    broker::EventQueue& queue;
    broker::Publisher& publisher;
    broker::SubscriptionRegistry& registry;
    Connections& connections;
    base::Workers& workers;    // for long work on which a reply depends
    base::Workers& compilers;  // for compiling filters
    base::Workers& trials;     // for trying filters on documents, which may take long
    base::MemoryBudget& memory;
    broker::Mailboxes& mailboxes;
    std::chrono::steady_clock::time_point started_at;
    std::atomic<std::size_t> subscribers{0};    // open event streams, and those that are being set up
    std::atomic<std::size_t> event_streams{0};  // whose filters are in place
    std::atomic<bool> draining{false};
    std::atomic<bool> ending{false};            // the time for draining has expired
    std::atomic<bool> waits_for_memory{false};  // a publisher waits for memory for its document
    AddressTable addresses{address_limits(options.limits)};
    const BrowserRules browser_rules{options.http};
    StatusText status{};
    const std::shared_ptr<broker::IdempotencyKeys> idempotency_keys = std::make_shared<broker::IdempotencyKeys>(
        broker::IdempotencyKeys::Settings{options.publish.idempotency_keys, options.publish.idempotency_window},
        memory);
};

}  // namespace sluice::server
