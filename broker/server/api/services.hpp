// The components that endpoints use. All of them outlive every connection, and any thread may use them. Who uses one
// includes its header.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "broker/auth/user.hpp"
#include "broker/server/api/reused_text.hpp"
#include "broker/server/net/connection_services.hpp"

namespace sluice::base {
class Workers;
}

namespace sluice::broker {
class DurableSubscriptions;
class EventQueue;
class IdempotencyKeys;
class Mailboxes;
class Publisher;
class Replay;
class SubscriptionRegistry;
}  // namespace sluice::broker

namespace sluice::store {
class EventLog;
}

namespace sluice::server {

class Authentication;
class BrowserRules;
class SseFramers;

struct Services : ConnectionServices {
    broker::EventQueue& queue;
    broker::Publisher& publisher;
    broker::SubscriptionRegistry& registry;
    store::EventLog& log;
    broker::Replay& replay;
    broker::DurableSubscriptions& subscriptions;
    std::shared_ptr<const SseFramers> sse_framers;  // null until the store is open
    base::Workers& workers;                         // for long work on which a reply depends
    base::Workers& compilers;                       // for compiling filters
    base::Workers& trials;                          // for trying filters on documents, which may take long
    broker::Mailboxes& mailboxes;
    const BrowserRules& browser_rules;
    Authentication& authentication;
    const std::shared_ptr<broker::IdempotencyKeys> idempotency_keys;
    std::chrono::steady_clock::time_point started_at;
    std::atomic<std::size_t> subscribers{0};    // open event streams, and those that are being set up
    std::atomic<std::size_t> event_streams{0};  // whose filters are in place
    std::atomic<bool> opening{false};           // the store is being opened: most requests get 503
    std::function<double()> opened{};           // how much of it has been, from 0 to 1
    // The user with this name, which is not "", or nobody().
    std::function<auth::UserPtr(std::string_view)> find_user = [](std::string_view) { return auth::nobody(); };
    std::atomic<bool> draining{false};
    std::atomic<bool> ending{false};              // the time for draining has expired
    std::atomic<bool> waits_for_memory{false};    // a publisher waits for memory for its document
    std::atomic<std::size_t> publish_streams{0};  // requests that publish a stream of documents
    ReusedText status{}, open_metrics{}, metrics_text{};
    // Called at the end of a turn in which events have been pushed with EventQueue::Wake::later. Empty: none are.
    std::function<void()> hand_over{};
};

}  // namespace sluice::server
