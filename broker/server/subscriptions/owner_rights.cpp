#include "broker/server/subscriptions/owner_rights.hpp"

#include <algorithm>

#include "broker/server/http/permission.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::server {

namespace {

// Whether all streams of `some` are among those of `granted`.
bool includes(const std::optional<text::StreamSelection>& granted, const text::StreamSelection& some) {
    if (!granted || some.is_all()) return granted && granted->is_all();
    const auto has_prefix = [&](const std::string& prefix) {
        return granted->is_all() || std::any_of(granted->prefixes().begin(), granted->prefixes().end(),
                                                [&](const std::string& other) { return prefix.starts_with(other); });
    };
    return std::all_of(some.names().begin(), some.names().end(),
                       [&](const std::string& name) { return granted->matches(name); }) &&
           std::all_of(some.prefixes().begin(), some.prefixes().end(), has_prefix);
}

}  // namespace

HttpReply owner_may_not(const std::string& owner, const auth::User& account, std::string_view what) {
    if (!owner.empty() && account.name != owner)
        return status_reply(403, "there is no user \"" + owner + "\", whose rights the subscription has");
    if (account.name.empty()) return unauthorized("a request without credentials may not " + std::string(what));
    return status_reply(403, "user \"" + account.name + "\" may not " + std::string(what));
}

auth::Scope subscription_scope(const config::SubscriptionOptions& options, const auth::User& account) {
    return {text::StreamSelection(options.streams), account.rights};
}

std::optional<HttpReply> refuse_definition(const config::SubscriptionOptions& options, const auth::Scope& scope,
                                           const std::string& owner, const auth::User& account) {
    if (scope.is_empty()) return owner_may_not(owner, account, "subscribe to any of these streams");
    const std::string& letters = options.dead_letter;
    if (!letters.empty() && !account.rights.may_publish(letters))
        return owner_may_not(owner, account,
                             "publish to stream \"" + letters + "\", which the option dead_letter needs");
    if (options.hold_bytes != 0 && !includes(account.rights.manage, text::StreamSelection(options.streams)))
        return owner_may_not(owner, account, "manage all of these streams, which the option hold_bytes needs");
    return std::nullopt;
}

bool may_see_lag(const auth::Scope& scope, const auth::User& viewer) {
    if (viewer.rights.operate) return true;
    return std::all_of(scope.parts().begin(), scope.parts().end(), [&](const auth::Scope::Part& part) {
        return part.filter == nullptr || includes(viewer.rights.manage, part.streams);
    });
}

}  // namespace sluice::server
