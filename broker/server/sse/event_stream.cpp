#include "broker/server/sse/event_stream.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/container/small_vector.hpp>
#include <span>
#include <spdlog/fmt/compile.h>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/core/replay/replay.hpp"
#include "broker/server/net/input_watch.hpp"
#include "broker/server/net/turns.hpp"
#include "broker/server/sse/sse_framer.hpp"
#include "broker/store/wall_clock.hpp"
#include "config/options.hpp"
#include "gpu/check/check.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

// Bounds the additional memory needed to write them.
constexpr std::size_t deliveries_at_once = 1'024;

const char* text_of(broker::EndReason::Kind reason) {
    switch (reason) {
        case broker::EndReason::Kind::slow_consumer:
            return "slow consumer";
        case broker::EndReason::Kind::undelivered:
            return "undelivered events";
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

// The line before a chunk of so many bytes.
std::string chunk_head(std::size_t bytes) { return fmt::format(FMT_COMPILE("{:x}\r\n"), bytes); }

// Watches the client while it lives. When the client has left, it ends what the stream waits for.
class Watched {
public:
    Watched(Transport& transport, EventStream::WakeUp& wake_up)
        : watch_(std::make_shared<InputWatch>(transport, [&transport, &wake_up] {
              transport.close();
              wake_up.timer.cancel();
          })) {
        watch_->start();
    }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    ~Watched() { watch_->stop(); }

    const InputWatch& client() const { return *watch_; }

private:
    const std::shared_ptr<InputWatch> watch_;
};

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

std::function<void()> EventStream::waker(const std::shared_ptr<WakeUp>& wake_up) {
    return [wake_up] {
        post_reserved(wake_up->timer.get_executor(), wake_up->post_memory, [wake_up] {
            wake_up->timer.cancel();
            if (wake_up->on_wake) wake_up->on_wake();
        });
    };
}

asio::awaitable<void> EventStream::run(Transport& transport, Connection& connection, std::string head, bool chunked) {
    chunked_ = chunked;
    context_.event_streams.fetch_add(1);
    counted_ = true;
    const std::string peer = transport.peer();
    wake_up_->on_wake = [this, &connection] {
        const broker::Mailbox::State state = subscriber_->mailbox.state();
        if (state != broker::Mailbox::State::open) end_subscription();
        if (state == broker::Mailbox::State::overflowed)
            connection.set_deadline(Connection::Clock::now() + context_.options.delivery.close_timeout);
        else if (subscriber_->mailbox.end_reason())
            connection.set_deadline(Connection::Clock::now() + context_.options.http.request_timeout);
    };
    connection.clear_deadline();
    base::log_at(config::LogLevel::debug, [&] { log_begin(peer); });
    const std::string begin = ": subscribed\n\n" + std::exchange(notes_, {}) + position_text(0) + "\n";
    if (co_await write(transport, head + chunk(begin))) {
        const Watched watched(transport, *wake_up_);
        co_await write_events(transport, watched.client());
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

asio::awaitable<void> EventStream::write_events(Transport& transport, const InputWatch& client) {
    broker::Mailbox& mailbox = subscriber_->mailbox;
    bool has_waited = true, is_silent = false;
    while (!client.has_ended()) {
        // Before the mailbox is looked into: what has been decided until then is in it.
        const std::uint64_t decided = is_silent ? decided_id() : 0;
        const auto [deliveries, state, can_wait, replaying] = mailbox.take(deliveries_at_once);
        if (replaying) context_.replay.request(subscriber_);  // it reads while these are written
        if (!deliveries.empty()) {
            if (can_wait) co_await take_turn(transport.executor());
            // What has come meanwhile takes turns with other connections.
            const WriteTimer timer(context_.counters, deliveries.front(), subscriber_->first_id);
            if (!co_await write(transport, deliveries, std::exchange(has_waited, false))) co_return;
            mailbox.settled(deliveries);
            broker::count(context_.counters.deliveries_written, deliveries.size());
            deliveries_ += deliveries.size();
            is_silent = false;
            continue;
        }
        if (state != broker::Mailbox::State::open) {
            co_await write_end(transport);
            co_return;
        }
        if (std::exchange(is_silent, false)) {
            if (!co_await write(transport, chunk(": heartbeat\n" + position_text(decided) + "\n"))) co_return;
            continue;
        }
        wake_up_->timer.expires_after(context_.options.delivery.heartbeat);
        const auto [rung] = co_await wake_up_->timer.async_wait(no_throw);
        has_waited = true;
        is_silent = !rung;
    }
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

asio::awaitable<void> EventStream::write_end(Transport& transport) {
    std::string end;
    if (const auto reason = subscriber_->mailbox.end_reason()) end = chunk(subscriber_->framer.end_text(*reason));
    // Without the last chunk, a client knows that it has not got all of what should have been replayed.
    const bool is_cut_short =
        subscriber_->last_id != broker::Subscriber::no_id && subscriber_->mailbox.next_id() <= subscriber_->last_id;
    if (chunked_ && !is_cut_short) end += "0\r\n\r\n";
    co_await write(transport, std::move(end));
}

asio::awaitable<bool> EventStream::write(Transport& transport, const std::vector<broker::Delivery>& deliveries,
                                         bool at_once) {
    broker::Pieces pieces;
    pieces.reserve(2 * deliveries.size());
    for (const broker::Delivery& delivery : deliveries) {
        const std::size_t before = pieces.bytes();
        subscriber_->framer.write(delivery, pieces);
        SLUICE_CHECK(pieces.bytes() - before == delivery.bytes);
    }
    const std::string head = chunked_ ? chunk_head(pieces.bytes()) : std::string();
    boost::container::small_vector<asio::const_buffer, 8> buffers;  // enough for one event
    buffers.reserve(pieces.size() + 2);
    if (chunked_) buffers.push_back(asio::buffer(head));
    pieces.each([&buffers](std::string_view text) { buffers.push_back(asio::buffer(text)); });
    if (chunked_) buffers.push_back(asio::buffer("\r\n", 2));
    if (at_once && transport.write_now(buffers)) co_return true;
    const bool written = co_await transport.write(buffers);
    co_return written;
}

asio::awaitable<bool> EventStream::write(Transport& transport, std::string text) {
    const asio::const_buffer buffer = asio::buffer(text);
    const bool written = co_await transport.write(std::span(&buffer, 1));
    co_return written;
}

std::string EventStream::chunk(std::string_view text) const {
    return chunked_ ? chunk_head(text.size()).append(text) + "\r\n" : std::string(text);
}

}  // namespace sluice::server
