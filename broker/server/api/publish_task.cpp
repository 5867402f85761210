#include "broker/server/api/publish_task.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/stages.hpp"
#include "broker/server/api/limits.hpp"
#include "broker/server/api/problems.hpp"
#include "broker/server/api/publish_reply.hpp"
#include "broker/server/http/content_codings.hpp"
#include "broker/server/http/parameters.hpp"
#include "broker/server/net/connection_services.hpp"
#include "config/options.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/stream_name.hpp"
#include "protocol/wire/http/gunzip.hpp"

namespace sluice::server {

namespace {

std::size_t held_by(const PublishTask& task) { return task.memory.bytes() + connection_memory_bytes; }

// Turns the data of a CloudEvent in binary mode and its headers into the structured event.
std::optional<Prepared> make_structured(PublishTask& task, base::MemoryBudget& budget) {
    const std::size_t bytes = feed::structured_bytes_max(*task.cloud_event, task.body);
    base::MemoryCharge memory = budget.charge(base::MemoryUse::bodies, bytes);
    if (!memory) return broker::missing_memory(budget, base::MemoryUse::bodies, bytes, held_by(task));
    auto text = feed::structured_cloud_event(*task.cloud_event, task.body, task.options.limits);
    if (!text) return feed_problem(text.error());
    task.body = std::move(*text);
    task.memory = std::move(memory);
    task.options.content_type = feed::media_type_of(feed::Syntax::cloud_event);
    task.cloud_event.reset();
    return std::nullopt;
}

// The refusal of a content type names those that are accepted (RFC 9110 §15.5.16).
HttpReply document_problem(const feed::FeedError& error) {
    HttpReply reply = feed_problem(error);
    if (error.kind == feed::FeedError::Kind::content_type)
        reply.headers.emplace_back("Accept-Post", feed::accepted_media_types());
    return reply;
}

// Sets whether the body is gzip. Returns a reply if its codings are not supported.
std::optional<HttpReply> read_coding(const HttpRequest& request, bool& is_gzip) {
    const std::vector<std::string> codings = content_codings(*request.headers);
    if (codings.empty()) return std::nullopt;
    is_gzip = codings.size() == 1 && (codings[0] == "gzip" || codings[0] == "x-gzip");
    if (is_gzip) return std::nullopt;
    HttpReply reply = status_reply(415, "the only supported content coding is gzip, once");
    reply.headers.emplace_back("Accept-Encoding", "gzip");
    return reply;
}

// Most requests have only fields that the parser knows by number, none of a trace or a CloudEvent.
bool has_other_fields(const HttpRequest& request) {
    return std::any_of(request.headers->begin(), request.headers->end(),
                       [](const auto& field) { return field.name() == http::field::unknown; });
}

// Several traceparents are none. Several tracestates are one, as with any field that is a list (RFC 9110 §5.3).
text::TraceContext read_trace(const HttpRequest& request) {
    const auto [parent, parents_end] = request.headers->equal_range("traceparent");
    if (parent == parents_end || std::next(parent) != parents_end) return {};
    const auto [states, states_end] = request.headers->equal_range("tracestate");
    std::string state;
    for (auto each = states; each != states_end; ++each) state.append(state.empty() ? "" : ",").append(each->value());
    return text::trace_context(parent->value(), state);
}

constexpr std::string_view cloud_event_prefix = "ce-";

bool begins_in_any_case(std::string_view text, std::string_view lower) {
    return text.size() >= lower.size() && std::equal(lower.begin(), lower.end(), text.begin(),
                                                     [](char l, char c) { return l == text::ascii_lower(c); });
}

// The attributes of a CloudEvent in binary mode (its HTTP binding, §3.1); none: the body is a document.
std::unique_ptr<const feed::BinaryCloudEvent> read_cloud_event(const HttpRequest& request) {
    const auto is_attribute = [](const auto& field) {
        return begins_in_any_case(std::string_view(field.name_string()), cloud_event_prefix);
    };
    if (std::none_of(request.headers->begin(), request.headers->end(), is_attribute)) return nullptr;
    if (begins_in_any_case(request.header(http::field::content_type), "application/cloudevents")) return nullptr;
    auto event = std::make_unique<feed::BinaryCloudEvent>();
    event->content_type = request.header(http::field::content_type);
    for (const auto& field : *request.headers) {
        if (!is_attribute(field)) continue;
        const std::string_view name(field.name_string());
        event->attributes.emplace_back(text::ascii_lower(name.substr(cloud_event_prefix.size())), field.value());
    }
    return event;
}

feed::IgnoredParts ignored_parts(const config::StreamOptions& options) {
    return options.deduplication_ignore ? feed::IgnoredParts(*options.deduplication_ignore) : feed::IgnoredParts();
}

}  // namespace

bool PublishTask::is_small() const {
    return options.event_path.empty() && body.size() <= (is_gzip ? small_gzip_bytes : small_body_bytes);
}

std::optional<Prepared> decompress(PublishTask& task, base::MemoryBudget& budget) {
    const std::size_t bytes_max = task.options.limits.document_bytes_max;
    base::MemoryCharge memory = budget.charge(base::MemoryUse::evaluation, 0);
    std::size_t wanted = 0;
    auto plain = wire::gunzip(task.body, bytes_max, [&](std::size_t bytes) {
        wanted = bytes;
        return memory && memory.resize(bytes);
    });
    if (plain) {
        task.body = std::move(*plain);
        task.memory = std::move(memory);
        task.is_gzip = false;
        return std::nullopt;
    }
    if (plain.error() == wire::GunzipError::no_room)
        return broker::missing_memory(budget, base::MemoryUse::evaluation, wanted, held_by(task));
    if (plain.error() == wire::GunzipError::too_large) {
        return status_reply(413,
                            "the decompressed body is larger than limits.document_bytes, " + std::to_string(bytes_max));
    }
    std::string why = "the body " + wire::describe(plain.error(), task.body);
    if (plain.error() == wire::GunzipError::not_gzip) why += "; leave out Content-Encoding if it is not compressed";
    return status_reply(400, std::move(why));
}

std::optional<HttpReply> read_publish_task(const Services& services, HttpRequest& request, PublishTask& task) {
    if (auto refusal = refuse_unknown_parameters(request.query, {"stream", "deduplicate", "repair"})) return refusal;
    task.stream = parameter(request.query, "stream", "default");
    if (!text::is_stream_name(task.stream))
        return bad_parameter("stream", task.stream, std::string(text::stream_name_rule));
    auto known = services.publisher.streams().known(task.stream);
    task.known_stream = std::move(known.stream);
    task.of_stream = std::move(known.options);
    const config::StreamOptions& of_stream = *task.of_stream;
    const std::string_view deduplicate =
        parameter(request.query, "deduplicate", of_stream.deduplicate ? "true" : "false");
    if (deduplicate != "true" && deduplicate != "false")
        return bad_parameter("deduplicate", deduplicate, "true or false");
    task.deduplicate = deduplicate == "true";
    const auto repair = read_repair(parameter(request.query, "repair", ""), of_stream);
    if (!repair) return bad_parameter("repair", parameter(request.query, "repair", ""), "lenient or strict");
    if (auto refusal = read_coding(request, task.is_gzip)) return refusal;
    task.options.content_type = request.header(http::field::content_type);
    task.options.event_path = of_stream.event_path;
    task.options.limits = feed_limits(services.options.limits);
    task.options.repair = *repair;
    if (task.deduplicate) task.options.digests = broker::digest_options(ignored_parts(of_stream), of_stream.id_path);
    task.owner = request.principal->user;
    if (has_other_fields(request)) {
        task.cloud_event = read_cloud_event(request);
        task.options.trace = read_trace(request);
    }
    task.body = std::move(request.body);
    task.memory = std::move(request.memory);
    return std::nullopt;
}

Prepared prepare_publication(PublishTask& task, base::MemoryBudget& budget, const broker::StageTimes& stages) {
    if (task.is_gzip)
        if (auto refusal = decompress(task, budget)) return std::move(*refusal);
    if (task.cloud_event)
        if (auto refusal = make_structured(task, budget)) return std::move(*refusal);
    broker::StageTimer parsing(stages, broker::Stage::parse);
    broker::ChargedDocument parsed = broker::parse_charged(budget, std::move(task.body), task.options, held_by(task));
    parsing.end();
    if (parsed.missing) return *parsed.missing;
    task.memory.release();  // the document has its own charge
    if (parsed.fault) return document_problem(*parsed.fault);
    const std::size_t bytes = parsed.document->memory_bytes();
    auto record = std::make_shared<feed::DocumentRecord>(feed::record_document(*parsed.document, task.options));
    record->owner = std::move(task.owner);
    const auto publication = std::make_shared<broker::Publication>();
    if (task.deduplicate) {
        const broker::StageTimer finding(stages, broker::Stage::deduplicate);
        publication->keys =
            broker::item_keys(*parsed.document, ignored_parts(*task.of_stream), task.of_stream->id_path);
    }
    if (task.kept_request != nullptr)
        publication->reply =
            store::StoredReply{.request = *task.kept_request, .faults = fault_members(*parsed.document)};
    publication->stream = std::move(task.stream);
    publication->document = std::move(parsed.document);
    publication->record = std::move(record);
    publication->bytes = bytes;
    publication->attempt = task.attempt;
    publication->known_stream = std::move(task.known_stream);
    return publication;
}

}  // namespace sluice::server
