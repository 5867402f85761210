// The daemon without its process: everything from the listening socket to the matching threads, wired together.
// Created, started and drained by one thread of the caller. Tests run it in their own process.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <memory>

#include "broker/base/memory_budget.hpp"
#include "broker/base/memory_keeper.hpp"
#include "broker/base/metrics.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/delivery/event_memory.hpp"
#include "broker/core/delivery/mailboxes.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/core/matching/fanout.hpp"
#include "broker/core/matching/matcher.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/server/io_threads.hpp"
#include "broker/server/listener.hpp"
#include "broker/server/services.hpp"
#include "broker/store/memory_log.hpp"
#include "config/options.hpp"

namespace sluice::broker {

class Broker {
public:
    // Listens, but accepts no connections yet. Throws std::runtime_error if it can't listen.
    explicit Broker(config::Options options);
    ~Broker();  // drains unless that has been done

    void start();

    // Stops accepting, matches and delivers the queued events, and ends the connections. Cuts the remaining ones when
    // shutdown.drain_timeout expires.
    void drain();

    boost::asio::ip::tcp::endpoint local_endpoint() const { return listener_->local_endpoint(); }
    const Counters& counters() const { return counters_; }
    server::Services& services() { return services_; }
    // What drain() is doing, to explain why it takes long. Any thread.
    const char* stage() const { return stage_.load(std::memory_order_relaxed); }

private:
    using Clock = std::chrono::steady_clock;

    void drain_matcher(Clock::time_point deadline);
    void drain_connections(Clock::time_point deadline);
    void relieve_memory();

    const config::Options options_;
    base::MetricRegistry metrics_;
    Counters counters_;
    base::MemoryBudget memory_;
    Mailboxes mailboxes_;
    EventMemory event_memory_;
    server::IoThreads io_threads_;
    EventQueue queue_;
    Fanout fanout_;
    ScanOwners scan_owners_;
    Matcher matcher_;
    SubscriptionRegistry registry_;
    store::MemoryLog log_;
    Publisher publisher_;
    server::Connections connections_;
    base::Workers workers_;  // destroyed, and so finished, before the I/O threads' loops
    base::Workers compilers_;
    base::Workers trials_;
    server::Services services_;
    std::shared_ptr<server::Listener> listener_;
    base::MemoryKeeper memory_keeper_;
    bool drained_ = false;
    std::atomic<const char*> stage_{"serving"};
};

}  // namespace sluice::broker
