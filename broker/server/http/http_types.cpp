#include "broker/server/http/http_types.hpp"

#include "broker/server/net/peer_watch.hpp"
#include "broker/server/net/transport.hpp"
#include "protocol/wire/http/problem.hpp"

namespace sluice::server {

bool HttpRequest::has_left() const { return transport != nullptr && transport->peer_has_left(); }

bool HttpRequest::is_abandoned() const { return departure != nullptr && departure->noticed; }

HttpReply problem_reply(const wire::Problem& problem) {
    return {problem.status, "application/problem+json", {}, wire::to_json(problem), nullptr};
}

HttpReply status_reply(unsigned status, std::string detail) {
    return problem_reply({status, "about:blank", "", std::move(detail), {}});
}

}  // namespace sluice::server
