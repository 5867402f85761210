// The parts of the broker that durable subscriptions use. They outlive them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "broker/auth/user.hpp"
#include "broker/core/subscriptions/ledger.hpp"
#include "broker/store/append_error.hpp"
#include "protocol/feed/model/document.hpp"

namespace sluice::base {
class MemoryBudget;
}

namespace sluice::store {
class EventLog;
}

namespace sluice::broker {

struct Counters;
class DurableSubscription;
class Replay;
class Streams;
class SubscriptionRegistry;

// Called once, by any thread, possibly before the function that it was passed to returns, when what was done until then
// is as durable as configured; with an error: it is in force, but not known to be stored. It must not throw.
using Stored = std::function<void(std::optional<store::AppendError>)>;

struct SubscriptionContext {
    store::EventLog& log;
    Counters& counters;
    SubscriptionRegistry& registry;
    Replay& replay;
    base::MemoryBudget& memory;
    Streams& streams;
    feed::FeedLimits documents;
    std::size_t subscriptions_max = 0;
    std::function<Ledger::Time()> now;                 // the steady clock
    std::function<void(std::string_view)> at_point{};  // for tests; may be null
    // The user with this name, or nobody(). Null: no subscription has an owner.
    std::function<auth::UserPtr(std::string_view)> find_user{};
    std::function<void(const std::shared_ptr<DurableSubscription>&, Ledger::Time)>
        schedule{};  // DurableSubscriptions sets it
};

}  // namespace sluice::broker
