#include "broker/cli/client/query.hpp"

#include <boost/json.hpp>

#include "broker/cli/client/problem.hpp"

namespace sluice::cli {

Answer ask(const HttpServer& server, const HttpRequest& request, const std::string& name, const Console& console,
           unsigned unreported) {
    constexpr unsigned ok = 200, no_content = 204, multiple_choices = 300;
    Answer answer;
    const auto reply = send(server, request);
    if (!reply) {
        console.error(reply.error().message, {{"about", name}});
        return answer;
    }
    answer.status = reply->status;
    if (answer.status == unreported) return answer;
    if (reply->status < ok || reply->status >= multiple_choices) {
        report_problem(console, *reply, is_about_filter(*reply) ? "filter" : name);
        answer.refusal = reply->body;
        return answer;
    }
    answer.is_ok = true;
    answer.etag = reply->etag;
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

std::optional<boost::json::array> ask_pages(const HttpServer& server, const std::string& path, const std::string& name,
                                            const Console& console) {
    constexpr std::size_t list_bytes_max = 64u << 20;
    boost::json::array all;
    HttpRequest request;
    request.target = path;
    for (std::size_t bytes = 0; request.target.starts_with(path);) {
        const Answer answer = ask(server, request, name, console);
        if (!answer.is_ok) return std::nullopt;
        bytes += answer.bytes + request.target.size();
        if (bytes > list_bytes_max) {
            console.error("the list of " + name + " that " + server.authority + " sends is too long",
                          {{"about", name}});
            return std::nullopt;
        }
        const auto* page = answer.body.if_contains(name);
        if (page && page->is_array()) all.insert(all.end(), page->get_array().begin(), page->get_array().end());
        const auto* next = answer.body.if_contains("next");
        request.target = next && next->is_string() ? std::string(next->get_string()) : "";
    }
    return all;
}

}  // namespace sluice::cli
