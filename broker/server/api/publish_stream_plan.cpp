#include "broker/server/api/publish_stream_plan.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <variant>

#include "broker/server/api/idempotent_publish.hpp"
#include "broker/server/api/publish_document.hpp"
#include "broker/server/http/content_codings.hpp"
#include "broker/server/http/parameters.hpp"
#include "protocol/feed/model/document_syntax.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::server {

namespace {

constexpr std::string_view body_types = "application/x-ndjson, application/jsonl, application/json-seq";

std::optional<wire::RecordFraming> framing_of(const feed::MediaType& content) {
    if (feed::document_syntax(content, {}) == feed::Syntax::json_lines) return wire::RecordFraming::lines;
    if (content.type == "application/json-seq" || content.type.ends_with("+json-seq"))
        return wire::RecordFraming::sequence;
    return std::nullopt;
}

bool describes_one_event(const HttpRequest& request) {
    return std::any_of(request.headers->begin(), request.headers->end(), [](const auto& field) {
        return text::ascii_lower(std::string_view(field.name_string())).starts_with("ce-");
    });
}

std::optional<HttpReply> refuse_body_type(const HttpRequest& request, PublishStreamPlan& plan) {
    const auto framing = framing_of(request.header(http::field::content_type));
    if (!framing) {
        HttpReply reply = status_reply(415, "the body is one of " + std::string(body_types) +
                                                "; POST /v1/events publishes one document of any type");
        reply.headers.emplace_back("Accept-Post", body_types);
        return reply;
    }
    plan.framing = *framing;
    if (!content_codings(*request.headers).empty()) {
        HttpReply reply = status_reply(415, "a stream of documents is not compressed");
        reply.headers.emplace_back("Accept-Encoding", "identity");
        return reply;
    }
    if (describes_one_event(request))
        return status_reply(400,
                            "ce- headers describe one event; publish CloudEvents with "
                            "content_type=application/cloudevents+json, one a record");
    return std::nullopt;
}

std::optional<HttpReply> read_key(const HttpRequest& request, std::string& key) {
    if (!has_idempotency_key(request)) return std::nullopt;
    auto read = read_idempotency_key(request);
    if (auto* refusal = std::get_if<HttpReply>(&read)) return std::move(*refusal);
    key = std::get<std::string>(std::move(read));
    return std::nullopt;
}

}  // namespace

std::optional<HttpReply> read_stream_plan(HttpRequest& request, PublishStreamPlan& plan) {
    if (auto refusal = refuse_publisher(request)) return refusal;
    if (auto refusal = refuse_unknown_parameters(
            request.query, {"stream", "deduplicate", "repair", "content_type", "reply", "first_number"}))
        return refusal;
    if (auto refusal = refuse_body_type(request, plan)) return refusal;
    plan.record_type = parameter(request.query, "content_type", "application/json");
    const std::string_view reply = parameter(request.query, "reply", "summary");
    if (reply != "summary" && reply != "stream") return bad_parameter("reply", reply, "summary or stream");
    plan.streams_reply = reply == "stream";
    const std::string_view first = parameter(request.query, "first_number", "1");
    const auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), plan.first_number);
    constexpr std::uint64_t first_number_max = std::uint64_t{1} << 53;  // what JSON's readers can count
    if (error != std::errc() || end != first.data() + first.size() || plan.first_number == 0 ||
        plan.first_number > first_number_max)
        return bad_parameter("first_number", first, "a number from 1");
    if (auto refusal = read_key(request, plan.key)) return refusal;
    std::erase_if(request.query, [](const auto& each) {
        return each.first == "content_type" || each.first == "reply" || each.first == "first_number";
    });
    return std::nullopt;
}

}  // namespace sluice::server
