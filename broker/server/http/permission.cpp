#include "broker/server/http/permission.hpp"

namespace sluice::server {

namespace {

bool is_permitted(Needs needs, const auth::Rights& rights, std::string_view name) {
    switch (needs.what) {
        case Needs::nothing:
            return true;
        case Needs::any_right:
            return rights.operate || rights.publish || rights.manage || !rights.subscribe.empty();
        case Needs::publish:
            return rights.publish.has_value();
        case Needs::subscribe:
            return !rights.subscribe.empty();
        case Needs::subscriptions:
            return rights.operate || !rights.subscribe.empty();
        case Needs::see_stream:
            return rights.may_see(name);
        case Needs::manage_stream:
            return rights.may_manage(name);
        case Needs::operate:
            return rights.operate;
    }
    return false;
}

std::string text_of(Needs needs, std::string_view name) {
    const auto stream = [name] { return " stream \"" + std::string(name) + "\""; };
    switch (needs.what) {
        case Needs::publish:
            return "publish to any stream";
        case Needs::subscribe:
        case Needs::subscriptions:
            return "subscribe to any stream";
        case Needs::see_stream:
            return "see" + stream();
        case Needs::manage_stream:
            return "manage" + stream();
        case Needs::operate:
            return "operate the broker";
        default:
            return "do anything";
    }
}

}  // namespace

HttpReply unauthorized(std::string detail) {
    HttpReply reply = status_reply(401, std::move(detail));
    reply.headers.emplace_back("WWW-Authenticate",
                               "Basic realm=\"sluice\", charset=\"UTF-8\", Bearer realm=\"sluice\"");
    return reply;
}

HttpReply forbidden(const auth::User& user, std::string_view what) {
    if (user.name.empty()) return unauthorized("a request without credentials may not " + std::string(what));
    return status_reply(403, "user \"" + user.name + "\" may not " + std::string(what));
}

std::optional<HttpReply> refuse_unless_permitted(Needs needs, const Principal& client, std::string_view name) {
    if (is_permitted(needs, client.account->rights, name)) return std::nullopt;
    return forbidden(client, text_of(needs, name));
}

}  // namespace sluice::server
