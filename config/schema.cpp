#include "config/schema.hpp"

#include <algorithm>
#include <arpa/inet.h>

#include "config/units.hpp"
#include "protocol/text/name_characters.hpp"
#include "protocol/text/stream_name.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::config {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kib = 1u << 10;
constexpr std::size_t mib = 1u << 20;
constexpr std::size_t gib = 1u << 30;
constexpr std::uint64_t many = 1'000'000'000;  // for counts that only memory bounds

// "localhost" or "example.org:8080", as in a Host field; "*" for any.
bool is_host(const std::string& text) {
    return text == "*" || (!text.empty() && text.find_first_of("/@* \t") == std::string::npos);
}

constexpr std::size_t origins_max = 1'000;

// As a browser sends it: "https://example.org" or "http://localhost:3000"; "*" for any.
bool is_origin(const std::string& text) {
    const std::size_t scheme = text.find("://");
    if (text == "*") return true;
    if (scheme == std::string::npos || scheme == 0 || scheme + 3 == text.size()) return false;
    const bool has_capital = std::any_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    return !has_capital && text.find_first_of("/?#@* \t", scheme + 3) == std::string::npos;
}

std::string check_origin(const std::string& text) {
    if (is_origin(text)) return {};
    const std::size_t scheme = text.find("://");
    const std::size_t path = scheme == std::string::npos ? scheme : text.find('/', scheme + 3);
    if (path != std::string::npos && is_origin(text.substr(0, path)))
        return "an origin has no path: write " + text.substr(0, path);
    return "expected an origin such as https://example.org, in lower case, or \"*\", found \"" + text + '"';
}

constexpr std::string_view ignored_parts =
    "at most 100 names of elements, such as slash:comments, and of query parameters, such as ?fbclid or ?utm_*";
constexpr std::size_t ignored_parts_max = 100;

bool is_ignored_part(const std::string& text) {
    return text.size() <= 100 && text.find_first_not_of('?') != std::string::npos &&
           text.find_first_of("<>/&\"'=#; \t\r\n") == std::string::npos;
}

bool is_element_name(std::string_view name) {
    for (std::size_t at = 0; at < name.size();) {
        const text::Utf8Char c = text::utf8_at(name, at);
        const bool is_right = at == 0 ? text::is_name_start(c.code) : text::is_name_char(c.code) || c.code == ':';
        if (c.length == 0 || !is_right) return false;
        at += c.length;
    }
    return !name.empty();
}

constexpr std::size_t id_path_bytes_max = 1'024;

// "sensor/id", "@id", "sensor/@id": names of elements, then perhaps of an attribute.
std::string check_id_path(const std::string& path) {
    if (path.size() > id_path_bytes_max) return "longer than " + std::to_string(id_path_bytes_max) + " bytes";
    for (std::size_t begin = 0; begin <= path.size() && !path.empty();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const bool is_last = end == path.size();
        const std::string_view step = std::string_view(path).substr(begin, end - begin);
        if (!is_element_name(step.substr(is_last && step.starts_with('@') ? 1 : 0)))
            return "not names of elements, and last perhaps of an attribute, such as sensor/id or @id";
        begin = end + 1;
    }
    return {};
}

// "192.0.2.1", "10.0.0.0/8", "2001:db8::/32"
bool is_network(const std::string& text) {
    const std::size_t slash = text.find('/');
    const std::string address = text.substr(0, slash);
    unsigned char bytes[sizeof(in6_addr)];
    const bool is_v6 = inet_pton(AF_INET6, address.c_str(), bytes) == 1;
    if (!is_v6 && inet_pton(AF_INET, address.c_str(), bytes) != 1) return false;
    if (slash == std::string::npos) return true;
    const auto bits = parse_integer(text.substr(slash + 1));
    return bits && *bits <= (is_v6 ? 128 : 32);
}

bool is_proxy(const std::string& text) { return text == "unix" || is_network(text); }

std::string check_folder(const std::string& path) {
    return path.empty() || path.find('\0') != std::string::npos ? "expected auto or the path of a folder" : "";
}

void read_origins(Section& s, std::vector<std::string>& origins) {
    std::vector<std::string> read;
    const auto take = [&](const std::string& origin) {
        read.push_back(origin);
        return check_origin(origin);
    };
    s.mixed("allow_origins", origins_max, take, {}, "origins, such as [https://example.org]");
    if (s.has("allow_origins")) origins = std::move(read);
}

void read_http(Section& s, HttpOptions& o) {
    s.ip_address("address", o.address);
    s.integer("port", o.port, 0, 65'535);
    read_listeners(s, o.listeners);
    for (const char* name : {"address", "port"})  // of this source; a later list takes the place of an earlier port
        if (!o.listeners.empty())
            s.refuse(name,
                     "has no effect beside http.listeners; leave it out, and set the listener's " + std::string(name));
    s.boolean("allow_plaintext", o.allow_plaintext);
    s.size("header_bytes", o.header_bytes, kib, 16 * mib);
    s.duration("idle_timeout", o.idle_timeout, 10ms, 24h);
    s.duration("request_timeout", o.request_timeout, 10ms, 24h);
    s.size("body_rate", o.body_rate, 0, gib);
    s.texts("hosts", o.hosts, "names such as broker.example.org, or \"*\"", is_host);
    read_origins(s, o.allow_origins);
    s.texts("trusted_proxies", o.trusted_proxies,
            "addresses and networks, such as 192.0.2.1 or 10.0.0.0/8, or \"unix\"", is_proxy);
}

constexpr std::string_view role_rule = "expected none, all, or a role of the users file: letters, digits, - and _";

std::string check_role(const std::string& name) { return text::is_stream_name(name) ? "" : std::string(role_rule); }

void read_auth(Section& s, AuthOptions& o) {
    s.text("users", o.users);
    s.text("anonymous", o.anonymous, check_role);
    s.text("local", o.local, check_role);
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
    s.size_or_auto("memory", o.memory, 64 * mib, 1'024 * gib);
    s.size("document_bytes", o.document_bytes, 1, gib);
    s.integer("element_depth", o.element_depth, 1, 4'096);
    s.integer("items", o.items, 1, many);
    s.integer("values_per_event", o.values_per_event, 1, many);
    s.integer("values", o.values, 1, many);
    s.size("filter_bytes", o.filter_bytes, 1, 16 * mib);
    s.integer("filter_depth", o.filter_depth, 1, 200);
    s.integer("filter_conjunctions", o.filter_conjunctions, 1, LimitOptions::filter_conjunctions_max);
    s.integer("filter_literals", o.filter_literals, 1, LimitOptions::filter_literals_max);
    s.integer("filter_searches", o.filter_searches, 0, 10);
    s.integer("filter_operators", o.filter_operators, 0, LimitOptions::filter_operators_max);
    s.size("filter_pattern_bytes", o.filter_pattern_bytes, 1, 16 * mib);
    s.integer("filter_edits", o.filter_edits, 0, 1'000'000);
    s.integer("filter_sequence_letters", o.filter_sequence_letters, 1, 16 * mib);
    s.integer("condition_steps", o.condition_steps, 1'000, 1'000'000 * many);
    s.integer("subscriber_steps", o.subscriber_steps, 1'000, 1'000'000 * many);
    s.integer("document_steps", o.document_steps, 1'000, 1'000'000 * many);
    s.duration("condition_time", o.condition_time, 1ms, 1h);
    s.duration("event_time", o.event_time, 1ms, 1h);
    s.duration("document_time", o.document_time, 1ms, 24h);
    s.duration("trial_time", o.trial_time, 1ms, 24h);
    s.integer("alignment_cells", o.alignment_cells, 0, 1'000'000 * many);
    s.integer("filters_per_connection", o.filters_per_connection, 1, 100'000);
    s.integer("literals_per_connection", o.literals_per_connection, 1, many);
    s.integer("operators_per_connection", o.operators_per_connection, 0, many);
    s.integer("subscriptions", o.subscriptions, 1, LimitOptions::subscriptions_max);
    s.integer("operators", o.operators, 0, many);
    s.integer("subscribers", o.subscribers, 1, many);
    s.integer("connections", o.connections, 1, many);
    s.integer_or_auto("address_connections", o.address_connections, 0, many);
    s.integer("address_requests", o.address_requests, 0, many);
    s.size("address_bytes", o.address_bytes, 0, 1'024 * gib);
    s.integer("address_streams", o.address_streams, 0, many);
    s.texts("address_exempt", o.address_exempt, "addresses and networks, such as 192.0.2.1 or 10.0.0.0/8", is_network);
    s.integer("streams", o.streams, 1, many);
    s.integer("durable_subscriptions", o.durable_subscriptions, 0, 1'000'000);
}

void read_delivery(Section& s, DeliveryOptions& o) {
    s.choice<SlowConsumer>("slow_consumer", o.slow_consumer,
                           {{"replay", SlowConsumer::replay}, {"disconnect", SlowConsumer::disconnect}});
    s.choice<UndecidedPolicy>("undecided", o.undecided,
                              {{"gap", UndecidedPolicy::gap}, {"disconnect", UndecidedPolicy::disconnect}});
    s.integer("queue_events", o.queue_events, 1, many);
    s.size("queue_bytes", o.queue_bytes, 1, 1'024 * gib);
    s.duration("heartbeat", o.heartbeat, 10ms, 24h);
    s.duration("close_timeout", o.close_timeout, 1ms, 24h);
}

void read_deduplication(Section& s, DeduplicationOptions& o) {
    s.integer("entries", o.entries, 1, many);
    s.duration("window", o.window, 1ms, 24h * 36'500);
    s.texts("ignore", o.ignore, ignored_parts, is_ignored_part, ignored_parts_max);
}

template <typename Retention>
void read_retention(Section& s, Retention& o) {
    s.duration("age", o.age, 0us, 24h * 36'500);
    s.integer("events", o.events, 0, many);
    s.size("bytes", o.bytes, 0, 1'024 * gib);
}

void read_store(Section& s, StoreOptions& o) {
    s.choice<StoreKind>("kind", o.kind, {{"rocksdb", StoreKind::rocksdb}, {"memory", StoreKind::memory}});
    s.text_or_auto("path", o.path, check_folder);
    s.text_or_auto("backups", o.backups, check_folder);
    s.choice<StoreSync>("sync", o.sync, {{"group", StoreSync::group}, {"none", StoreSync::none}});
    s.size_or_auto("bytes", o.bytes, 0, 1'024 * gib);
    s.section("retention", [&](Section& retention) { read_retention(retention, o.retention); });
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

void read_publish(Section& s, PublishOptions& o) {
    s.duration("wait", o.wait, 0us, 1h);
    s.integer("idempotency_keys", o.idempotency_keys, 1, many);
    s.duration("idempotency_window", o.idempotency_window, 1ms, 24h * 365);
}

void read_streams(Section& s, const TextCheck& check_event_path, std::map<std::string, StreamOptions>& streams) {
    s.each([&](const std::string& name, const YamlNode& key, Section& stream) {
        if (!text::is_stream_name(name)) {
            s.fault(key, "streams: a name has " + std::string(text::stream_name_rule) + ", not \"" + name + "\"");
        }
        read_stream_options(stream, check_event_path, streams[name]);
    });
}

}  // namespace

void read_stream_options(Section& s, const TextCheck& check_event_path, StreamOptions& o) {
    s.text("event_path", o.event_path, check_event_path);
    s.text("id_path", o.id_path, check_id_path);
    s.boolean("deduplicate", o.deduplicate);
    s.duration("deduplication_window", o.deduplication_window, 1ms, 24h * 36'500);
    std::vector<std::string> ignore;
    if (s.texts("deduplication_ignore", ignore, ignored_parts, is_ignored_part, ignored_parts_max))
        o.deduplication_ignore = ignore;
    s.choice<RepairOption>("repair", o.repair, {{"lenient", RepairOption::lenient}, {"strict", RepairOption::strict}});
    s.section("retention", [&](Section& retention) { read_retention(retention, o.retention); });
    s.choice<ContextOption>("context", o.context,
                            {{"auto", ContextOption::automatic}, {"document", ContextOption::document}});
}

void read_options(Section& root, Options& options, const TextCheck& check_event_path) {
    root.section("http", [&](Section& s) { read_http(s, options.http); });
    root.section("tls", [&](Section& s) { read_tls(s, options.tls); });
    root.section("auth", [&](Section& s) { read_auth(s, options.auth); });
    root.section("io", [&](Section& s) { s.integer("threads", options.io.threads, 0, 1'024); });
    root.section("matcher", [&](Section& s) { read_matcher(s, options.matcher); });
    root.section("publish", [&](Section& s) { read_publish(s, options.publish); });
    root.section("limits", [&](Section& s) { read_limits(s, options.limits); });
    root.section("delivery", [&](Section& s) { read_delivery(s, options.delivery); });
    root.section("deduplication", [&](Section& s) { read_deduplication(s, options.deduplication); });
    root.section("store", [&](Section& s) { read_store(s, options.store); });
    root.section("streams", [&](Section& s) { read_streams(s, check_event_path, options.streams); });
    root.section("log", [&](Section& s) { read_log(s, options.log); });
    root.section("shutdown",
                 [&](Section& s) { s.duration("drain_timeout", options.shutdown.drain_timeout, 0us, 24h); });
}

}  // namespace sluice::config
