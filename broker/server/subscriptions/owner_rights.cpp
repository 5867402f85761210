#include "broker/server/subscriptions/owner_rights.hpp"

#include <algorithm>

#include "broker/server/http/permission.hpp"

namespace sluice::server {

HttpReply owner_may_not(const std::string& owner, const auth::User& account, std::string_view what) {
    if (!owner.empty() && account.name != owner)
        return status_reply(403, "there is no user \"" + owner + "\", whose rights the subscription has");
    return forbidden(account, what);
}

auth::Scope subscription_scope(const config::SubscriptionOptions& options, const auth::User& account) {
    return {text::StreamSelection(options.streams), account.rights};
}

bool may_use(const std::string& owner, const text::StreamSelection& streams, const auth::User& viewer) {
    if (!owner.empty() || viewer.rights.operate) return true;
    const auth::Scope scope(streams, viewer.rights);
    return !scope.is_empty() && scope.streams() == streams;
}

std::optional<HttpReply> refuse_definition(const config::SubscriptionOptions& options, const auth::Scope& scope,
                                           const std::string& owner, const auth::User& account) {
    if (scope.is_empty()) return owner_may_not(owner, account, "subscribe to any of these streams");
    if (!may_use(owner, text::StreamSelection(options.streams), account))
        return owner_may_not(owner, account,
                             "subscribe to all of these streams, as a subscription without owner needs");
    const std::string& letters = options.dead_letter;
    if (!letters.empty() && !account.rights.may_publish(letters))
        return owner_may_not(owner, account,
                             "publish to stream \"" + letters + "\", which the option dead_letter needs");
    const auto& manage = account.rights.manage;
    if (options.hold_bytes != 0 && !(manage && manage->includes(text::StreamSelection(options.streams))))
        return owner_may_not(owner, account, "manage all of these streams, which the option hold_bytes needs");
    return std::nullopt;
}

bool may_see_lag(const auth::Scope& scope, const auth::User& viewer) {
    if (viewer.rights.operate) return true;
    const auto& manage = viewer.rights.manage;
    return std::all_of(scope.parts().begin(), scope.parts().end(), [&](const auth::Scope::Part& part) {
        return part.filter == nullptr || (manage && manage->includes(part.streams));
    });
}

}  // namespace sluice::server
