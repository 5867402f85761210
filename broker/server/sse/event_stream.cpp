#include "broker/server/sse/event_stream.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/core/replay/replay.hpp"
#include "broker/server/net/input_watch.hpp"
#include "broker/server/net/turns.hpp"
#include "broker/server/sse/sse_framer.hpp"
#include "broker/server/sse/stream_writer.hpp"
#include "broker/store/wall_clock.hpp"
#include "config/options.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

const char* text_of(broker::EndReason::Kind reason) {
    switch (reason) {
        case broker::EndReason::Kind::slow_consumer:
            return "slow consumer";
        case broker::EndReason::Kind::undelivered:
            return "undelivered events";
        case broker::EndReason::Kind::revoked:
            return "revoked";
        default:
            return "slow filter";
    }
}

// Times a write, if it is due, and how long its first event has been on its way, if it is a live one.
class WriteTimer {
public:
    // Events below `first_live_id` come from the log.
    WriteTimer(broker::Counters& counters, const broker::Delivery& first, std::uint64_t first_live_id)
        : counters_(counters),
          first_(first),
          first_live_id_(first_live_id),
          is_due_(broker::StageTimes::is_due(broker::Stage::write)) {
        if (is_due_) begun_ = broker::StageTimes::Clock::now();
    }
    WriteTimer(const WriteTimer&) = delete;
    WriteTimer& operator=(const WriteTimer&) = delete;
    ~WriteTimer() {
        if (!is_due_) return;
        counters_.stages.add(broker::Stage::write, broker::StageTimes::Clock::now() - begun_);
        const broker::SharedEvent& event = *first_.event;
        if (first_.kind != broker::Delivery::Kind::event || event.id < first_live_id_ || event.time == 0) return;
        const feed::RecordTime took = store::wall_time() - event.time;
        counters_.delivery_latency_microseconds.add(static_cast<std::uint64_t>(std::max<feed::RecordTime>(took, 0)));
    }

private:
    broker::Counters& counters_;
    const broker::Delivery& first_;
    const std::uint64_t first_live_id_;
    const bool is_due_;
    broker::StageTimes::Clock::time_point begun_;
};

std::string_view stream_name(const broker::Subscriber& subscriber) {
    return subscriber.stream.empty() ? std::string_view("*") : subscriber.stream;
}

}  // namespace

EventStream::EventStream(const Context& context, std::shared_ptr<WakeUp> wake_up,
                         std::shared_ptr<broker::Subscriber> subscriber, std::string notes, CountedPlace place,
                         broker::StreamHold hold)
    : context_(context),
      place_(std::move(place)),
      hold_(std::move(hold)),
      wake_up_(std::move(wake_up)),
      subscriber_(std::move(subscriber)),
      notes_(std::move(notes)) {}

EventStream::~EventStream() {
    wake_up_->on_wake = nullptr;
    broker::count(context_.counters.deliveries_unwritten, subscriber_->mailbox.close());
    end_subscription();
    if (counted_) context_.event_streams.fetch_sub(1);
}

// Its filters cost nothing from then on.
void EventStream::end_subscription() noexcept {
    if (!std::exchange(subscribed_, false)) return;
    context_.registry.remove(subscriber_);
    context_.replay.leave(*subscriber_);
}

void EventStream::revoke() {
    revoked_ = true;
    subscriber_->mailbox.finish(broker::EndReason{broker::EndReason::Kind::revoked});
}

asio::awaitable<void> EventStream::run(Transport& transport, Connection& connection, std::string peer, std::string head,
                                       bool chunked) {
    context_.event_streams.fetch_add(1);
    counted_ = true;
    wake_up_->on_wake = [this, &connection] {
        const broker::Mailbox::State state = subscriber_->mailbox.state();
        if (state == broker::Mailbox::State::open) return;
        end_subscription();
        if (state == broker::Mailbox::State::overflowed)
            connection.set_deadline(Connection::Clock::now() + context_.options.delivery.close_timeout);
        else if (subscriber_->mailbox.end_reason())
            connection.set_deadline(Connection::Clock::now() + context_.options.http.request_timeout);
    };
    connection.clear_deadline();
    base::log_at(config::LogLevel::debug, [&] { log_begin(peer); });
    const std::string begin = ": subscribed\n\n" + std::exchange(notes_, {}) + position_text(0) + "\n";
    StreamWriter writer(transport, chunked);
    if (co_await writer.begin(std::move(head), begin)) {
        const Watched watched(transport, *wake_up_);
        co_await write_events(transport, writer, watched.client());
    }
    wake_up_->on_wake = nullptr;
    log_end(peer);
}

void EventStream::log_begin(const std::string& peer) const {
    base::log_debug("subscriber connected",
                    {{"peer", peer}, {"stream", stream_name(*subscriber_)}, {"filters", subscriber_->filters.size()}});
}

void EventStream::log_end(const std::string& peer) const {
    const auto lost = subscriber_->mailbox.end_reason();
    if (!lost && !base::log_enabled(config::LogLevel::debug)) return;
    const bool is_finished = subscriber_->mailbox.state() != broker::Mailbox::State::open;
    const bool is_limited = subscriber_->last_id != broker::Subscriber::no_id;
    const char* reason = lost                        ? text_of(lost->kind)
                         : is_finished && is_limited ? "complete"
                         : is_finished               ? "shutdown"
                                                     : "client left";
    const std::initializer_list<base::LogField> fields{{"peer", peer},
                                                       {"stream", stream_name(*subscriber_)},
                                                       {"filters", subscriber_->filters.size()},
                                                       {"deliveries", deliveries_},
                                                       {"reason", reason}};
    lost ? base::log_warn("subscriber disconnected", fields) : base::log_debug("subscriber left", fields);
}

asio::awaitable<void> EventStream::write_events(Transport& transport, StreamWriter& writer, const InputWatch& client) {
    using Leave = broker::Mailbox::Leave;
    broker::Mailbox& mailbox = subscriber_->mailbox;
    // The first events after a wait are written at once, unless they can wait. All others take turns with those of
    // other connections, and what comes until their turn is written with them: the more there is, the more at once.
    Leave leave = Leave::waiting;
    bool is_silent = false;
    while (!client.has_ended()) {
        if (revoked_) co_return co_await write_end(writer);
        // Before the mailbox is looked into: what has been decided until then is in it.
        const std::uint64_t decided = is_silent ? decided_id() : 0;
        auto [deliveries, state, can_wait, replaying, left_bytes] =
            mailbox.take(StreamWriter::deliveries_at_once, leave);
        if (replaying) context_.replay.request(subscriber_);  // it reads while these are written
        if (left_bytes) {
            co_await take_turn(transport.executor(), *left_bytes);
            leave = Leave::none;
            is_silent = false;
            continue;
        }
        if (!deliveries.empty()) {
            const bool at_once = std::exchange(leave, Leave::all) != Leave::all;
            if (!co_await write_deliveries(transport, writer, deliveries, at_once, can_wait)) co_return;
            is_silent = false;
            continue;
        }
        if (state != broker::Mailbox::State::open) {
            co_await write_end(writer);
            co_return;
        }
        if (std::exchange(is_silent, false)) {
            if (!co_await writer.write(": heartbeat\n" + position_text(decided) + "\n")) co_return;
            continue;
        }
        wake_up_->timer.expires_after(context_.options.delivery.heartbeat);
        const auto [rung] = co_await wake_up_->timer.async_wait(no_throw);
        leave = Leave::waiting;
        is_silent = !rung;
    }
}

// Piece by piece, each in a turn. Returns false if the connection is broken. Leaves them when it is revoked.
asio::awaitable<bool> EventStream::write_deliveries(Transport& transport, StreamWriter& writer,
                                                    std::span<broker::Delivery> deliveries, bool at_once,
                                                    bool is_wide) {
    while (!deliveries.empty() && !revoked_) {
        const auto piece = deliveries.first(StreamWriter::first_piece(deliveries).size());
        deliveries = deliveries.subspan(piece.size());
        {
            const WriteTimer timer(context_.counters, piece.front(), subscriber_->first_id);
            if (!co_await writer.write(subscriber_->framer, piece, at_once, is_wide)) co_return false;
        }
        subscriber_->mailbox.settled(piece);
        broker::count(context_.counters.deliveries_written, piece.size());
        deliveries_ += piece.size();
        if (deliveries.empty()) break;
        for (broker::Delivery& written : piece) written = {};  // what is settled is neither charged nor held
        co_await take_turn(transport.executor());
        at_once = true;
    }
    co_return true;
}

// Everything up to this id has been decided live.
std::uint64_t EventStream::decided_id() const {
    return subscriber_->stream.empty() ? context_.queue.decided_id_of_all()
                                       : context_.queue.decided_id(subscriber_->stream);
}

std::string EventStream::position_text(std::uint64_t decided_id) {
    const auto id = subscriber_->mailbox.note_decided(decided_id);
    return id ? sse_id(context_.epoch, *id) : std::string();
}

asio::awaitable<void> EventStream::write_end(StreamWriter& writer) {
    std::string end;
    if (const auto reason = subscriber_->mailbox.end_reason()) end = subscriber_->framer.end_text(*reason);
    // Without the last chunk, a client knows that it has not got all of what should have been replayed.
    const bool is_cut_short =
        subscriber_->last_id != broker::Subscriber::no_id && subscriber_->mailbox.next_id() <= subscriber_->last_id;
    co_await writer.end(end, !is_cut_short);
}

}  // namespace sluice::server
