// Where a durable subscription begins in the log, as its option `start` says. May wait for the disk.
#pragma once

#include <cstdint>
#include <optional>

#include "broker/server/http/http_types.hpp"
#include "config/subscription_options.hpp"

namespace sluice::store {
class EventLog;
}

namespace sluice::server {

struct SubscriptionStart {
    std::uint64_t next = 0;        // it reads the log from here on
    std::uint64_t told_drops = 0;  // DurableSubscriptions::Definition::told_drops
    std::optional<HttpReply> refusal{};
};
SubscriptionStart find_subscription_start(const config::SubscriptionOptions& options, store::EventLog& log);

}  // namespace sluice::server
