#include "broker/auth/user.hpp"

namespace sluice::auth {

const UserPtr& nobody() {
    static const UserPtr user = std::make_shared<const User>("", Rights{});
    return user;
}

const UserPtr& everybody() {
    static const UserPtr user = std::make_shared<const User>("", Rights::everything());
    return user;
}

}  // namespace sluice::auth
