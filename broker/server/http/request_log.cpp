#include "broker/server/http/request_log.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "broker/base/log.hpp"
#include "broker/server/http/parameters.hpp"
#include "protocol/text/trace_context.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::server {

namespace {

constexpr std::size_t text_bytes_max = 200, method_bytes_max = 32;

std::string without_quoted_texts(std::string_view detail) {
    std::string kept;
    bool is_quoted = false;
    for (const char c : detail) {
        if (c == '"' && !is_quoted) kept += "\"…\"";
        if (c != '"' && !is_quoted) kept += c;
        is_quoted ^= c == '"';
    }
    return kept;
}

std::string_view member(const boost::json::object& problem, std::string_view name) {
    const auto* value = problem.if_contains(name);
    return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

// Of a refusal. What is about a document or a filter quotes it, with and without quotes, so only its title and place
// are told.
struct Reason {
    std::string text;
    std::int64_t line = 0, column = 0;  // 0: of no text
};

Reason reason_of(const HttpReply& reply) {
    boost::system::error_code error;
    const auto parsed = boost::json::parse(reply.text(), error);
    if (error || !parsed.is_object()) return {};
    const boost::json::object& problem = parsed.get_object();
    const auto number = [&](const char* name) {
        const auto* value = problem.if_contains(name);
        return value != nullptr && value->is_number() ? value->to_number<std::int64_t>() : 0;
    };
    const std::string_view detail = member(problem, "detail");
    const bool is_plain = member(problem, "type") == "about:blank" && !detail.empty();
    const std::string text = is_plain ? without_quoted_texts(detail) : std::string(member(problem, "title"));
    return {text::shortened_utf8(text, text_bytes_max), number("line"), number("column")};
}

std::string_view trace_of(const RequestReader::Head& head) {
    const auto parent = head.find("traceparent");
    if (parent == head.end() || !text::is_trace_parent(parent->value())) return {};
    return text::trace_id(parent->value());
}

}  // namespace

void log_request(const AnsweredRequest& request, const HttpReply& reply) {
    const auto target = wire::parse_target(request.head.target());
    const bool has_body = !reply.takeover && request.head.method() != http::verb::head;
    const std::string method = text::shortened_utf8(request.head.method_string(), method_bytes_max);
    const std::string path = target ? text::shortened_utf8(target->path, text_bytes_max) : std::string();
    const std::string stream =
        target ? text::shortened_utf8(parameter(target->query, "stream", ""), text_bytes_max) : std::string();
    const Reason reason = reply.status >= 400 ? reason_of(reply) : Reason();
    const std::string_view trace = trace_of(request.head);
    std::vector<base::LogField> fields{{"method", method},
                                       {"path", path},
                                       {"status", reply.status},
                                       {"bytes_in", request.body_bytes},
                                       {"bytes_out", has_body ? reply.text().size() : 0}};
    if (request.took) fields.emplace_back("microseconds", request.took->count());
    fields.emplace_back("peer", request.peer);
    if (!request.proxy.empty()) fields.emplace_back("proxy", request.proxy);
    fields.emplace_back("local", request.is_local);
    if (!request.user.empty()) fields.emplace_back("user", request.user);
    if (!stream.empty()) fields.emplace_back("stream", stream);
    if (!trace.empty()) fields.emplace_back("trace_id", trace);
    if (!reason.text.empty()) fields.emplace_back("reason", reason.text);
    if (reason.line != 0) {
        fields.emplace_back("line", reason.line);
        fields.emplace_back("column", reason.column);
    }
    base::log_debug("request", fields);
}

void log_opened(std::string_view peer) { base::log_debug("connection opened", {{"peer", peer}}); }

void log_closed(std::string_view peer, std::size_t requests, std::chrono::steady_clock::duration open_for) {
    base::log_debug("connection closed",
                    {{"peer", peer},
                     {"requests", requests},
                     {"milliseconds", std::chrono::duration_cast<std::chrono::milliseconds>(open_for).count()}});
}

}  // namespace sluice::server
