// All subscriptions. Equal ones (same stream, same canonical filter) share one engine subscription. Changes are
// collected for up to `apply_delay`, then the registry's thread applies them together: fan-out first, then the new
// program, then the callbacks of the waiting callers. If memory runs out, none of the subscriptions collected together
// is added; removing needs no memory. Any thread may add and remove.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "broker/core/delivery/subscriber.hpp"
#include "broker/core/matching/fanout.hpp"
#include "broker/core/matching/scan_owners.hpp"
#include "gpu/api/matcher.hpp"

namespace sluice::broker {

// A filter on a stream, ready for the engine. Equal keys mean equal conjunctions.
struct Subscription {
    std::string key;
    engine::Disjunction conjunctions;
    std::size_t operators = 0;          // number of distinct predicates that an operator computes
    std::vector<std::string> scanned;   // keys of the distinct scanned predicates
    std::vector<std::string> computed;  // computed_key() of the distinct predicates that an operator computes
};

// `stream` empty: all streams. `canonical` is the filter's canonical text, empty for every event of the stream.
Subscription make_subscription(const std::string& stream, const std::string& canonical,
                               engine::Disjunction conjunctions);

// Estimated bytes that a subscription takes, including the engine's part: until it is in place, and afterwards. Assumes
// that no other filter shares its conditions.
struct SubscriptionMemory {
    std::size_t while_added = 0;
    std::size_t kept = 0;
};
SubscriptionMemory memory_of(const Subscription& subscription);

enum class Admission : std::uint8_t { admitted, too_many_subscriptions, too_many_operators };

class SubscriptionRegistry {
public:
    using ProgramSink = std::function<void(std::shared_ptr<const engine::Program>, std::uint64_t number)>;

    struct Settings {
        engine::EngineOptions engine;
        std::chrono::microseconds apply_delay;
        std::size_t subscriptions_max;  // filters of all subscribers together
        std::size_t operators_max;      // computed conditions of all these filters
        // How often the engine is compiled without changes, to adopt the results of its background work.
        std::chrono::milliseconds upkeep_interval{1000};
        ScanOwners* scan_owners = nullptr;      // of scanned conditions; kept up to date; may be null
        ScanOwners* computed_owners = nullptr;  // the same of computed ones
    };

    // Passes a first, empty program to `sink` before it returns. Its thread passes later ones, with ascending numbers.
    SubscriptionRegistry(Settings settings, Fanout& fanout, ProgramSink sink);
    ~SubscriptionRegistry();  // applies pending changes

    // The registry's thread calls `done` once every event published from then on is matched against the subscriptions,
    // or after setting Subscriber::not_added because memory ran out. `done` must not throw. Filter i of the subscriber
    // is subscriptions[i]. If a limit is exceeded, nothing is added and `done` is not called.
    Admission add(std::shared_ptr<Subscriber> subscriber, std::vector<Subscription> subscriptions,
                  std::function<void()> done);
    // Removes all subscriptions of a subscriber whose add() has completed.
    void remove(std::shared_ptr<Subscriber> subscriber) noexcept;

    std::size_t size() const;      // filters of all subscribers together
    std::size_t distinct() const;  // engine subscriptions
    engine::EngineStatus engine() const { return set_->status(); }
    std::size_t operators() const;  // computed conditions of all filters together

private:
    struct Addition {
        std::shared_ptr<Subscriber> subscriber;
        std::vector<Subscription> subscriptions;
        std::function<void()> done;
    };
    struct Entry {
        engine::SubscriptionId id;
        std::size_t users = 0;
        std::size_t operators = 0;
        std::vector<std::string> scanned, computed;
    };
    using Entries = std::unordered_map<std::string, Entry>;

    struct Removed {
        std::size_t subscriptions = 0, operators = 0;
    };
    using SubscriberPtr = std::shared_ptr<Subscriber>;

    void run();
    void apply(std::vector<Addition> additions, SubscriberPtr removals);
    bool try_to_add(std::vector<Addition>& additions);
    void apply_addition(Addition& addition, Fanout::Change& change);
    void give_up(const std::vector<Addition>& additions, Removed& removed) noexcept;
    void add_owner(const Subscriber& subscriber, const Entry& entry);
    void remove_owner(const Subscriber& subscriber, const Entry& entry) noexcept;
    void apply_removal(const Subscriber& subscriber, Removed& removed) noexcept;
    bool publish_program();
    bool has_work() const { return stopping_ || !additions_.empty() || removals_ != nullptr; }

    const Settings settings_;
    Fanout& fanout_;
    const ProgramSink sink_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Addition> additions_;
    SubscriberPtr removals_;  // list linked by next_gone
    std::size_t size_ = 0;
    std::size_t distinct_ = 0;
    std::size_t operators_ = 0;
    bool stopping_ = false;

    // Used by the registry's thread only, except for the set's status.
    std::unique_ptr<engine::SubscriptionSet> set_;
    std::uint64_t program_number_ = 0;  // of the program last passed to the sink
    feed::ScanOwner last_owner_ = 0;
    Entries entries_;                                                                // by Subscription::key
    std::unordered_map<const Subscriber*, std::vector<Entries::value_type*>> held_;  // entries of each subscriber

    std::thread thread_;
};

}  // namespace sluice::broker
