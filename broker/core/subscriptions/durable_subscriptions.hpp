// All durable subscriptions, by name. Their definitions and ledgers outlive the process where the log is on disk
// (store::DurableState). Has a thread of its own, which has what is due delivered again and appends dead letters. Any
// thread, but define() and erase() compile and may wait for a lock, so no I/O thread calls them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "broker/core/subscriptions/durable_subscription.hpp"

namespace sluice::broker {

class DurableSubscriptions {
public:
    explicit DurableSubscriptions(const SubscriptionContext& context);
    ~DurableSubscriptions();  // ends the thread
    DurableSubscriptions(const DurableSubscriptions&) = delete;
    DurableSubscriptions& operator=(const DurableSubscriptions&) = delete;

    // Those that the store has. Call once it is open, before the functions below. `parse` reads a definition as given
    // to define().
    using Parse = std::function<std::optional<config::SubscriptionOptions>(std::string_view)>;
    void restore(const Parse& parse);
    void start();

    struct Defined {
        bool is_new = false;
        DurableSubscriptionPtr subscription;  // null: refused
        bool is_too_many = false;             // there are limits.durable_subscriptions already
        bool is_other = false;                // not the version that was expected
    };
    // Makes a subscription that begins at `next`, or gives an existing one these options; `next` is then ignored.
    // `text` is kept with it. `expected`: of which version (0: none exists); none: any. In force when it returns;
    // `stored` is called as that of DurableSubscription::acknowledge() is.
    Defined define(const std::string& name, const config::SubscriptionOptions& options, std::string text,
                   std::uint64_t next, std::optional<std::uint64_t> expected, Stored stored);
    // Ends its consumers. False: there is none, or it has not the version expected.
    enum class Erased : std::uint8_t { done, none, other };
    Erased erase(std::string_view name, std::optional<std::uint64_t> expected, Stored stored);

    DurableSubscriptionPtr find(std::string_view name) const;
    // Up to `most` of those after `after`, by name.
    std::vector<DurableSubscriptionPtr> after(std::string_view after, std::size_t most) const;
    std::size_t size() const;

    // The clock has been moved by hand.
    void look();

private:
    void run();
    bool wait_for_work();

    const SubscriptionContext context_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, DurableSubscriptionPtr, std::less<>> all_;
    bool stopping_ = false;
    bool must_look_ = false;
    std::thread thread_;
};

}  // namespace sluice::broker
