// Under which names a durable subscription's values are stored (store::NamedValue): by its owner and its name. Pure;
// any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "broker/core/subscriptions/subscription_key.hpp"

namespace sluice::broker {

// OWNER/NAME follows; nobody's name is "". Neither has a slash.
inline constexpr std::string_view stored_options = "subscription/options/", stored_ledger = "subscription/ledger/";

inline std::string options_name(const SubscriptionKey& key) {
    return std::string(stored_options).append(key.owner).append("/").append(key.name);
}
inline std::string ledger_name(const SubscriptionKey& key) {
    return std::string(stored_ledger).append(key.owner).append("/").append(key.name);
}

// The key in what follows one of the above. None: it is something else's.
inline std::optional<SubscriptionKey> stored_key(std::string_view behind) {
    const std::size_t slash = behind.find('/');
    if (slash == std::string_view::npos || slash + 1 == behind.size()) return std::nullopt;
    return SubscriptionKey{std::string(behind.substr(0, slash)), std::string(behind.substr(slash + 1))};
}

}  // namespace sluice::broker
