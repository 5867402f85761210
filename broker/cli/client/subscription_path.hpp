// Where a broker has durable subscriptions. Pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::cli {

// Whose subscription is meant: a user's, or with "" one that is nobody's; none: that of who asks.
using SubscriptionOwner = std::optional<std::string>;

// `behind`: what follows the name in the path. The owner has none of the characters that a query would have to escape.
inline std::string subscription_path(std::string_view name, std::string_view behind, const SubscriptionOwner& owner) {
    std::string path = "/v1/subscriptions";
    if (!name.empty()) path.append("/").append(name);
    path.append(behind);
    if (owner) path.append("?owner=").append(*owner);
    return path;
}

}  // namespace sluice::cli
