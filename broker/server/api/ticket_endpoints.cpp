// POST /v1/tickets, DELETE /v1/tickets/ID
#include <boost/json/serialize.hpp>
#include <optional>
#include <string>
#include <utility>

#include "broker/server/api/handlers.hpp"
#include "broker/server/http/authentication.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "broker/server/http/credentials.hpp"
#include "broker/server/http/parameters.hpp"

namespace sluice::server {

boost::asio::awaitable<HttpReply> issue_ticket(Services& services, HttpRequest& request) {
    if (auto refusal = refuse_unknown_parameters(request.query, {})) co_return std::move(*refusal);
    Authentication& authentication = services.authentication;
    const auto issued = authentication.tickets().issue(request.principal->account, authentication.now());
    if (!issued)
        co_return share_problem("there are too many tickets: a user has at most " +
                                    std::to_string(auth::Tickets::of_user_max) + ", and all users " +
                                    std::to_string(auth::Tickets::tickets_max) +
                                    "; DELETE /v1/tickets/ID revokes one, and one that is not used ends by itself",
                                auth::Tickets::first_use_max);
    HttpReply reply;
    reply.status = 201;
    reply.headers.emplace_back("Cache-Control", "no-store");
    reply.body = boost::json::serialize(boost::json::object{{"id", issued->id},
                                                            {"ticket", issued->text},
                                                            {"expires_in", auth::Tickets::first_use_max.count()},
                                                            {"url_parameter", ticket_parameter}});
    co_return reply;
}

// The same for a ticket that is not there and for one of somebody else.
boost::asio::awaitable<HttpReply> revoke_ticket(Services& services, HttpRequest& request) {
    if (auto refusal = refuse_unknown_parameters(request.query, {})) co_return std::move(*refusal);
    const std::string id(request.name);
    if (!services.authentication.tickets().revoke(id, *request.principal->account))
        co_return status_reply(404, "you have no ticket with this id");
    HttpReply reply;
    reply.status = 204;
    co_return reply;
}

}  // namespace sluice::server
