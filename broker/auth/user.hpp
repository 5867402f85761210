// A user as requests and connections know it. When a user changes, another object takes its place. Any thread.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "broker/auth/rights.hpp"

namespace sluice::auth {

struct User {
    User(std::string named, Rights with) : name(std::move(named)), rights(std::move(with)) {}

    const std::string name;  // "": who gave no credentials
    const Rights rights;
    mutable std::atomic<bool> is_revoked{false};  // it is gone or has changed: what it has opened ends
};

using UserPtr = std::shared_ptr<const User>;  // never null

// Without a name, and without any right.
const UserPtr& nobody();
// Without a name, and with every right.
const UserPtr& everybody();

}  // namespace sluice::auth
