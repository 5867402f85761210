// An event stream of a durable subscription: GET /v1/events?subscription=NAME. Writes what the subscription gives its
// consumer until either leaves. Belongs to its connection's thread.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "broker/core/subscriptions/consumer.hpp"
#include "broker/server/http/takeover.hpp"
#include "broker/server/net/counted_place.hpp"
#include "broker/server/net/wake_up.hpp"

namespace sluice::config {
struct Options;
}

namespace sluice::broker {
struct Counters;
class EventQueue;
}  // namespace sluice::broker

namespace sluice::server {

class InputWatch;
class StreamWriter;

class ConsumerStream final : public Takeover {
public:
    // Makes the subscription's feed. Returns what is wrong, a problem as JSON, or "": it is made, or has to be made
    // again; none: somebody else makes it.
    using MakeFeed = std::function<boost::asio::awaitable<std::optional<std::string>>()>;
    // They outlive the stream.
    struct Context {
        const config::Options& options;
        broker::Counters& counters;
        broker::EventQueue& queue;
        const std::string& epoch;
        std::atomic<std::size_t>& event_streams;  // incremented while the stream runs
    };

    // `wake_up` is that of the consumer.
    ConsumerStream(const Context& context, std::shared_ptr<WakeUp> wake_up, broker::Consumer consumer,
                   MakeFeed make_feed, CountedPlace place);
    ~ConsumerStream() override;

    boost::asio::awaitable<void> run(Transport& transport, Connection& connection, std::string peer, std::string head,
                                     bool chunked) override;
    void finish() override;
    void revoke() override;

private:
    boost::asio::awaitable<void> write_events(Transport& transport, StreamWriter& writer, const InputWatch& client);
    void leave_events(broker::DurableSubscription::Taken& taken);
    std::uint64_t decided_id(const broker::Subscriber& feed) const;
    std::string position_text(std::uint64_t decided_id);

    const Context context_;
    const CountedPlace place_;
    const std::shared_ptr<WakeUp> wake_up_;
    broker::Consumer consumer_;
    const MakeFeed make_feed_;
    std::atomic<bool> finishing_{false};
    bool revoked_ = false;
    std::uint64_t deliveries_ = 0;  // written
    bool counted_ = false;          // among Context::event_streams
};

}  // namespace sluice::server
