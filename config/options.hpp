// Every option of the daemon as a plain value. What each one means, and its default, is in sluice.yaml, which is
// compiled in and loaded before the user's file; the members here have no defaults of their own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sluice {

using Duration = std::chrono::microseconds;

struct HttpOptions {
    std::string address;
    std::uint16_t port{};
    std::size_t header_bytes{};
    Duration idle_timeout{};
    Duration request_timeout{};
};

struct IoOptions {
    std::size_t threads{};  // 0: one per core
};

enum class BackendOption : std::uint8_t { automatic, cpu, cuda, naive };

struct MatcherOptions {
    BackendOption backend{};
    std::vector<int> devices;
    std::size_t device_bytes{};  // 0: no limit
    std::size_t threads{};
    Duration batch_delay{};
    std::size_t batch_events{};
    Duration apply_delay{};
    std::size_t queue_events{};
    std::size_t queue_bytes{};
};

struct PublishOptions {
    Duration wait{};
};

struct LimitOptions {
    std::size_t document_bytes{};
    std::size_t element_depth{};
    std::size_t items{};
    std::size_t values_per_event{};
    std::size_t values{};
    std::size_t filter_bytes{};
    std::size_t filter_depth{};
    std::size_t filter_conjunctions{};
    std::size_t filter_literals{};
    std::size_t filter_searches{};
    std::size_t filter_operators{};
    std::size_t filter_pattern_bytes{};
    std::size_t filter_edits{};
    std::size_t filter_sequence_letters{};
    Duration condition_time{};
    std::size_t alignment_cells{};
    std::size_t filters_per_connection{};
    std::size_t subscriptions{};
    std::size_t operators{};
    std::size_t subscribers{};
    std::size_t connections{};
    std::size_t streams{};
};

enum class SlowConsumer : std::uint8_t { disconnect };

struct DeliveryOptions {
    SlowConsumer slow_consumer{};
    std::size_t queue_events{};
    std::size_t queue_bytes{};
    Duration heartbeat{};
    Duration close_timeout{};
};

struct DeduplicationOptions {
    std::size_t entries{};
};

struct StreamOptions {
    std::string event_path;  // empty: the children of the root
    bool deduplicate = true;
};

enum class LogLevel : std::uint8_t { trace, debug, info, warn, error, off };
enum class LogFormat : std::uint8_t { text, json };

struct LogOptions {
    LogLevel level{};
    LogFormat format{};
};

struct ShutdownOptions {
    Duration drain_timeout{};
};

struct Options {
    HttpOptions http;
    IoOptions io;
    MatcherOptions matcher;
    PublishOptions publish;
    LimitOptions limits;
    DeliveryOptions delivery;
    DeduplicationOptions deduplication;
    std::map<std::string, StreamOptions> streams;
    LogOptions log;
    ShutdownOptions shutdown;
};

}  // namespace sluice
