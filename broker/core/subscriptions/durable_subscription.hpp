// A durable subscription: its options, its ledger, and while anybody consumes it, its feed, which is a subscriber like
// any other whose mailbox the consumers share. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/core/delivery/subscriber.hpp"
#include "broker/core/subscriptions/ledger.hpp"
#include "broker/store/append_error.hpp"
#include "config/subscription_options.hpp"
#include "protocol/feed/model/record.hpp"

namespace sluice::store {
class EventLog;
}

namespace sluice::broker {

struct Counters;
class Replay;
class SubscriptionRegistry;

// Called once, by any thread, possibly before the function that it was passed to returns, when what was done until then
// is as durable as configured; with an error: it is in force, but not known to be stored. It must not throw.
using Stored = std::function<void(std::optional<store::AppendError>)>;

// The parts of the broker that subscriptions use. They outlive them.
struct SubscriptionContext {
    store::EventLog& log;
    Counters& counters;
    SubscriptionRegistry& registry;
    Replay& replay;
    std::size_t subscriptions_max = 0;
    std::function<Ledger::Time()> now;  // the steady clock
};

struct SubscriptionCounts {
    std::uint64_t delivered = 0, redelivered = 0, acknowledged = 0, expired = 0, rejected = 0, dead_letters = 0;
    std::uint64_t gaps = 0, resets = 0, withdrawn = 0;  // events; withdrawn: no longer matched when delivered again
};

class DurableSubscription {
public:
    struct State {
        std::string name;
        config::SubscriptionOptions options;
        std::uint64_t version = 0;  // of the options: another one after each change
        std::uint64_t cursor = 0;   // everything up to it is done
        std::uint64_t next = 0;     // the log has been read for it up to here
        std::size_t outstanding = 0, consumers = 0;
        SubscriptionCounts counts{};
    };
    State state() const;
    const std::string& name() const { return name_; }
    std::string text() const;  // as given to DurableSubscriptions::define()

    // What consumers say; `stored`: when that is as durable as configured.
    struct Acknowledgement {
        std::vector<std::uint64_t> ids{};
        std::optional<std::uint64_t> up_to{};
        struct Rejection {
            std::uint64_t id = 0;
            std::uint32_t deliveries = 0;  // 0: whichever it is
            Ledger::Duration delay{};
            std::string reason{};
        };
        std::vector<Rejection> rejected{};
        struct Extension {
            std::uint64_t id = 0;
            std::uint32_t deliveries = 0;
            std::optional<Ledger::Duration> by{};  // none: ack_wait
        };
        std::vector<Extension> extended{};
    };
    struct Acknowledged {
        std::size_t acknowledged = 0, rejected = 0, extended = 0;
        std::vector<std::uint64_t> not_known;  // ids that are not delivered, or done already
        std::uint64_t cursor = 0;
    };
    Acknowledged acknowledge(const Acknowledgement& what, Stored stored);

    // Goes on at `next`, and forgets what is outstanding. Its consumers get what is there.
    void seek(std::uint64_t next, Stored stored);

private:
    const std::string name_;
};

using DurableSubscriptionPtr = std::shared_ptr<DurableSubscription>;

}  // namespace sluice::broker
