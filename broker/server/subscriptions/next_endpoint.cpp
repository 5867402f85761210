// GET /v1/subscriptions/NAME/next
#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>

#include "broker/core/counters.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/core/subscriptions/consumer.hpp"
#include "broker/core/subscriptions/durable_subscriptions.hpp"
#include "broker/server/api/event_format.hpp"
#include "broker/server/api/problems.hpp"
#include "broker/server/http/parameters.hpp"
#include "broker/server/net/wake_up.hpp"
#include "broker/server/sse/delivery_members.hpp"
#include "broker/server/sse/notices.hpp"
#include "broker/server/sse/sse_framer.hpp"
#include "broker/server/subscriptions/feed.hpp"
#include "broker/server/subscriptions/subscription_handlers.hpp"
#include "broker/server/subscriptions/subscription_requests.hpp"
#include "broker/store/event_log.hpp"
#include "config/options.hpp"
#include "config/units.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::server {

namespace asio = boost::asio;
using broker::Delivery;
using broker::DurableSubscription;
using State = DurableSubscription::ConsumerState;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::uint64_t events_most = 1'000;
constexpr std::chrono::seconds wait_most{60};
constexpr std::chrono::seconds catch_up_most{10};          // for the log to be read, if `wait` is shorter
constexpr std::chrono::milliseconds look_interval{1'000};  // at whether the daemon shuts down
constexpr std::chrono::milliseconds decide_interval{2};    // at whether what was published has been matched
constexpr std::size_t reply_bytes = 8u << 20;              // then it has enough, unless one event is larger

struct Wanted {
    std::size_t events = 1;
    Clock::duration wait{};
    DurableSubscription::Format format;
    bool takes_over = false;
    std::optional<HttpReply> refusal;
};

Wanted read_wanted(const HttpRequest& request, const SseFramers& framers) {
    Wanted wanted;
    wanted.refusal =
        refuse_unknown_parameters(request.query, {"owner", "max", "wait", "format", "values", "annotate", "takeover"});
    if (wanted.refusal) return wanted;
    const WantedFormat format = read_format(request.query, framers);
    wanted.refusal = format.refusal;
    wanted.format = {format.framer, format.has_alignments, nullptr};
    if (!wanted.refusal && !format.framer->format.is_object)
        wanted.refusal = bad_parameter("format", parameter(request.query, "format", ""), "json");
    const std::string_view max = parameter(request.query, "max", "1"), wait = parameter(request.query, "wait", "0s"),
                           takeover = parameter(request.query, "takeover", "false");
    const auto events = config::parse_integer(max);
    if (!events || *events == 0 || *events > events_most)
        wanted.refusal = bad_parameter("max", max, "a number from 1 to " + std::to_string(events_most));
    const auto time = config::parse_duration(wait);
    if (!time || *time > wait_most) wanted.refusal = bad_parameter("wait", wait, "a time of at most 60s, such as 5s");
    if (takeover != "true" && takeover != "false")
        wanted.refusal = bad_parameter("takeover", takeover, "true or false");
    if (wanted.refusal) return wanted;
    wanted.events = *events;
    wanted.wait = *time;
    wanted.takes_over = takeover == "true";
    return wanted;
}

// Up to where the feed's streams have to be decided for it to have what had been published when the log had its events
// up to `last_id`.
std::uint64_t published_id(Services& services, const broker::Subscriber& feed, std::uint64_t last_id) {
    return feed.stream.empty() ? last_id : std::min(last_id, services.publisher.streams().last_id(feed.stream));
}

std::uint64_t decided_id(const broker::EventQueue& queue, const broker::Subscriber& feed) {
    return feed.stream.empty() ? queue.decided_id_of_all() : queue.decided_id(feed.stream);
}

std::string json_of(const Delivery& delivery, const std::string& epoch) {
    if (delivery.kind == Delivery::Kind::event) return delivery_json(delivery);
    const bool is_gap = delivery.kind == Delivery::Kind::gap;
    return boost::json::serialize(is_gap ? boost::json::object{{"gap", gap_json(delivery)}}
                                         : boost::json::object{{"reset", reset_json(reset_of(delivery, epoch))}});
}

// The reply while it grows.
class Reply {
public:
    Reply(std::size_t events_max, const std::string& epoch) : events_max_(events_max), epoch_(epoch) {}

    std::size_t room() const { return text_.size() >= reply_bytes ? 0 : events_max_ - std::min(events_max_, size_); }
    bool is_empty() const { return size_ == 0; }
    void add(const std::vector<Delivery>& deliveries) {
        for (const Delivery& delivery : deliveries) {
            text_ += size_++ == 0 ? "" : ",\n";
            text_ += json_of(delivery, epoch_);
        }
    }
    HttpReply take() {
        HttpReply reply;
        reply.headers.emplace_back("Cache-Control", "no-store");
        reply.body = "[" + std::move(text_) + "]\n";
        return reply;
    }

private:
    const std::size_t events_max_;
    const std::string& epoch_;
    std::string text_;
    std::size_t size_ = 0;
};

}  // namespace

asio::awaitable<HttpReply> take_next(Services& services, HttpRequest& request) {
    SubscriptionTarget target = find_target(services, request, request.name);
    if (target.refusal) co_return std::move(*target.refusal);
    const std::string& name = target.key.name;
    const auto subscription = find_subscription(services, target);
    if (!subscription) co_return no_such_subscription(name);
    Wanted wanted = read_wanted(request, *services.sse_framers);
    if (wanted.refusal) co_return *wanted.refusal;
    wanted.format.account = target.account_of_feed();
    const auto wake_up = std::make_shared<WakeUp>(co_await asio::this_coro::executor);
    const DurableSubscription::Attached attached = subscription->attach(
        DurableSubscription::ConsumerKind::pulling, wanted.format, wanted.takes_over, waker(wake_up));
    if (attached.consumer == 0) co_return in_use_problem(name, attached.differs);
    broker::Consumer consumer(subscription, attached.consumer);
    Reply reply(wanted.events, services.log.epoch());
    const Clock::time_point begun = Clock::now();
    // Who has been told that something is published gets it, though it may not have been matched yet.
    const std::uint64_t last_id = services.log.last_id();
    bool is_decided = false;
    while (reply.room() != 0) {
        if (request.principal->account->is_revoked) break;  // what has not been taken yet stays
        const DurableSubscription::Taken taken = consumer.take(std::min<std::size_t>(reply.room(), 64));
        if (taken.state == State::deleted) co_return no_such_subscription(name);
        if (taken.state == State::taken_over) break;
        if (!taken.deliveries.empty()) {
            reply.add(taken.deliveries);
            subscription->written(taken);
            continue;
        }
        if (!reply.is_empty()) break;
        if (taken.state == State::needs_feed) {
            MadeFeed made = co_await make_feed(services, request, subscription);
            if (made.refusal) co_return std::move(*made.refusal);
            if (made.is_made || made.is_late) continue;
        }
        const bool is_deciding = taken.is_caught_up &&
                                 decided_id(services.queue, *taken.feed) < published_id(services, *taken.feed, last_id);
        const bool is_done = taken.is_caught_up && !is_deciding && is_decided;
        is_decided = taken.is_caught_up && !is_deciding;  // before the next look into the mailbox
        if (is_decided && !is_done) continue;
        const auto wait = is_done ? wanted.wait : std::max<Clock::duration>(wanted.wait, catch_up_most);
        const Clock::time_point now = Clock::now();
        if (now >= begun + wait || services.draining || request.is_abandoned()) break;
        const Clock::duration pause = is_deciding ? decide_interval : look_interval;
        wake_up->timer.expires_at(std::min(begun + wait, now + pause));
        co_await wake_up->timer.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    const bool has_taken = !reply.is_empty();
    HttpReply made = reply.take();
    made.has_taken = has_taken;
    if (!request.memory.resize(made.body.size())) co_return memory_problem(broker::MemoryShortage::temporary);
    co_return made;
}

}  // namespace sluice::server
