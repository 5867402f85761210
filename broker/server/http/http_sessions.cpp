#include "broker/server/http/http_sessions.hpp"

#include <memory>
#include <utility>

#include "broker/server/http/busy_problems.hpp"
#include "broker/server/http/http_session.hpp"
#include "broker/server/http/http_text.hpp"

namespace sluice::server {

namespace {

HttpReply rejection_reply(Rejection reason) {
    switch (reason) {
        case Rejection::address_connections:
            return connections_problem();
        case Rejection::descriptors:
            return busy_problem("there are no file descriptors for more connections");
        case Rejection::memory:
            return memory_problem(broker::MemoryShortage::temporary);
        case Rejection::connections:
            break;
    }
    return busy_problem("limits.connections is reached, and all connections are busy");
}

}  // namespace

HttpSessions::HttpSessions(ConnectionServices& services, const BrowserRules& browser_rules,
                           Authentication& authentication, Router router)
    : services_(services), browser_rules_(browser_rules), authentication_(authentication), router_(std::move(router)) {}

void HttpSessions::start_session(std::unique_ptr<Transport> transport, Admission admission) {
    std::make_shared<HttpSession>(services_, browser_rules_, authentication_, router_, std::move(transport),
                                  std::move(admission))
        ->start();
}

std::string HttpSessions::rejection_text(Rejection reason) const {
    const HttpReply reply = rejection_reply(reason);
    std::string text;
    append_reply_head(text, reply, {11, false, reply.body.size()});
    return text + reply.body;
}

}  // namespace sluice::server
