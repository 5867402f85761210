#include "broker/cli/client/query.hpp"

#include <boost/json.hpp>

#include "broker/cli/client/problem.hpp"

namespace sluice::cli {

Answer ask(const HttpServer& server, const HttpRequest& request, const std::string& name, const Console& console,
           bool may_be_missing) {
    constexpr unsigned ok = 200, no_content = 204, multiple_choices = 300, not_found = 404;
    Answer answer;
    const auto reply = send(server, request);
    if (!reply) {
        console.error(reply.error().message, {{"about", name}});
        return answer;
    }
    answer.is_missing = reply->status == not_found && may_be_missing;
    if (answer.is_missing) return answer;
    if (reply->status < ok || reply->status >= multiple_choices) {
        report_problem(console, *reply, is_about_filter(*reply) ? "filter" : name);
        return answer;
    }
    answer.is_ok = true;
    answer.bytes = reply->body.size();
    if (reply->status == no_content) return answer;
    boost::system::error_code error;
    auto body = boost::json::parse(reply->body, error);
    answer.is_ok = !error && body.is_object();
    if (answer.is_ok)
        answer.body = std::move(body.get_object());
    else
        console.error(server.url + " is not a Sluice broker: its reply is not a JSON object", {{"about", name}});
    return answer;
}

}  // namespace sluice::cli
