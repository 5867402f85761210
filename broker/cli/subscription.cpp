#include "broker/cli/subscription.hpp"

#include <algorithm>

#include "broker/cli/client/target.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::cli {

namespace {

HttpRequest request_of(const SubscribeOptions& options, const std::string& last_id) {
    Parameters parameters;
    if (!options.subscription.empty()) parameters.emplace_back("subscription", options.subscription);
    if (options.owner) parameters.emplace_back("owner", *options.owner);
    if (options.takeover) parameters.emplace_back("takeover", "true");
    if (options.stream) parameters.emplace_back("stream", *options.stream);
    for (const auto& filter : options.filters) parameters.emplace_back("filter", filter);
    if (options.format == ItemFormat::xml) parameters.emplace_back("format", "xml");
    if (options.format == ItemFormat::source) parameters.emplace_back("format", "source");
    if (options.all_values) parameters.emplace_back("values", "all");
    if (options.annotate_alignment) parameters.emplace_back("annotate", "alignment");
    if (last_id.empty()) {
        if (options.after) parameters.emplace_back("after", *options.after);
        if (options.since) parameters.emplace_back("since", *options.since);
        if (options.from_first) parameters.emplace_back("from", "first");
    }
    if (options.until_now) parameters.emplace_back("until", "now");
    HttpRequest request;
    request.target = target_of("/v1/events", parameters);
    request.headers.emplace_back("Accept: text/event-stream");
    if (!last_id.empty()) request.headers.push_back("Last-Event-ID: " + last_id);
    return request;
}

bool is_event_stream(const HttpReply& reply) {
    return reply.status == 200 && text::ascii_lower(reply.content_type).starts_with("text/event-stream");
}

// Statuses that say "later": slow, too many requests, and a broker or proxy that is not up yet.
bool is_put_off(unsigned status) {
    constexpr unsigned later[] = {408, 429, 502, 503, 504};
    return std::find(std::begin(later), std::end(later), status) != std::end(later);
}

// The end of a reply that has come whole.
StreamEnd end_of(HttpReply reply, const HttpServer& server, bool until_now) {
    StreamEnd end;
    if (is_event_stream(reply)) {
        end.was_open = true;
        if (until_now)
            end.kind = StreamEnd::Kind::complete;
        else
            end.reason = "the broker closed the connection";
    } else if (reply.status == 200) {
        end.kind = StreamEnd::Kind::refused;
        end.reason = server.url + " is not a Sluice broker: it sends " +
                     (reply.content_type.empty() ? "no type of content" : reply.content_type) + ", not events";
    } else {
        end.kind = is_put_off(reply.status) ? StreamEnd::Kind::lost : StreamEnd::Kind::refused;
        if (reply.retry_after_seconds) end.retry = std::chrono::seconds(*reply.retry_after_seconds);
        end.reply = std::move(reply);
    }
    return end;
}

}  // namespace

std::chrono::milliseconds silence_of(const HttpReply& reply, std::chrono::milliseconds otherwise) {
    constexpr std::chrono::milliseconds least{1'000}, most{86'400'000};
    if (!reply.heartbeat_seconds || !(*reply.heartbeat_seconds > 0)) return otherwise;
    const double seconds = std::min(3 * *reply.heartbeat_seconds, 86'400.0);
    return std::clamp(std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)), least, most);
}

StreamEnd receive(const HttpServer& server, const SubscribeOptions& options, const std::string& last_id,
                  const StreamReceiver& receiver) {
    SseReader reader;
    bool is_stream = false, was_opened = false, is_enough = false, is_endless = false;
    HttpWatch watch;
    watch.head = [&](const HttpReply& reply) {
        is_stream = is_event_stream(reply);
        return options.timeout.value_or(silence_of(reply, server.silence_max));
    };
    watch.piece = [&](std::string_view bytes) {
        if (!is_stream) return false;
        if (!was_opened) receiver.opened();
        was_opened = true;
        is_endless = !reader.read(bytes, {[&](const SseEvent& event) {
                                              if (!is_enough) is_enough = !receiver.event(event);
                                          },
                                          receiver.last_id});
        return !is_endless && !is_enough;
    };
    if (receiver.stops)
        watch.stops = [&] {
            is_enough = is_enough || receiver.stops();
            return is_enough;
        };
    auto reply = send(server, request_of(options, last_id), watch);
    StreamEnd end;
    if (is_enough) {
        end.kind = StreamEnd::Kind::enough;
    } else if (is_endless) {
        end.kind = StreamEnd::Kind::refused;
        end.reason = server.authority + " sends an event that is too long";
    } else if (reply) {
        end = end_of(std::move(*reply), server, options.until_now);
    } else {
        end.reason = reply.error().message;
    }
    end.was_open = end.was_open || was_opened;
    if (reader.retry()) end.retry = reader.retry();
    return end;
}

}  // namespace sluice::cli
