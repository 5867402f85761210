// A consumer's place at a durable subscription, which it leaves at the end of this object. Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "broker/core/subscriptions/durable_subscription.hpp"

namespace sluice::broker {

class Consumer {
public:
    // `number`: that of DurableSubscription::attach().
    Consumer(DurableSubscriptionPtr subscription, Ledger::Consumer number)
        : subscription_(std::move(subscription)), number_(number) {}
    Consumer(Consumer&& other) noexcept
        : subscription_(std::move(other.subscription_)), number_(std::exchange(other.number_, 0)) {}
    Consumer& operator=(Consumer&&) = delete;
    ~Consumer() {
        if (number_ != 0) subscription_->leave(number_);
    }

    const DurableSubscriptionPtr& subscription() const { return subscription_; }
    DurableSubscription::Taken take(std::size_t most) { return subscription_->take(number_, most); }
    std::optional<std::uint64_t> note_decided(std::uint64_t decided) {
        return subscription_->note_decided(number_, decided);
    }

private:
    DurableSubscriptionPtr subscription_;
    Ledger::Consumer number_;
};

}  // namespace sluice::broker
