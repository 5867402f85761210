#include "broker/cli/client/problem.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "protocol/wire/http/problem.hpp"

namespace sluice::cli {

namespace json = boost::json;

namespace {

constexpr std::size_t text_max = 200;  // bytes of a reply's text that are shown

const json::string* text_of(const json::object& problem, std::string_view key) {
    const auto* value = problem.if_contains(key);
    return value ? value->if_string() : nullptr;
}

// The problem that a reply's body is, or an empty object.
json::object problem_of(const HttpReply& reply) {
    boost::system::error_code error;
    const auto body = json::parse(reply.body, error);
    return error || !body.is_object() ? json::object() : body.get_object();
}

// " (Server: nginx/1.22.1)", or "".
std::string called(const HttpReply& reply) {
    return reply.server.empty() ? "" : " (Server: " + reply.server.substr(0, text_max) + ")";
}

// What a proxy means by a status that it answers in the broker's place; "": that is not known.
std::string_view meaning_for_proxies(unsigned status) {
    switch (status) {
        case 407:
            return "it wants credentials of its own, which http_proxy names: http://USER:PASSWORD@PROXY";
        case 413:
            return "it passes on no body of this size (nginx: client_max_body_size)";
        case 502:
            return "it can't reach the broker, or does not understand it";
        case 504:
            return "the broker was silent for longer than it waits (nginx: proxy_read_timeout)";
        default:
            return "";
    }
}

// What a reply without a problem says: the broker always sends one, others may answer in its place.
std::string describe_status(const HttpReply& reply) {
    std::string text = "the answer is " + std::to_string(reply.status);
    if (const auto name = wire::reason_phrase(reply.status); !name.empty()) text += " " + std::string(name);
    if (const auto meaning = meaning_for_proxies(reply.status); !meaning.empty())
        return text + " of a proxy before the broker" + called(reply) + ": " + std::string(meaning);
    text += called(reply);
    // Such as nginx's, and the broker's where TLS is spoken.
    if (reply.content_type.starts_with("text/plain") && !reply.body.empty())
        return text + ": " + reply.body.substr(0, std::min(reply.body.find('\n'), text_max));
    if (!reply.location.empty()) return text + ", which leads to " + reply.location + "; give that address";
    return text + ", without the broker's reason; is this a Sluice broker?";
}

// Of a 401.
std::string describe_credentials(const HttpReply& reply, bool is_of_other) {
    const std::string who = is_of_other ? "the server" + called(reply) : "the broker";
    return reply.had_credentials
               ? who + " does not accept the credentials"
               : who + " wants credentials (--user NAME, --token-file FILE or SLUICE_TOKEN, --netrc, or --cert FILE)";
}

// Without the position in the body, "body:1:13: ", which this program wrote, not its user.
std::string without_place(std::string_view detail) {
    const std::size_t end = detail.starts_with("body:1:") ? detail.find(": ") : std::string_view::npos;
    return std::string(end == std::string_view::npos ? detail : detail.substr(end + 2));
}

void append_number(const json::object& problem, std::string_view key, std::string& text) {
    const auto* value = problem.if_contains(key);
    if (value && value->is_number()) text += ":" + json::serialize(*value);
}

}  // namespace

std::string describe_problem(const HttpReply& reply, const std::string& name) {
    constexpr unsigned unauthorized = 401;
    const json::object problem = problem_of(reply);
    std::string text = name;
    append_number(problem, "line", text);
    append_number(problem, "column", text);
    const auto* detail = text_of(problem, "detail");
    if (!detail) detail = text_of(problem, "title");
    if (reply.status == unauthorized) text += ": " + describe_credentials(reply, problem.empty());
    if (detail)
        text += ": " + without_place(*detail);
    else if (reply.status != unauthorized)
        text += ": " + (reply.status == 0 ? reply.body : describe_status(reply));
    const auto* excerpt = text_of(problem, "excerpt");
    if (excerpt) text += "\n" + std::string(*excerpt);
    return text;
}

void report_problem(const Console& console, const HttpReply& reply, const std::string& name) {
    const json::object problem = problem_of(reply);
    json::object more{{"about", name}};
    if (reply.status != 0) more["status"] = reply.status;
    for (const auto& [key, value] : problem) more[key] = value;
    console.error(describe_problem(reply, name), more);
}

bool is_about_filter(const HttpReply& reply) {
    const json::object problem = problem_of(reply);
    const auto* type = text_of(problem, "type");
    return type && *type == "urn:sluice:problem:filter";
}

std::string describe_problem(const filter::FilterError& error, const std::string& name) {
    return name + ":" + std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.message + "\n" +
           error.excerpt;
}

void report_problem(const Console& console, const filter::FilterError& error, const std::string& name) {
    console.error(describe_problem(error, name), {{"about", name},
                                                  {"detail", error.message},
                                                  {"line", error.line},
                                                  {"column", error.column},
                                                  {"excerpt", error.excerpt}});
}

void print_hints(const filter::Filter& filter, const Console& console) {
    for (const filter::Hint& hint : filter.hints)
        console.note("hint: " + describe_problem(hint), {{"about", "filter"},
                                                         {"detail", hint.message},
                                                         {"line", hint.line},
                                                         {"column", hint.column},
                                                         {"excerpt", hint.excerpt}});
}

}  // namespace sluice::cli
