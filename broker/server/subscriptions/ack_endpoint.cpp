// POST /v1/subscriptions/NAME/ack
#include <boost/asio/this_coro.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>
#include <memory>
#include <string>
#include <utility>

#include "broker/base/workers.hpp"
#include "broker/core/subscriptions/durable_subscriptions.hpp"
#include "broker/server/api/limits.hpp"
#include "broker/server/api/match_request.hpp"
#include "broker/server/api/on_worker.hpp"
#include "broker/server/api/publish_reply.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "broker/server/subscriptions/ack_request.hpp"
#include "broker/server/subscriptions/stored_change.hpp"
#include "broker/server/subscriptions/subscription_handlers.hpp"
#include "broker/server/subscriptions/subscription_requests.hpp"
#include "broker/store/event_log.hpp"
#include "config/options.hpp"

namespace sluice::server {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t short_ack_bytes = 4u << 10;  // of a body that the connection's thread reads itself, in 0.1 ms

struct Acknowledging {
    std::optional<HttpReply> refusal{};
    json::object done{};
};

Acknowledging acknowledge(const HttpRequest& request, broker::DurableSubscription& subscription, store::EventLog& log,
                          const broker::Stored& stored) {
    AckRequest wanted;
    Acknowledging outcome{read_ack_request(request.body, log.epoch(), wanted)};
    if (outcome.refusal) return outcome;
    const auto done = subscription.acknowledge(wanted.what, stored);
    json::array not_known = json::value_from(done.not_known).get_array();
    for (const std::string& id : wanted.other_epochs) not_known.emplace_back(id);
    outcome.done = {{"acknowledged", done.acknowledged}, {"rejected", done.rejected},
                    {"extended", done.extended},         {"not_known", std::move(not_known)},
                    {"position", done.cursor},           {"stored", durability_name(log.durability())}};
    return outcome;
}

}  // namespace

asio::awaitable<HttpReply> acknowledge_events(Services& services, HttpRequest& request) {
    SubscriptionTarget target = read_target(services, request);
    if (target.refusal) co_return std::move(*target.refusal);
    const std::string& name = target.key.name;
    const broker::DurableSubscriptionPtr subscription = find_subscription(services, target);
    if (subscription == nullptr) co_return no_such_subscription(name);
    if (subscription->state().options.ack == config::AckOption::none)
        co_return status_reply(409, "subscription \"" + name +
                                        "\" has the option ack: none, so its events are acknowledged when they are "
                                        "written to the consumer");
    if (!request.memory.resize(request.memory.bytes() + json_memory_max(request.body)))
        co_return memory_problem(broker::MemoryShortage::temporary);
    const auto stored = std::make_shared<StoredChange>(co_await asio::this_coro::executor);
    auto work = [&] { return acknowledge(request, *subscription, services.log, stored->callback()); };
    std::optional<Acknowledging> outcome;
    if (request.body.size() <= short_ack_bytes)
        outcome = work();
    else
        outcome =
            co_await run_on_worker(services.workers, request.address_use, worker_deadline(services.options.publish),
                                   std::move(work), nullptr, digest_estimate(request.body.size()));
    if (!outcome) co_return busy_problem("too many requests are waiting for a worker");
    if (outcome->refusal) co_return std::move(*outcome->refusal);
    const auto error = co_await stored->wait();
    co_return unless_failed(uncached_reply(200, json::serialize(outcome->done)), error);
}

}  // namespace sluice::server
