#include "broker/broker.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/base/log_limit.hpp"
#include "broker/base/memory/machine_memory.hpp"
#include "broker/base/memory/memory_budget.hpp"
#include "broker/base/memory_keeper.hpp"
#include "broker/base/metrics.hpp"
#include "broker/base/process.hpp"
#include "broker/base/workers.hpp"
#include "broker/configured_log.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/delivery/event_memory.hpp"
#include "broker/core/delivery/mailboxes.hpp"
#include "broker/core/ingest/idempotency.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/core/matching/dispatch.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/core/matching/fanout.hpp"
#include "broker/core/matching/matcher.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/core/replay/replay.hpp"
#include "broker/core/subscriptions/durable_subscriptions.hpp"
#include "broker/match/batch_limits.hpp"
#include "broker/server/api/limits.hpp"
#include "broker/server/api/service_metrics.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/endpoints.hpp"
#include "broker/server/http/authentication.hpp"
#include "broker/server/http/browser_rules.hpp"
#include "broker/server/http/http_sessions.hpp"
#include "broker/server/net/address_limits.hpp"
#include "broker/server/net/address_table.hpp"
#include "broker/server/net/connections.hpp"
#include "broker/server/net/io_threads.hpp"
#include "broker/server/net/listeners.hpp"
#include "broker/server/net/tls/tls_server.hpp"
#include "broker/server/sse/sse_framer.hpp"
#include "broker/store/event_log.hpp"
#include "broker/store/wall_clock.hpp"
#include "config/load.hpp"
#include "config/options.hpp"

namespace sluice::broker {

namespace {

constexpr std::chrono::seconds cut_timeout{10};  // for connections to notice that they have been cut
constexpr std::size_t tasks_per_connection = 1;  // a connection has one request in progress
constexpr std::size_t trials_max = 64;           // queued calls of POST /v1/match and GET /v1/events/ID/why
constexpr int ended_at_once_max = 64;            // subscribers disconnected at once when memory is short

// One per core not used by the matching threads.
std::size_t io_thread_count(const config::Options& options) {
    if (options.io.threads != 0) return options.io.threads;
    const std::size_t cores = std::thread::hardware_concurrency();
    return cores > options.matcher.threads ? cores - options.matcher.threads : 1;
}

server::ConnectionRoom room_for_connections(const config::Options& options) {
    constexpr std::size_t few = 64;          // standard streams, the log, a GPU's driver
    constexpr std::size_t of_io_thread = 3;  // for epoll and its wake-ups
    const std::size_t descriptors = base::descriptor_limit();
    const server::ConnectionRoom room =
        server::connection_room(options.limits.connections, descriptors,
                                few + of_io_thread * (io_thread_count(options) + 1) + log_descriptors(options));
    if (room.connections < options.limits.connections)
        base::log_info("fewer connections than limits.connections, for lack of file descriptors",
                       {{"connections", room.connections}, {"descriptors", descriptors}});
    return room;
}

std::size_t worker_threads() { return std::max(1u, std::thread::hardware_concurrency() / 2); }

// Half of the machine's memory by default. If that is unknown, assumes a small machine of 1 GiB.
std::size_t memory_max(const config::Options& options) {
    constexpr std::size_t unknown_machine_bytes = std::size_t{1} << 30;
    if (options.limits.memory) return *options.limits.memory;
    const std::size_t bytes = base::machine_memory();
    return (bytes != 0 ? bytes : unknown_machine_bytes) / 2;
}

// Where a GPU is to match whatever it can, I/O threads would wait for it.
bool may_publishers_match(const config::MatcherOptions& options, const Seams& seams) {
    using config::BackendOption;
    return seams.publishers_match && options.backend != BackendOption::cuda && options.backend != BackendOption::naive;
}

// The only place in the broker that names the CUDA backend.
engine::EngineOptions engine_options(const config::MatcherOptions& options) {
    const auto backend = [&] {
        switch (options.backend) {
            case config::BackendOption::naive:
                return engine::Backend::naive;
            case config::BackendOption::cpu:
                return engine::Backend::cpu;
            case config::BackendOption::cuda:
                return engine::Backend::cuda;
            default:
                return engine::Backend::automatic;
        }
    };
    engine::EngineOptions engine(backend());
    engine.devices = options.devices;
    engine.device_bytes_max = options.device_bytes;
    // Without a driver, for example, every attempt fails with the same message.
    const auto told = std::make_shared<base::LogLimit>(1, std::chrono::hours(1));
    engine.on_fault = [told](const std::string& failure) {
        if (told->take(failure, base::LogLimit::Clock::now()))
            base::log_warn("a GPU failed, the CPU matches instead", {{"failure", failure}});
    };
    engine.on_recovery = [told](const std::string& device) {
        told->forget();
        base::log_info("a GPU is used again", {{"device", device}});
    };
    return engine;
}

std::shared_ptr<IdempotencyKeys> idempotency_keys(const config::PublishOptions& options, base::MemoryBudget& memory) {
    return std::make_shared<IdempotencyKeys>(
        IdempotencyKeys::Settings{options.idempotency_keys, options.idempotency_window}, memory);
}

store::WallClock wall_clock(const Seams& seams) { return seams.wall_now ? seams.wall_now : store::wall_time; }

std::function<Ledger::Time()> steady_clock(const Seams& seams) {
    return seams.steady_now ? seams.steady_now : std::chrono::steady_clock::now;
}

std::unique_ptr<server::TlsServer> tls_server(const config::Options& options) {
    const auto places = config::places_to_listen(options.http);
    const bool has_tls = std::any_of(places.begin(), places.end(), [](const auto& place) { return place.tls; });
    return has_tls ? std::make_unique<server::TlsServer>(options.tls) : nullptr;
}

// That of a durable subscription in the store. None: it is of another release.
std::optional<config::SubscriptionOptions> parse_definition(const std::string& text) {
    config::SubscriptionOptions options;
    if (!config::parse_subscription_options("", text, options).empty()) return std::nullopt;
    return options;
}

}  // namespace

class Broker::Parts {
public:
    Parts(config::Options options, Seams seams);

    void open();
    void drain();

private:
    friend class Broker;
    using Clock = std::chrono::steady_clock;

    void drain_matcher(Clock::time_point deadline);
    void drain_connections(Clock::time_point deadline);
    void relieve_memory();
    void reload_files(bool only_changed);
    void reload_certificates(bool only_changed);

    const config::Options options_;
    const Seams seams_;
    base::MetricRegistry metrics_;
    Counters counters_;
    base::MemoryBudget memory_;
    Mailboxes mailboxes_;
    EventMemory event_memory_;
    server::IoThreads io_threads_;
    EventQueue queue_;
    Fanout fanout_;
    ScanOwners scan_owners_, computed_owners_;
    Matcher matcher_;
    SubscriptionRegistry registry_;
    ConfiguredLog configured_log_;
    store::EventLog& log_;
    std::shared_ptr<const server::SseFramers> sse_framers_;  // from open() on; replays use them to their end
    Replay replay_;
    Publisher publisher_;
    DurableSubscriptions subscriptions_;
    server::Connections connections_;
    base::Workers workers_;  // destroyed, and so finished, before the I/O threads' loops
    base::Workers compilers_;
    base::Workers trials_;
    server::AddressTable addresses_;
    const server::BrowserRules browser_rules_;
    server::Authentication authentication_;
    server::Services services_;
    server::HttpSessions sessions_;
    std::unique_ptr<server::TlsServer> tls_;  // null: no listener speaks TLS
    std::shared_ptr<server::Listeners> listeners_;
    base::MemoryKeeper memory_keeper_;
    bool drained_ = false;
    std::atomic<const char*> stage_{"serving"};
};

Broker::Parts::Parts(config::Options options, Seams seams)
    : options_(std::move(options)),
      seams_(std::move(seams)),
      counters_(metrics_),
      memory_(memory_max(options_)),
      event_memory_(memory_, mailboxes_, counters_),
      io_threads_(io_thread_count(options_)),
      queue_(options_.matcher.queue_events, options_.matcher.queue_bytes),
      fanout_(counters_, options_.delivery.undecided, &event_memory_),
      matcher_({options_.matcher.threads, options_.matcher.batch_events, options_.matcher.batch_delay,
                broker::batch_limits(options_.limits, &memory_, &scan_owners_, &computed_owners_),
                may_publishers_match(options_.matcher, seams_)},
               queue_, fanout_, counters_),
      registry_({.engine = engine_options(options_.matcher),
                 .apply_delay = options_.matcher.apply_delay,
                 .subscriptions_max = options_.limits.subscriptions,
                 .operators_max = options_.limits.operators,
                 .scan_owners = &scan_owners_,
                 .computed_owners = &computed_owners_,
                 .memory = &memory_,
                 .begin = [this](std::atomic<std::uint64_t>& first_id) { queue_.begin_at_next(first_id); }},
                fanout_,
                [this](std::shared_ptr<const engine::Program> program) { matcher_.set_program(std::move(program)); }),
      configured_log_(options_, memory_, counters_, wall_clock(seams_), seams_.at_point),
      log_(configured_log_.log()),
      replay_({broker::batch_limits(options_.limits, &memory_), server::filter_limits(options_.limits),
               server::feed_limits(options_.limits), options_.delivery.undecided},
              {log_, queue_, event_memory_, memory_, counters_}),
      publisher_({options_.limits.streams, options_.deduplication.entries, options_.deduplication.window,
                  options_.streams, options_.deduplication.ignore, options_.store.retention},
                 queue_, log_, counters_, memory_, wall_clock(seams_)),
      subscriptions_({log_, counters_, registry_, replay_, memory_, publisher_.streams(),
                      server::feed_limits(options_.limits), options_.limits.durable_subscriptions, steady_clock(seams_),
                      seams_.at_point, [this](std::string_view name) { return services_.find_user(name); }}),
      connections_(room_for_connections(options_)),
      workers_(worker_threads(), tasks_per_connection * options_.limits.connections),
      compilers_(1, tasks_per_connection * options_.limits.connections),
      trials_(1, trials_max),
      addresses_(server::address_limits(options_.limits, connections_.connections_max())),
      browser_rules_(options_.http),
      authentication_({options_.auth, server::filter_limits(options_.limits), memory_, counters_, wall_clock(seams_),
                       steady_clock(seams_)}),
      services_{{options_, counters_, connections_, memory_, addresses_},
                queue_,
                publisher_,
                registry_,
                log_,
                replay_,
                subscriptions_,
                nullptr,
                workers_,
                compilers_,
                trials_,
                mailboxes_,
                browser_rules_,
                authentication_,
                idempotency_keys(options_.publish, memory_),
                Clock::now()},
      sessions_(services_, browser_rules_, authentication_, server::make_router(services_)),
      tls_(tls_server(options_)),
      listeners_(std::make_shared<server::Listeners>(io_threads_, services_, sessions_, tls_.get())),
      memory_keeper_(memory_, [this] { relieve_memory(); }) {
    services_.opening = true;
    services_.opened = [this] { return configured_log_.opened(); };
    services_.hand_over = [this] { matcher_.hand_over(); };
    services_.find_user = [this](std::string_view name) { return authentication_.find_user(name); };
    log_.listen(Dispatch(queue_, fanout_, counters_, server::feed_limits(options_.limits)));
    server::register_metrics(services_);
}

void Broker::Parts::relieve_memory() {
    log_.relieve_memory();
    publisher_.streams().relieve_memory();
    const std::size_t enough = memory_.ceiling(base::MemoryUse::bodies);
    for (int ended = 0; ended < ended_at_once_max && event_memory_.relieve(); ++ended)
        if (memory_.used() <= enough) break;
}

Broker::Broker(config::Options options, Seams seams)
    : parts_(std::make_unique<Parts>(std::move(options), std::move(seams))) {}

Broker::~Broker() { parts_->drain(); }

void Broker::start() {
    parts_->matcher_.start();
    parts_->replay_.start();
    parts_->listeners_->start();
    parts_->io_threads_.start();
}

void Broker::open() { parts_->open(); }

void Broker::Parts::open() {
    configured_log_.open();
    queue_.begin_after(log_.last_id());
    subscriptions_.restore(parse_definition);
    publisher_.streams().restore();
    subscriptions_.start();
    sse_framers_ = std::make_shared<const server::SseFramers>(log_.epoch());
    services_.sse_framers = sse_framers_;
}

void Broker::serve() { parts_->services_.opening = false; }

const std::string& Broker::store_path() const { return parts_->configured_log_.path(); }

std::size_t Broker::streams() const { return parts_->publisher_.streams().names().size(); }

std::size_t Broker::io_threads() const { return io_thread_count(parts_->options_); }

void Broker::clock_moved() { parts_->subscriptions_.clock_moved(); }

void Broker::drain() { parts_->drain(); }

void Broker::reload_files(bool only_changed) { parts_->reload_files(only_changed); }

void Broker::Parts::reload_files(bool only_changed) {
    reload_certificates(only_changed);
    const auto changed = authentication_.reload(only_changed);
    for (const auth::UserPtr& user : changed) subscriptions_.rights_changed(user->name);
    if (!changed.empty()) connections_.end_revoked();
}

// What can't be read is told once for each change, and read again when it changes.
void Broker::Parts::reload_certificates(bool only_changed) {
    if (tls_ == nullptr || (only_changed && !tls_->have_files_changed())) return;
    try {
        tls_->reload();
        base::log_info("certificates read again", {{"certificates", tls_->certificates()}});
    } catch (const std::exception& error) {
        base::log_error("certificates could not be read again, those read before stay in use",
                        {{"reason", error.what()}});
    }
}

std::vector<config::ListenerOptions> Broker::places() const { return parts_->listeners_->places(); }

std::uint16_t Broker::port() const { return places().front().port; }

const Counters& Broker::counters() const { return parts_->counters_; }

server::Services& Broker::services() { return parts_->services_; }

const char* Broker::stage() const { return parts_->stage_.load(std::memory_order_relaxed); }

void Broker::Parts::drain() {
    if (drained_) return;
    const Clock::time_point now = Clock::now();
    const Clock::duration timeout = options_.shutdown.drain_timeout;
    services_.draining = true;
    memory_.end_watches();
    fanout_.end_replays();
    subscriptions_.stop();
    authentication_.drain();
    listeners_->close();
    connections_.drain();
    queue_.close();
    stage_ = "matching";
    drain_matcher(now + timeout - timeout / 4);  // the rest is for writing what was matched
    stage_ = "ending connections";
    drain_connections(now + timeout);
    subscriptions_.end_feeds();
    stage_ = "stopping I/O threads";
    io_threads_.stop();
    stage_ = "drained";
    drained_ = true;
}

void Broker::Parts::drain_matcher(Clock::time_point deadline) {
    if (matcher_.wait_until_done(deadline)) return;
    const std::size_t lost = queue_.clear([this](const std::string& stream) { fanout_.end_undelivered(stream); });
    count(counters_.events_lost, lost);
    base::log_warn("drain timeout, events not matched", {{"events", lost}});
    matcher_.interrupt();
    matcher_.wait_until_done(Clock::time_point::max());
}

void Broker::Parts::drain_connections(Clock::time_point deadline) {
    connections_.end_streams();
    if (connections_.wait_until_none(deadline)) return;
    services_.ending = true;
    const std::uint64_t unwritten = counters_.deliveries_unwritten;
    base::log_warn("drain timeout, connections cut", {{"connections", connections_.size()}});
    connections_.cut();
    if (!connections_.wait_until_none(Clock::now() + cut_timeout)) {
        // They use what would be destroyed next.
        base::log_error("connections do not end, waiting for them", {{"connections", connections_.size()}});
        connections_.wait_until_none(Clock::time_point::max());
    }
    if (const std::uint64_t lost = counters_.deliveries_unwritten - unwritten; lost != 0)
        base::log_warn("events could not be written to subscribers", {{"events", lost}});
}

}  // namespace sluice::broker
