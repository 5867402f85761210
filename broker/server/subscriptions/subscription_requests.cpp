#include "broker/server/subscriptions/subscription_requests.hpp"

#include <string>
#include <utility>

#include "broker/core/subscriptions/durable_subscriptions.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/http/content_codings.hpp"
#include "broker/server/http/parameters.hpp"
#include "broker/server/http/permission.hpp"
#include "broker/server/subscriptions/owner_rights.hpp"
#include "config/users_file.hpp"
#include "protocol/text/stream_name.hpp"

namespace sluice::server {

SubscriptionOwner read_owner(const Services& services, const HttpRequest& request) {
    const auth::UserPtr& account = request.principal->account;
    SubscriptionOwner owner{account->name, account};
    const std::string_view wanted = parameter(request.query, "owner", account->name);
    if (wanted == account->name) return owner;
    owner.is_other = true;
    if (!account->rights.operate)
        owner.refusal = forbidden(*request.principal, "use the subscriptions of others");
    else if (!wanted.empty() && !config::is_user_name(wanted))
        owner.refusal = bad_parameter("owner", wanted,
                                      "the name of a user, " + std::string(config::user_name_rule) +
                                          ", or nothing for subscriptions without an owner");
    if (owner.refusal) return owner;
    owner.name = wanted;
    if (!wanted.empty()) owner.account = services.find_user(wanted);
    return owner;
}

std::string SubscriptionTarget::path() const {
    return "/v1/subscriptions/" + key.name + (owner.is_other ? "?owner=" + key.owner : "");
}

SubscriptionTarget find_target(const Services& services, const HttpRequest& request, std::string_view name) {
    SubscriptionTarget target;
    target.owner = read_owner(services, request);
    target.key = {target.owner.name, std::string(name)};
    target.refusal = std::move(target.owner.refusal);
    return target;
}

SubscriptionTarget read_target(const Services& services, const HttpRequest& request) {
    SubscriptionTarget target;
    target.refusal = refuse_unknown_parameters(request.query, {"owner"});
    if (!target.refusal && !text::is_stream_name(request.name))
        target.refusal = status_reply(400, "a subscription's name has " + std::string(text::stream_name_rule) +
                                               ", not \"" + std::string(request.name) + "\"");
    if (!target.refusal && !content_codings(*request.headers).empty())
        target.refusal = status_reply(415, "the body must have no Content-Encoding");
    return target.refusal ? std::move(target) : find_target(services, request, request.name);
}

broker::DurableSubscriptionPtr find_subscription(const Services& services, const SubscriptionTarget& target) {
    broker::DurableSubscriptionPtr found = services.subscriptions.find(target.key);
    if (found != nullptr && !may_use(target.key.owner, *found->figures().streams, *target.owner.account))
        found = nullptr;
    return found;
}

HttpReply no_such_subscription(const std::string& name) {
    return status_reply(404, "there is no subscription \"" + name + "\"");
}

HttpReply in_use_problem(const std::string& name, bool differs) {
    if (differs)
        return status_reply(409, "subscription \"" + name +
                                     "\" is being consumed in another format, annotated otherwise, or with other "
                                     "rights");
    return status_reply(409, "subscription \"" + name +
                                 "\" has a consumer, and is not shared; with takeover=true the request takes it over");
}

HttpReply uncached_reply(unsigned status, std::string body) {
    HttpReply reply;
    reply.status = status;
    reply.headers.emplace_back("Cache-Control", "no-store");
    reply.body = std::move(body);
    return reply;
}

}  // namespace sluice::server
