// All durable subscriptions, by owner and name. Their definitions and ledgers outlive the process where the log is on
// disk (store::DurableState). Has a thread of its own, which has what is due delivered again and appends dead letters.
// Any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "broker/core/subscriptions/durable_subscription.hpp"

namespace sluice::broker {

class DurableSubscriptions {
public:
    explicit DurableSubscriptions(SubscriptionContext context);
    ~DurableSubscriptions();  // ends the thread
    DurableSubscriptions(const DurableSubscriptions&) = delete;
    DurableSubscriptions& operator=(const DurableSubscriptions&) = delete;

    void start();  // throws if the thread cannot be started
    void stop();   // what is due waits for the next start
    // Takes those that the store has. Call once it is open, before the functions below, and before it is told what to
    // retain: subscriptions may hold that back. `parse` reads options as they were given to define(); none: they are
    // invalid, and the log says so.
    using Parse = std::function<std::optional<config::SubscriptionOptions>(const std::string&)>;
    void restore(const Parse& parse);

    struct Definition {
        config::SubscriptionOptions options;
        std::string text;                       // the options as they are kept
        std::uint64_t next = 0;                 // where it begins, if it is new
        std::uint64_t told_drops = 0;           // StreamExtent::drops, of which it need not be told then
        std::optional<std::uint64_t> expected;  // of which version it is to be (0: there is none); none: of any
    };
    enum class Outcome : std::uint8_t {
        added,
        changed,
        unexpected,  // not the version expected
        too_many,    // there are limits.durable_subscriptions already
    };
    struct Defined {
        Outcome outcome;
        DurableSubscriptionPtr subscription;  // null: refused
    };
    // Makes a subscription, or gives the one with this key these options. In force when it returns; `stored` is called
    // only then.
    Defined define(const SubscriptionKey& key, Definition definition, Stored stored);

    enum class Erased : std::uint8_t { done, none, unexpected };
    Erased erase(const SubscriptionKey& key, std::optional<std::uint64_t> expected, Stored stored);

    DurableSubscriptionPtr find(const SubscriptionKey& key) const;
    // Up to `most` of those after `after`, by owner and name; nobody's come first.
    std::vector<DurableSubscriptionPtr> list(const SubscriptionKey& after, std::size_t most) const;
    // Those of after.owner alone.
    std::vector<DurableSubscriptionPtr> list_of_owner(const SubscriptionKey& after, std::size_t most) const;
    std::size_t size() const;
    std::size_t size_of_owner(std::string_view owner) const;

    // The rights of this user have changed, as those who look for the user find them already ("": of those who give no
    // credentials): what consumers get from now on is what these rights permit.
    void rights_changed(std::string_view owner);

    // The daemon ends, and has no consumers any more: keeps what has been delivered.
    void end_feeds();

    // Does what has become due since the clock was moved by hand, before it returns.
    void clock_moved();

private:
    using Time = Ledger::Time;
    using Values = std::map<SubscriptionKey, std::string>;
    using All = std::map<SubscriptionKey, DurableSubscriptionPtr>;

    void add_stored(Values& texts, const Values& ledgers, const Parse& parse);  // takes the texts
    static void take_value(Values& into, std::string_view behind, store::NamedValue& value);
    std::pair<All::const_iterator, All::const_iterator> of_owner(std::string_view owner) const;
    Defined add_or_change(const SubscriptionKey& key, Definition definition, Stored stored);
    void run();
    struct Holds {
        std::map<std::string, store::Hold> of_streams{};
        bool is_any_wanted = false;  // though it may not be permitted now, or have no stream yet
    };
    Holds wanted_holds(const std::vector<std::string>& streams) const;
    void keep_holds(const std::vector<std::string>& streams);
    void schedule(const DurableSubscriptionPtr& subscription, Time time);
    std::vector<DurableSubscriptionPtr> take_scheduled(Time now);
    void look(Time now);

    SubscriptionContext context_;
    mutable std::mutex mutex_;
    All all_;
    std::mutex holds_mutex_;
    std::map<std::string, store::Hold> holds_;  // of streams, as the log knows them
    std::atomic<bool> has_holds_{false};        // Holds::is_any_wanted

    std::mutex schedule_mutex_;
    std::condition_variable scheduled_;
    std::multimap<Time, std::weak_ptr<DurableSubscription>> schedule_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace sluice::broker
