// All subscriptions. Equal ones (same stream, same canonical filter) share one engine subscription. Changes are
// collected for up to `apply_delay`, then the registry's thread applies them together: fan-out first, then the new
// program, then the callbacks of the waiting callers. Much is applied in rounds, each with a program of its own, in
// which those who add take turns (waiting_additions.hpp). If memory runs out, none of a subscriber's subscriptions is
// added; removing needs no memory. Any thread may add and remove.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/delivery/subscriber.hpp"
#include "broker/core/matching/fanout.hpp"
#include "broker/core/matching/subscription.hpp"
#include "broker/core/matching/waiting_additions.hpp"
#include "broker/match/scan_owners.hpp"
#include "gpu/api/matcher.hpp"

namespace sluice::broker {

enum class Admission : std::uint8_t { admitted, too_many_subscriptions, too_many_operators };

class SubscriptionRegistry {
public:
    using ProgramSink = std::function<void(std::shared_ptr<const engine::Program>)>;

    // A round adds and removes about so much, in literals, subscriptions and conditions (milliseconds); an owner that
    // others wait for adds about `turn_work` of it. One filter is always added whole.
    static constexpr std::size_t round_work = 2'048, turn_work = 256;

    struct Settings {
        engine::EngineOptions engine;
        std::chrono::microseconds apply_delay;
        std::size_t subscriptions_max;  // filters of all subscribers together
        std::size_t operators_max;      // computed conditions of all these filters
        // How often the engine is compiled without changes, to adopt the results of its background work.
        std::chrono::milliseconds upkeep_interval{1000};
        ScanOwners* scan_owners = nullptr;      // of scanned conditions; kept up to date; may be null
        ScanOwners* computed_owners = nullptr;  // the same of computed ones
        base::MemoryBudget* memory = nullptr;   // charged with what the engine keeps; may be null
        // Sets Subscriber::first_id once a program with all its subscriptions has been passed to the sink, as
        // EventQueue::begin_at_next does. Null: it gets all events.
        std::function<void(std::atomic<std::uint64_t>&)> begin = nullptr;
    };

    // Passes a first, empty program to `sink` before it returns. Its thread passes later ones.
    SubscriptionRegistry(Settings settings, Fanout& fanout, ProgramSink sink);
    ~SubscriptionRegistry();  // applies pending changes

    // The registry's thread calls `done` once every event published from then on is matched against the subscriptions,
    // or after setting Subscriber::not_added because memory ran out. `done` must not throw. Filter i of the subscriber
    // is subscriptions[i]. If a limit is exceeded, nothing is added and `done` is not called. What the subscriber's
    // filter_memory is charged for the engine's part passes to the engine's charge with each subscription.
    Admission add(std::shared_ptr<Subscriber> subscriber, std::vector<Subscription> subscriptions,
                  std::function<void()> done);
    // Removes all subscriptions of a subscriber. If its add() has not completed, it may add none.
    void remove(std::shared_ptr<Subscriber> subscriber) noexcept;

    std::size_t size() const;      // filters of all subscribers together
    std::size_t distinct() const;  // engine subscriptions
    engine::EngineStatus engine() const { return set_->status(); }
    std::size_t operators() const;  // computed conditions of all filters together

private:
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
    using Additions = WaitingAdditions::Additions;

    void run();
    void apply_round(Additions additions, SubscriberPtr removals);
    Additions add_some(Removed& removed);
    bool add_more(Addition& addition, std::size_t& work_of_turn, Removed& removed) noexcept;
    std::size_t place_some(Addition& addition, std::size_t work_max);
    std::size_t place(Addition& addition, std::size_t filter);
    void begin(Subscriber& subscriber) const;
    void give_up(const Addition& addition, Removed& removed) noexcept;
    void add_owner(const Subscriber& subscriber, const Entry& entry);
    void remove_owner(const Subscriber& subscriber, const Entry& entry) noexcept;
    void remove_some(Removed& removed) noexcept;
    std::size_t apply_removal(const Subscriber& subscriber, Removed& removed, std::size_t work_max) noexcept;
    bool publish_program();
    void charge(const engine::Program& program);
    bool has_work() const { return stopping_ || !additions_.empty() || removals_ != nullptr || has_rest_; }

    const Settings settings_;
    Fanout& fanout_;
    const ProgramSink sink_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    Additions additions_;
    SubscriberPtr removals_;  // list linked by next_gone
    std::size_t size_ = 0;
    std::size_t distinct_ = 0;
    std::size_t operators_ = 0;
    bool stopping_ = false;

    // Used by the registry's thread only, except for the set's status.
    base::MemoryCharge engine_memory_;
    std::unique_ptr<engine::SubscriptionSet> set_;
    feed::ScanOwner last_owner_ = 0;
    Entries entries_;                                                                // by Subscription::key
    std::unordered_map<const Subscriber*, std::vector<Entries::value_type*>> held_;  // entries of each subscriber
    WaitingAdditions waiting_;
    SubscriberPtr leaving_;  // list of those whose subscriptions are being removed
    bool has_rest_ = false;  // whether the last round has left something to do
    // The paths of the program's attributes, of which each program's extractor has a copy.
    std::uint64_t paths_epoch_ = 0;
    std::size_t paths_ = 0, paths_bytes_ = 0;

    std::thread thread_;
};

}  // namespace sluice::broker
