// Subscribers and subscriptions for the registry's tests.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "broker/core/matching/subscription.hpp"
#include "protocol/filter/filter.hpp"
#include "tests/unit/broker/core/delivery/plain_framer.hpp"
#include "tests/unit/broker/core/matching/selection.hpp"

namespace sluice::broker {

inline std::shared_ptr<Subscriber> make_subscriber() {
    return std::make_shared<Subscriber>(
        MailboxLimits{1000, 1'000'000}, [] {}, plain_framer, false);
}

inline Subscription on_stream(const std::string& stream, const std::string& filter) {
    auto compiled = filter::compile_filter(filter);
    return make_subscription(auth::Scope(only(stream)), compiled.value().canonical, compiled.value().disjunction);
}

}  // namespace sluice::broker
