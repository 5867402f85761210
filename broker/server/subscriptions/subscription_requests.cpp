#include "broker/server/subscriptions/subscription_requests.hpp"

#include <utility>

#include "broker/server/http/content_codings.hpp"
#include "broker/server/http/parameters.hpp"
#include "protocol/text/stream_name.hpp"

namespace sluice::server {

std::optional<HttpReply> refuse_subscription_request(const HttpRequest& request) {
    if (auto refusal = refuse_unknown_parameters(request.query, {})) return refusal;
    if (!text::is_stream_name(request.name))
        return status_reply(400, "a subscription's name has " + std::string(text::stream_name_rule) + ", not \"" +
                                     std::string(request.name) + "\"");
    if (!content_codings(*request.headers).empty()) return status_reply(415, "the body must have no Content-Encoding");
    return std::nullopt;
}

HttpReply no_such_subscription(const std::string& name) {
    return status_reply(404, "there is no subscription \"" + name + "\"");
}

HttpReply in_use_problem(const std::string& name, bool differs) {
    if (differs)
        return status_reply(
            409, "subscription \"" + name + "\" is being consumed in another format, or annotated otherwise");
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
