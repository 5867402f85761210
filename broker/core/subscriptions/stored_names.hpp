// Under which names a durable subscription's values are stored (store::NamedValue): by its owner, who is nobody yet,
// and its name. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::broker {

// Names of subscriptions have no slash.
inline constexpr std::string_view stored_options = "subscription/options//", stored_ledger = "subscription/ledger//";

inline std::string options_name(std::string_view subscription) {
    return std::string(stored_options).append(subscription);
}
inline std::string ledger_name(std::string_view subscription) {
    return std::string(stored_ledger).append(subscription);
}

}  // namespace sluice::broker
