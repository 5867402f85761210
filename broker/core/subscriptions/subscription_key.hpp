// What a durable subscription is called: each user has names of their own, and so have those who are nobody. A plain
// value.
#pragma once

#include <string>
#include <tuple>

namespace sluice::broker {

struct SubscriptionKey {
    std::string owner;  // the user's name; "": nobody's
    std::string name;

    // OWNER/NAME, or NAME alone if it is nobody's. Different for different keys: neither part has a slash.
    std::string text() const { return owner.empty() ? name : owner + '/' + name; }

    friend bool operator==(const SubscriptionKey&, const SubscriptionKey&) = default;
    friend bool operator<(const SubscriptionKey& a, const SubscriptionKey& b) {
        return std::tie(a.owner, a.name) < std::tie(b.owner, b.name);
    }
};

}  // namespace sluice::broker
