#include "config/schema.hpp"

#include "config/load.hpp"

namespace sluice {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kib = 1u << 10;
constexpr std::size_t mib = 1u << 20;
constexpr std::size_t gib = 1u << 30;
constexpr std::uint64_t many = 1'000'000'000;  // for counts that are bounded by memory only

void read_http(Section& s, HttpOptions& o) {
    s.ip_address("address", o.address);
    s.integer("port", o.port, 0, 65'535);
    s.size("header_bytes", o.header_bytes, kib, 16 * mib);
    s.duration("idle_timeout", o.idle_timeout, 10ms, 24h);
    s.duration("request_timeout", o.request_timeout, 10ms, 24h);
}

void read_matcher(Section& s, MatcherOptions& o) {
    s.choice<BackendOption>("backend", o.backend,
                            {{"auto", BackendOption::automatic},
                             {"cpu", BackendOption::cpu},
                             {"cuda", BackendOption::cuda},
                             {"naive", BackendOption::naive}});
    s.integers("devices", o.devices, 0, 255);
    s.size("device_bytes", o.device_bytes, 0, 1'024 * gib);
    s.integer("threads", o.threads, 1, 256);
    s.duration("batch_delay", o.batch_delay, 0us, 1s);
    s.integer("batch_events", o.batch_events, 1, 1'024);
    s.duration("apply_delay", o.apply_delay, 0us, 10s);
    s.integer("queue_events", o.queue_events, 1, many);
    s.size("queue_bytes", o.queue_bytes, 1, 1'024 * gib);
}

void read_limits(Section& s, LimitOptions& o) {
    s.size("document_bytes", o.document_bytes, 1, gib);
    s.integer("element_depth", o.element_depth, 1, 4'096);
    s.integer("items", o.items, 1, many);
    s.integer("values_per_event", o.values_per_event, 1, many);
    s.integer("values", o.values, 1, many);
    s.size("filter_bytes", o.filter_bytes, 1, 16 * mib);
    s.integer("filter_depth", o.filter_depth, 1, 200);
    s.integer("filter_conjunctions", o.filter_conjunctions, 1, 1'000'000);
    s.integer("filter_literals", o.filter_literals, 1, 100'000'000);
    s.integer("filter_searches", o.filter_searches, 0, 10);
    s.integer("filter_operators", o.filter_operators, 0, 10'000);
    s.size("filter_pattern_bytes", o.filter_pattern_bytes, 1, 16 * mib);
    s.integer("filter_edits", o.filter_edits, 0, 1'000'000);
    s.integer("filter_sequence_letters", o.filter_sequence_letters, 1, 16 * mib);
    s.duration("condition_time", o.condition_time, 1ms, 1h);
    s.integer("alignment_cells", o.alignment_cells, 0, 1'000'000 * many);
    s.integer("filters_per_connection", o.filters_per_connection, 1, 100'000);
    s.integer("subscriptions", o.subscriptions, 1, many);
    s.integer("operators", o.operators, 0, many);
    s.integer("subscribers", o.subscribers, 1, many);
    s.integer("connections", o.connections, 1, many);
    s.integer("streams", o.streams, 1, many);
}

void read_delivery(Section& s, DeliveryOptions& o) {
    s.choice<SlowConsumer>("slow_consumer", o.slow_consumer, {{"disconnect", SlowConsumer::disconnect}});
    s.integer("queue_events", o.queue_events, 1, many);
    s.size("queue_bytes", o.queue_bytes, 1, 1'024 * gib);
    s.duration("heartbeat", o.heartbeat, 10ms, 24h);
    s.duration("close_timeout", o.close_timeout, 1ms, 24h);
}

void read_log(Section& s, LogOptions& o) {
    s.choice<LogLevel>("level", o.level,
                       {{"trace", LogLevel::trace},
                        {"debug", LogLevel::debug},
                        {"info", LogLevel::info},
                        {"warn", LogLevel::warn},
                        {"error", LogLevel::error},
                        {"off", LogLevel::off}});
    s.choice<LogFormat>("format", o.format, {{"text", LogFormat::text}, {"json", LogFormat::json}});
}

void read_streams(Section& s, std::map<std::string, StreamOptions>& streams) {
    s.each([&](const std::string& name, const YamlNode& key, Section& stream) {
        if (!is_stream_name(name)) {
            s.fault(key, "streams: a name has 1 to 128 of the characters A-Z a-z 0-9 . _ -, not \"" + name + "\"");
        }
        StreamOptions& options = streams[name];
        stream.text("event_path", options.event_path);
        stream.boolean("deduplicate", options.deduplicate);
    });
}

}  // namespace

void read_options(Section& root, Options& options) {
    root.section("http", [&](Section& s) { read_http(s, options.http); });
    root.section("io", [&](Section& s) { s.integer("threads", options.io.threads, 0, 1'024); });
    root.section("matcher", [&](Section& s) { read_matcher(s, options.matcher); });
    root.section("publish", [&](Section& s) { s.duration("wait", options.publish.wait, 0us, 1h); });
    root.section("limits", [&](Section& s) { read_limits(s, options.limits); });
    root.section("delivery", [&](Section& s) { read_delivery(s, options.delivery); });
    root.section("deduplication", [&](Section& s) { s.integer("entries", options.deduplication.entries, 1, many); });
    root.section("streams", [&](Section& s) { read_streams(s, options.streams); });
    root.section("log", [&](Section& s) { read_log(s, options.log); });
    root.section("shutdown",
                 [&](Section& s) { s.duration("drain_timeout", options.shutdown.drain_timeout, 0us, 24h); });
}

}  // namespace sluice
