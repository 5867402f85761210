// Passwords that were right a short while ago, so that not every request costs a check. They are kept only as HMACs
// under a key of this process, and belong to a user object: when the user changes they are worth nothing. Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "broker/auth/secrets.hpp"
#include "broker/auth/user.hpp"

namespace sluice::auth {

class Remembered {
public:
    using Clock = std::chrono::steady_clock;

    static constexpr std::chrono::minutes time_max{5};
    static constexpr std::size_t passwords_max = 10'000;

    // By which a password of a user is known here.
    Sha256 digest(std::string_view name, std::string_view password) const { return keyed_sha256(key_, name, password); }

    // Whether this password of this user was right.
    bool knows(const Sha256& digest, const User& user, Clock::time_point now) const;
    void add(const Sha256& digest, UserPtr user, Clock::time_point now);
    void forget_revoked();

    std::size_t size() const;

private:
    struct Entry {
        UserPtr user;
        Clock::time_point until;
    };

    const Sha256 key_ = random_key();
    mutable std::mutex mutex_;
    std::unordered_map<Sha256, Entry, Sha256Hash> entries_;
};

}  // namespace sluice::auth
