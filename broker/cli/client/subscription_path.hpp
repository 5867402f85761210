// Where a broker has durable subscriptions. Pure functions; any thread.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/text/ascii.hpp"

namespace sluice::cli {

// Whose subscription is meant: a user's, or with "" one that is nobody's; none: that of who asks.
using SubscriptionOwner = std::optional<std::string>;

inline constexpr std::string_view owner_rule = "the name of a user (letters, digits and . _ - @), or '' for nobody's";

inline bool is_owner(std::string_view name) {
    return std::all_of(name.begin(), name.end(), [](char c) {
        return text::is_ascii_letter(c) || text::is_ascii_digit(c) || c == '.' || c == '_' || c == '-' || c == '@';
    });
}

// `behind`: what follows the name in the path. The owner has none of the characters that a query would have to escape.
inline std::string subscription_path(std::string_view name, std::string_view behind, const SubscriptionOwner& owner) {
    std::string path = "/v1/subscriptions";
    if (!name.empty()) path.append("/").append(name);
    path.append(behind);
    if (owner) path.append("?owner=").append(*owner);
    return path;
}

}  // namespace sluice::cli
