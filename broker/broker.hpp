// The daemon without its process: everything from the listening socket to the matching threads, wired together. Made,
// started and drained by one thread, which is none of its own; tests run it in their process.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>

#include "broker/base/counters.hpp"
#include "broker/ingest/publisher.hpp"
#include "broker/matching/event_queue.hpp"
#include "broker/matching/fanout.hpp"
#include "broker/matching/matcher.hpp"
#include "broker/matching/registry.hpp"
#include "broker/net/io_threads.hpp"
#include "broker/net/listener.hpp"
#include "broker/net/services.hpp"
#include "config/options.hpp"

namespace sluice {

class Broker {
public:
    // Listens, but accepts nothing yet. Throws boost::system::system_error where it can't listen.
    explicit Broker(Options options);
    ~Broker();  // drains, if that has not been done

    void start();

    // Stops accepting, matches and delivers what is queued, ends the connections; cuts what is left when
    // shutdown.drain_timeout is over.
    void drain();

    boost::asio::ip::tcp::endpoint local_endpoint() const { return listener_->local_endpoint(); }
    const Counters& counters() const { return counters_; }
    Services& services() { return services_; }

private:
    using Clock = std::chrono::steady_clock;

    void drain_matcher(Clock::time_point deadline);
    void drain_connections(Clock::time_point deadline);

    const Options options_;
    Counters counters_;
    IoThreads io_threads_;
    EventQueue queue_;
    Fanout fanout_;
    Matcher matcher_;
    SubscriptionRegistry registry_;
    Publisher publisher_;
    Connections connections_;
    Services services_;
    std::shared_ptr<Listener> listener_;
    bool drained_ = false;
};

}  // namespace sluice
