// GET /v1/events?subscription=NAME
#include <boost/asio/this_coro.hpp>

#include "broker/core/subscriptions/consumer.hpp"
#include "broker/core/subscriptions/durable_subscriptions.hpp"
#include "broker/server/api/add_subscriptions.hpp"
#include "broker/server/api/event_format.hpp"
#include "broker/server/api/problems.hpp"
#include "broker/server/http/parameters.hpp"
#include "broker/server/sse/consumer_stream.hpp"
#include "broker/server/sse/sse_framer.hpp"
#include "broker/server/subscriptions/feed.hpp"
#include "broker/server/subscriptions/stored_change.hpp"
#include "broker/server/subscriptions/subscription_handlers.hpp"
#include "broker/server/subscriptions/subscription_requests.hpp"
#include "broker/store/event_log.hpp"
#include "config/options.hpp"
#include "config/units.hpp"

namespace sluice::server {

namespace asio = boost::asio;
using broker::DurableSubscription;

namespace {

// What a browser's event stream takes as the end for good; an error would be one, too, but is for its user to see.
HttpReply no_more() {
    HttpReply reply;
    reply.status = 204;
    return reply;
}

std::string_view last_event_id(const HttpRequest& request) {
    const auto header = request.headers->find("Last-Event-ID");
    return header == request.headers->end() ? parameter(request.query, "lastEventId", "")
                                            : std::string_view(header->value());
}

// A browser acknowledges what it has got by connecting again.
asio::awaitable<std::optional<HttpReply>> acknowledge_received(Services& services, DurableSubscription& subscription,
                                                               std::string_view last_id) {
    const std::size_t dash = last_id.rfind('-');
    if (dash == std::string_view::npos || last_id.substr(0, dash) != services.log.epoch()) co_return std::nullopt;
    const auto id = config::parse_integer(last_id.substr(dash + 1));
    if (!id || subscription.state().options.ack != config::AckOption::cumulative) co_return std::nullopt;
    broker::Acknowledgement received;
    received.up_to = *id;
    const auto stored = std::make_shared<StoredChange>(co_await asio::this_coro::executor);
    subscription.acknowledge(received, stored->callback());
    if (const auto error = co_await stored->wait()) co_return not_stored_problem(*error);
    co_return std::nullopt;
}

}  // namespace

asio::awaitable<HttpReply> consume_events(Services& services, HttpRequest& request) {
    const config::LimitOptions& limits = services.options.limits;
    if (services.draining) co_return busy_problem("the broker is shutting down");
    CountedPlace place(services.subscribers, limits.subscribers);
    if (!place.got())
        co_return busy_problem("there are already limits.subscribers subscribers, " +
                               std::to_string(limits.subscribers));
    if (auto refusal = refuse_unknown_parameters(
            request.query, {"subscription", "owner", "takeover", "format", "values", "annotate", "lastEventId"}))
        co_return std::move(*refusal);
    const WantedFormat wanted = read_format(request.query, *services.sse_framers);
    if (wanted.refusal) co_return *wanted.refusal;
    SubscriptionTarget target = find_target(services, request, parameter(request.query, "subscription", ""));
    if (target.refusal) co_return std::move(*target.refusal);
    const std::string& name = target.key.name;
    const auto subscription = find_subscription(services, target);
    const std::string_view last_id = last_event_id(request);
    if (!subscription) co_return last_id.empty() ? no_such_subscription(name) : no_more();
    const std::string_view takeover = parameter(request.query, "takeover", "false");
    if (takeover != "true" && takeover != "false") co_return bad_parameter("takeover", takeover, "true or false");
    if (auto refusal = co_await acknowledge_received(services, *subscription, last_id)) co_return std::move(*refusal);

    const auto wake_up = std::make_shared<WakeUp>(co_await asio::this_coro::executor);
    const DurableSubscription::Attached attached = subscription->attach(
        DurableSubscription::ConsumerKind::connected, {wanted.framer, wanted.has_alignments, target.account_of_feed()},
        takeover == "true", waker(wake_up));
    if (attached.consumer == 0) co_return last_id.empty() ? in_use_problem(name, attached.differs) : no_more();
    broker::Consumer consumer(subscription, attached.consumer);
    if (MadeFeed made = co_await make_feed(services, request, subscription); made.refusal)
        co_return std::move(*made.refusal);
    // The request ends before the stream does.
    auto ended = std::make_shared<HttpRequest>();
    ended->address_use = request.address_use;
    auto make = [&services, ended, subscription]() -> asio::awaitable<std::optional<std::string>> {
        MadeFeed made = co_await make_feed(services, *ended, subscription);
        if (made.refusal) co_return std::move(made.refusal->body);
        if (made.is_made || made.is_late) co_return std::string();
        co_return std::nullopt;
    };
    const ConsumerStream::Context context{services.options, services.counters, services.queue, services.log.epoch(),
                                          services.event_streams};
    co_return stream_reply(
        std::make_shared<ConsumerStream>(context, wake_up, std::move(consumer), std::move(make), std::move(place)),
        services.options.delivery.heartbeat);
}

}  // namespace sluice::server
