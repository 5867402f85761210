// What requests for durable subscriptions have in common. Any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "broker/auth/user.hpp"
#include "broker/core/subscriptions/durable_subscription.hpp"
#include "broker/core/subscriptions/subscription_key.hpp"
#include "broker/server/http/http_types.hpp"

namespace sluice::server {

struct Services;

// Whose subscriptions a request is about: those of who sends it, or with the parameter `owner`, which is for who may
// operate the broker, those of somebody else.
struct SubscriptionOwner {
    std::string name{};                      // "": nobody
    auth::UserPtr account = auth::nobody();  // whose rights they have: of nobody's, those of who sends the request
    bool is_other = false;                   // not who sends it
    std::optional<HttpReply> refusal{};
};
SubscriptionOwner read_owner(const Services& services, const HttpRequest& request);

// Which subscription a request is about, whose path or query has its `name`.
struct SubscriptionTarget {
    broker::SubscriptionKey key{};
    SubscriptionOwner owner{};
    std::optional<HttpReply> refusal{};

    std::string path() const;  // with `owner`, if that is somebody else
    // DurableSubscription::Format::account.
    std::shared_ptr<const auth::User> account_of_feed() const { return key.owner.empty() ? owner.account : nullptr; }
};
SubscriptionTarget find_target(const Services& services, const HttpRequest& request, std::string_view name);
// Of a request without other parameters. Refuses it if the name of the subscription, the query or the coding of the
// body is not valid.
SubscriptionTarget read_target(const Services& services, const HttpRequest& request);

// Null: there is none, or none that who sends the request may know of.
broker::DurableSubscriptionPtr find_subscription(const Services& services, const SubscriptionTarget& target);
HttpReply no_such_subscription(const std::string& name);
// Others consume it: `differs`, in another format, or with other rights.
HttpReply in_use_problem(const std::string& name, bool differs);
HttpReply uncached_reply(unsigned status, std::string body);

}  // namespace sluice::server
