#include "broker/broker.hpp"

#include <memory>
#include <thread>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/base/repeat_guard.hpp"

namespace sluice {

namespace {

constexpr std::chrono::seconds cut_timeout{10};  // for connections to notice that they have been cut

// One per core that the matching threads leave.
std::size_t io_threads(const Options& options) {
    if (options.io.threads != 0) return options.io.threads;
    const std::size_t cores = std::thread::hardware_concurrency();
    return cores > options.matcher.threads ? cores - options.matcher.threads : 1;
}

// The one place of the broker that names the CUDA backend.
EngineOptions engine_options(const MatcherOptions& options) {
    const auto backend = [&] {
        switch (options.backend) {
            case BackendOption::naive:
                return Backend::naive;
            case BackendOption::cpu:
                return Backend::cpu;
            case BackendOption::cuda:
                return Backend::cuda;
            default:
                return Backend::automatic;
        }
    };
    EngineOptions engine(backend());
    engine.devices = options.devices;
    engine.device_bytes_max = options.device_bytes;
    // Where there is no driver, say, every attempt fails the same way.
    const auto told = std::make_shared<RepeatGuard>();
    engine.on_fault = [told](const std::string& failure) {
        if (told->is_new(failure, RepeatGuard::Clock::now()))
            log_warn("a GPU failed, the CPU matches instead", {{"failure", failure}});
    };
    engine.on_recovery = [told](const std::string& device) {
        told->forget();
        log_info("a GPU is used again", {{"device", device}});
    };
    return engine;
}

}  // namespace

Broker::Broker(Options options)
    : options_(std::move(options)),
      io_threads_(io_threads(options_)),
      queue_(options_.matcher.queue_events, options_.matcher.queue_bytes),
      fanout_(counters_),
      matcher_({options_.matcher.threads, options_.matcher.batch_events, options_.matcher.batch_delay,
                options_.limits.condition_time},
               queue_, fanout_, counters_),
      registry_({engine_options(options_.matcher), options_.matcher.apply_delay, options_.limits.subscriptions,
                 options_.limits.operators},
                fanout_,
                [this](std::shared_ptr<const Program> program, std::uint64_t number) {
                    matcher_.set_program(std::move(program), number);
                }),
      publisher_({options_.limits.streams, options_.deduplication.entries}, queue_, counters_),
      connections_(options_.limits.connections),
      services_{options_, counters_, queue_, publisher_, registry_, connections_, Clock::now()},
      listener_(std::make_shared<Listener>(io_threads_, services_)) {}

Broker::~Broker() { drain(); }

void Broker::start() {
    matcher_.start();
    listener_->start();
    io_threads_.start();
}

void Broker::drain() {
    if (std::exchange(drained_, true)) return;
    const Clock::time_point deadline = Clock::now() + options_.shutdown.drain_timeout;
    services_.draining = true;
    listener_->close();
    connections_.drain();
    queue_.close();
    drain_matcher(deadline);
    drain_connections(deadline);
    io_threads_.stop();
}

void Broker::drain_matcher(Clock::time_point deadline) {
    if (matcher_.wait_until_done(deadline)) return;
    const std::size_t lost = queue_.clear();
    count(counters_.events_lost, lost);
    log_warn("drain timeout, events not matched", {{"events", lost}});
    matcher_.interrupt();
    matcher_.wait_until_done(Clock::time_point::max());
}

void Broker::drain_connections(Clock::time_point deadline) {
    connections_.end_streams();
    if (connections_.wait_until_none(deadline)) return;
    log_warn("drain timeout, connections cut", {{"connections", connections_.size()}});
    connections_.cut();
    if (!connections_.wait_until_none(Clock::now() + cut_timeout)) log_error("connections did not end");
}

}  // namespace sluice
