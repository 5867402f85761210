#include "broker/server/sse/consumer_stream.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/serialize.hpp>
#include <string_view>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/server/net/input_watch.hpp"
#include "broker/server/net/turns.hpp"
#include "broker/server/sse/sse_framer.hpp"
#include "broker/server/sse/stream_writer.hpp"
#include "config/options.hpp"

namespace sluice::server {

namespace asio = boost::asio;
using State = broker::DurableSubscription::ConsumerState;

namespace {

std::string error_text(std::string_view type, std::string_view title, std::string_view detail) {
    const boost::json::object problem{
        {"type", "urn:sluice:problem:" + std::string(type)}, {"title", title}, {"detail", detail}};
    return "event: error\ndata: " + boost::json::serialize(problem) + "\n\n";
}

std::string end_text(State state) {
    if (state == State::taken_over)
        return error_text("taken-over", "Taken over", "another consumer has taken the subscription over");
    return error_text("subscription-deleted", "Subscription deleted", "the subscription has been deleted");
}

}  // namespace

ConsumerStream::ConsumerStream(const Context& context, std::shared_ptr<WakeUp> wake_up, broker::Consumer consumer,
                               MakeFeed make_feed, CountedPlace place)
    : context_(context),
      place_(std::move(place)),
      wake_up_(std::move(wake_up)),
      consumer_(std::move(consumer)),
      make_feed_(std::move(make_feed)) {}

ConsumerStream::~ConsumerStream() {
    if (counted_) context_.event_streams.fetch_sub(1);
}

void ConsumerStream::finish() {
    finishing_ = true;
    waker(wake_up_)();
}

void ConsumerStream::revoke() {
    revoked_ = true;
    finish();
}

asio::awaitable<void> ConsumerStream::run(Transport& transport, Connection& connection, std::string peer,
                                          std::string head, bool chunked) {
    context_.event_streams.fetch_add(1);
    counted_ = true;
    connection.clear_deadline();
    const std::string name = consumer_.subscription()->key().text();
    base::log_debug("consumer connected", {{"peer", peer}, {"subscription", name}});
    StreamWriter writer(transport, chunked);
    if (co_await writer.begin(std::move(head), ": subscribed\n\n")) {
        const Watched watched(transport, *wake_up_);
        co_await write_events(transport, writer, watched.client());
    }
    base::log_debug("consumer left", {{"peer", peer}, {"subscription", name}, {"deliveries", deliveries_}});
}

asio::awaitable<void> ConsumerStream::write_events(Transport& transport, StreamWriter& writer,
                                                   const InputWatch& client) {
    bool has_waited = true, is_silent = false;
    std::shared_ptr<broker::Subscriber> feed;
    while (!client.has_ended()) {
        if (finishing_) {  // what has not been delivered is kept
            // A name of its own: see decisions/coroutines.md.
            const std::string last = revoked_ ? revoked_text() : std::string();
            co_await writer.end(last, true);
            co_return;
        }
        // Before the mailbox is looked into: what has been decided until then is in it.
        std::uint64_t decided = is_silent && feed ? decided_id(*feed) : 0;
        broker::DurableSubscription::Taken taken = consumer_.take(StreamWriter::deliveries_at_once);
        if (std::exchange(feed, taken.feed) != taken.feed) decided = 0;
        if (taken.state == State::taken_over || taken.state == State::deleted) {
            co_await writer.end(end_text(taken.state), true);
            co_return;
        }
        if (!taken.deliveries.empty()) {
            if (taken.can_wait) co_await take_turn(transport.executor());
            if (revoked_) leave_events(taken);
            if (taken.deliveries.empty()) continue;
            const bool at_once = std::exchange(has_waited, false) || taken.can_wait;
            if (!co_await writer.write(taken.feed->framer, taken.deliveries, at_once, taken.can_wait)) {
                consumer_.subscription()->unwritten(taken, taken.deliveries);
                co_return;
            }
            consumer_.subscription()->written(taken);
            deliveries_ += taken.deliveries.size();
            is_silent = false;
            continue;
        }
        if (taken.state == State::needs_feed) {
            const std::optional<std::string> fault = co_await make_feed_();
            if (fault && fault->empty()) continue;
            if (fault) {
                co_await writer.end("event: error\ndata: " + *fault + "\n\n", true);
                co_return;
            }
        }
        if (std::exchange(is_silent, false)) {
            if (!co_await writer.write(": heartbeat\n" + position_text(decided) + "\n")) co_return;
            continue;
        }
        wake_up_->timer.expires_after(context_.options.delivery.heartbeat);
        const auto [rung] = co_await wake_up_->timer.async_wait(no_throw);
        has_waited = true;
        is_silent = !rung;
    }
}

// Events are delivered again, gaps and resets are not: those before the first event are written all the same. Those
// behind it are not, since their ids would acknowledge it.
void ConsumerStream::leave_events(broker::DurableSubscription::Taken& taken) {
    const auto first =
        std::find_if(taken.deliveries.begin(), taken.deliveries.end(),
                     [](const broker::Delivery& delivery) { return delivery.kind == broker::Delivery::Kind::event; });
    consumer_.subscription()->unwritten(taken, {first, taken.deliveries.end()});
    taken.deliveries.erase(first, taken.deliveries.end());
}

std::uint64_t ConsumerStream::decided_id(const broker::Subscriber& feed) const {
    return feed.stream.empty() ? context_.queue.decided_id_of_all() : context_.queue.decided_id(feed.stream);
}

std::string ConsumerStream::position_text(std::uint64_t decided_id) {
    const auto id = consumer_.note_decided(decided_id);
    return id ? sse_id(context_.epoch, *id) : std::string();
}

}  // namespace sluice::server
