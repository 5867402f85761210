// Every option of the daemon as a plain value. sluice.yaml describes each one and gives its default. It is compiled in
// and loaded before the user's file, so the members here need no defaults.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::config {

using Duration = std::chrono::microseconds;

// A place to listen at: a TCP port, or the path of a Unix socket.
struct ListenerOptions {
    std::string address;
    std::uint16_t port{};
    std::string unix_path;  // "": TCP
    unsigned mode = 0660;   // permissions of the Unix socket
    bool tls = false;
    bool proxy_protocol = false;  // every connection begins with a PROXY header

    bool is_unix() const { return !unix_path.empty(); }
    std::string text() const;  // "127.0.0.1 port 8080", "unix:/run/sluice.sock"
};

struct HttpOptions {
    std::string address;
    std::uint16_t port{};
    std::vector<ListenerOptions> listeners;  // empty: a plain one at `address` and `port`; see places_to_listen()
    bool allow_plaintext{};
    std::size_t header_bytes{};
    Duration idle_timeout{};
    Duration request_timeout{};
    std::size_t body_rate{};                   // bytes a second; 0: no minimum
    std::vector<std::string> hosts;            // "*": any
    std::vector<std::string> allow_origins;    // "*": any
    std::vector<std::string> trusted_proxies;  // addresses and networks; "unix": peers of Unix sockets
};

struct CertificateOptions {
    std::string certificate, key;  // files
};

enum class ClientCertificates : std::uint8_t { none, request, require };

struct TlsOptions {
    std::vector<CertificateOptions> certificates;  // the first is for names that no other has
    ClientCertificates client_certificates{};
    std::string client_ca;  // file; "": none
    Duration handshake_timeout{};
};

// Roles: "none", "all", or one of the users file.
struct AuthOptions {
    std::string users;      // file; "": there are no users
    std::string anonymous;  // the role of requests without credentials, unless
    std::string local;      // they come from this machine: then this one
};

struct IoOptions {
    std::size_t threads{};  // 0: one per core not used by matcher.threads
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
    std::size_t idempotency_keys{};
    Duration idempotency_window{};
};

struct LimitOptions {
    // The greatest values of some limits: no more than the engine can hold (broker/core/matching/registry.cpp).
    static constexpr std::size_t filter_conjunctions_max = 1'000'000, filter_literals_max = 50'000'000;
    static constexpr std::size_t filter_operators_max = 10'000, subscriptions_max = 1'000'000'000;

    std::optional<std::size_t> memory;  // none: auto, derived from the machine's memory
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
    std::uint64_t condition_steps{};
    std::uint64_t subscriber_steps{};
    std::uint64_t document_steps{};
    Duration condition_time{};
    Duration event_time{};
    Duration document_time{};
    Duration trial_time{};
    std::size_t alignment_cells{};
    std::size_t filters_per_connection{};
    std::size_t literals_per_connection{};
    std::size_t operators_per_connection{};
    std::size_t subscriptions{};
    std::size_t operators{};
    std::size_t subscribers{};
    std::size_t connections{};
    std::optional<std::size_t> address_connections;  // none: auto; 0: no limit, as for the next three
    std::size_t address_requests{};
    std::size_t address_bytes{};
    std::size_t address_streams{};
    std::vector<std::string> address_exempt;
    std::size_t streams{};
    std::size_t durable_subscriptions{};
};

enum class SlowConsumer : std::uint8_t { replay, disconnect };
enum class UndecidedPolicy : std::uint8_t { gap, disconnect };

struct DeliveryOptions {
    SlowConsumer slow_consumer{};
    UndecidedPolicy undecided{};
    std::size_t queue_events{};
    std::size_t queue_bytes{};
    Duration heartbeat{};
    Duration close_timeout{};
};

struct DeduplicationOptions {
    std::size_t entries{};
    Duration window{};
    std::vector<std::string> ignore;  // feed::IgnoredParts
};

enum class StoreKind : std::uint8_t { rocksdb, memory };
// When a publication on disk has ended: once it is synced, or once it is written.
enum class StoreSync : std::uint8_t { group, none };

// How much of a stream is retained; 0: no limit.
struct RetentionOptions {
    Duration age{};
    std::size_t events{};
    std::size_t bytes{};
};

struct StoreOptions {
    StoreKind kind{};
    std::optional<std::string> path;     // of the store's folder; none: auto, store_folder()
    std::optional<std::string> backups;  // the folder of its backups; none: auto, store_folder() and ".backups"
    StoreSync sync{};
    std::optional<std::size_t> bytes;  // of all streams; none: auto; 0: nothing is retained
    RetentionOptions retention;        // of streams without their own
};

enum class RepairOption : std::uint8_t { lenient, strict };
// What is retained of a document: all of it, or its new items alone where that is smaller.
enum class ContextOption : std::uint8_t { automatic, document };

// The options of a stream. The configuration or PUT /v1/streams/NAME may override these defaults.
struct StreamOptions {
    std::string event_path;  // empty: the children of the root
    std::string id_path{};   // feed::ItemIdentities; empty: none
    bool deduplicate = true;
    Duration deduplication_window{};                                 // 0: DeduplicationOptions::window
    std::optional<std::vector<std::string>> deduplication_ignore{};  // none: DeduplicationOptions::ignore
    RepairOption repair = RepairOption::lenient;
    struct {
        std::optional<Duration> age{};
        std::optional<std::size_t> events{}, bytes{};
    } retention{};  // none: StoreOptions::retention
    ContextOption context = ContextOption::automatic;
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
    TlsOptions tls;
    AuthOptions auth;
    IoOptions io;
    MatcherOptions matcher;
    PublishOptions publish;
    LimitOptions limits;
    DeliveryOptions delivery;
    DeduplicationOptions deduplication;
    StoreOptions store;
    std::map<std::string, StreamOptions> streams;
    LogOptions log;
    ShutdownOptions shutdown;
};

// At least one.
std::vector<ListenerOptions> places_to_listen(const HttpOptions& options);
bool is_loopback_address(const std::string& address);  // also as ::ffff:127.0.0.1

}  // namespace sluice::config
