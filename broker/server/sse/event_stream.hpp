// The writing side of GET /v1/events: takes deliveries from its subscriber's mailbox and writes many at once, as one
// chunk. Writes a comment when nothing was sent for a while, with the id up to which everything has been decided. Asks
// for more from the log while the mailbox is fed by a replay. Lives on its connection's thread; its destructor ends the
// subscription.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "broker/core/delivery/subscriber.hpp"
#include "broker/core/ingest/streams.hpp"
#include "broker/server/http/takeover.hpp"
#include "broker/server/net/counted_place.hpp"
#include "broker/server/net/wake_up.hpp"

namespace sluice::config {
struct Options;
}

namespace sluice::broker {
struct Counters;
class EventQueue;
class Replay;
class SubscriptionRegistry;
}  // namespace sluice::broker

namespace sluice::server {

class InputWatch;
class StreamWriter;

class EventStream final : public Takeover {
public:
    // The parts of the broker that streams use. They outlive the stream.
    struct Context {
        const config::Options& options;
        broker::Counters& counters;
        broker::SubscriptionRegistry& registry;
        broker::EventQueue& queue;
        broker::Replay& replay;
        const std::string& epoch;                 // of the log
        std::atomic<std::size_t>& event_streams;  // incremented while the stream runs
    };

    // The subscriber's mailbox must call the function returned by waker(). Its subscriptions are added after this, and
    // are in place before run(). `place` is among limits.subscribers. `notes` are comments to write before the first
    // event, as complete lines, and a reset. `hold` is of its stream.
    EventStream(const Context& context, std::shared_ptr<WakeUp> wake_up, std::shared_ptr<broker::Subscriber> subscriber,
                std::string notes, CountedPlace place, broker::StreamHold hold);
    ~EventStream() override;

    boost::asio::awaitable<void> run(Transport& transport, Connection& connection, std::string peer, std::string head,
                                     bool chunked) override;
    void finish() override { subscriber_->mailbox.finish(); }
    void revoke() override;

private:
    boost::asio::awaitable<void> write_events(Transport& transport, StreamWriter& writer, const InputWatch& client);
    boost::asio::awaitable<bool> write_deliveries(Transport& transport, StreamWriter& writer,
                                                  std::span<broker::Delivery> deliveries, bool at_once, bool is_wide);
    boost::asio::awaitable<void> write_end(StreamWriter& writer);
    std::uint64_t decided_id() const;
    std::string position_text(std::uint64_t decided_id);
    void end_subscription() noexcept;
    void log_begin(const std::string& peer) const;
    void log_end(const std::string& peer) const;

    const Context context_;
    const CountedPlace place_;
    const broker::StreamHold hold_;
    std::shared_ptr<WakeUp> wake_up_;
    std::shared_ptr<broker::Subscriber> subscriber_;
    std::string notes_;
    std::uint64_t deliveries_ = 0;  // written
    bool counted_ = false;          // among Context::event_streams
    bool subscribed_ = true;
    bool revoked_ = false;
};

}  // namespace sluice::server
