#include "broker/cli/problem.hpp"

#include <boost/beast/http/status.hpp>
#include <boost/json.hpp>

namespace sluice::cli {

namespace json = boost::json;

namespace {

const json::string* text_of(const json::object& problem, std::string_view key) {
    const auto* value = problem.if_contains(key);
    return value ? value->if_string() : nullptr;
}

void append_number(const json::object& problem, std::string_view key, std::string& text) {
    const auto* value = problem.if_contains(key);
    if (value && value->is_number()) text += ":" + json::serialize(*value);
}

}  // namespace

std::string describe_problem(const HttpReply& reply, const std::string& name) {
    boost::system::error_code error;
    const auto body = json::parse(reply.body, error);
    const auto* problem = error ? nullptr : body.if_object();
    std::string text = name;
    if (problem) {
        append_number(*problem, "line", text);
        append_number(*problem, "column", text);
    }
    const auto* detail = problem ? text_of(*problem, "detail") : nullptr;
    if (problem && !detail) detail = text_of(*problem, "title");
    if (detail) {
        text += ": " + std::string(*detail);
    } else if (reply.status == 0) {
        text += ": " + reply.body;
    } else {
        text += ": the broker answered " + std::to_string(reply.status) + " " +
                std::string(boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(reply.status)));
    }
    const auto* excerpt = problem ? text_of(*problem, "excerpt") : nullptr;
    if (excerpt) text += "\n" + std::string(*excerpt);
    return text;
}

std::string describe_problem(const FilterError& error) {
    return "filter:" + std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.message + "\n" +
           error.excerpt;
}

}  // namespace sluice::cli
