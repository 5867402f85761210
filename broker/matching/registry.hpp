// All subscriptions. Equal ones (same stream, same canonical filter) are one subscription of the engine. Changes are
// collected for up to `apply_delay`, then a thread of its own applies them together: fan-out first, then the new
// program, then those who wait for it are told. Any thread may add and remove.
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

#include "broker/delivery/subscriber.hpp"
#include "broker/matching/fanout.hpp"
#include "gpu/matcher.hpp"

namespace sluice {

// A filter on a stream, ready for the engine. Equal keys mean equal conjunctions.
struct Subscription {
    std::string key;
    Disjunction conjunctions;
    std::size_t operators = 0;  // distinct predicates that an operator computes
};

// `stream` empty: all streams. `canonical` is the filter's canonical text, empty for every event of the stream.
Subscription make_subscription(const std::string& stream, const std::string& canonical, Disjunction conjunctions);

enum class Admission : std::uint8_t { admitted, too_many_subscriptions, too_many_operators };

class SubscriptionRegistry {
public:
    using ProgramSink = std::function<void(std::shared_ptr<const Program>, std::uint64_t number)>;

    struct Settings {
        EngineOptions engine;
        std::chrono::microseconds apply_delay;
        std::size_t subscriptions_max;  // filters of all subscribers together
        std::size_t operators_max;      // computed conditions of all of these
        // How often the engine is compiled without any change, so that it takes up what its background work has done.
        std::chrono::milliseconds upkeep_interval{1000};
    };

    // Gives `sink` a first, empty program before it returns, and later ones, numbered upwards, from its thread.
    SubscriptionRegistry(Settings settings, Fanout& fanout, ProgramSink sink);
    ~SubscriptionRegistry();  // applies what is still waiting

    // `done` is called from the registry's thread once every event published from then on is matched against the
    // subscriptions. Filter i of the subscriber is subscriptions[i]. Where a limit is exceeded nothing is done.
    Admission add(std::shared_ptr<Subscriber> subscriber, std::vector<Subscription> subscriptions,
                  std::function<void()> done);
    // All subscriptions of a subscriber whose add() is done.
    void remove(std::shared_ptr<Subscriber> subscriber);

    std::size_t size() const;      // filters of all subscribers together
    std::size_t distinct() const;  // subscriptions of the engine
    EngineStatus engine() const { return set_->status(); }
    std::size_t operators() const;  // computed conditions of all filters together

private:
    struct Addition {
        std::shared_ptr<Subscriber> subscriber;
        std::vector<Subscription> subscriptions;
        std::function<void()> done;
    };
    struct Entry {
        SubscriptionId id;
        std::size_t users = 0;
        std::size_t operators = 0;
    };
    using Entries = std::unordered_map<std::string, Entry>;

    void run();
    void apply(std::vector<Addition> additions, const std::vector<std::shared_ptr<Subscriber>>& removals);
    struct Removed {
        std::size_t subscriptions = 0, operators = 0;
    };
    Removed apply_removal(const Subscriber& subscriber, Fanout::Change& change);
    void apply_addition(Addition& addition, Fanout::Change& change);

    const Settings settings_;
    Fanout& fanout_;
    const ProgramSink sink_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Addition> additions_;
    std::vector<std::shared_ptr<Subscriber>> removals_;
    std::size_t size_ = 0;
    std::size_t distinct_ = 0;
    std::size_t operators_ = 0;
    bool stopping_ = false;

    // Of the registry's thread alone, but for the set's status.
    std::unique_ptr<SubscriptionSet> set_;
    std::uint64_t program_number_ = 0;  // of the program last given to the sink
    Entries entries_;                   // by Subscription::key
    std::unordered_map<const Subscriber*, std::vector<Entries::value_type*>> held_;  // entries of each subscriber

    std::thread thread_;
};

}  // namespace sluice
