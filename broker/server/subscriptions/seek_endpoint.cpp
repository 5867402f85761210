// POST /v1/subscriptions/NAME/seek
#include <boost/asio/this_coro.hpp>
#include <boost/json/parse.hpp>
#include <memory>
#include <string>
#include <utility>

#include "broker/base/workers.hpp"
#include "broker/core/subscriptions/durable_subscriptions.hpp"
#include "broker/server/api/limits.hpp"
#include "broker/server/api/on_worker.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "broker/server/subscriptions/stored_change.hpp"
#include "broker/server/subscriptions/subscription_handlers.hpp"
#include "broker/server/subscriptions/subscription_requests.hpp"
#include "broker/server/subscriptions/subscription_start.hpp"
#include "broker/store/event_log.hpp"
#include "config/options.hpp"

namespace sluice::server {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

// What "to" says, as text; none: the body is something else.
std::optional<std::string> read_place(std::string_view body) {
    boost::system::error_code error;
    const json::value value = json::parse(body, error);
    if (error || !value.is_object() || value.get_object().size() != 1) return std::nullopt;
    const json::value* const to = value.get_object().if_contains("to");
    if (to == nullptr) return std::nullopt;
    if (to->is_string()) return std::string(to->get_string());
    if (to->is_int64() && to->get_int64() >= 0) return std::to_string(to->get_int64());
    if (to->is_uint64()) return std::to_string(to->get_uint64());
    return std::nullopt;
}

}  // namespace

asio::awaitable<HttpReply> seek_subscription(Services& services, HttpRequest& request) {
    SubscriptionTarget wanted = read_target(services, request);
    if (wanted.refusal) co_return std::move(*wanted.refusal);
    const broker::DurableSubscriptionPtr subscription = find_subscription(services, wanted);
    if (subscription == nullptr) co_return no_such_subscription(wanted.key.name);
    const auto place = read_place(request.body);
    if (!place)
        co_return status_reply(
            400,
            "the body must be a JSON object such as {\"to\": \"first\"}: now, first, an id, a time, or "
            "a duration such as 30min or 24h");
    config::SubscriptionOptions options = subscription->state().options;
    options.start = *place;
    auto find = [&] { return find_subscription_start(options, services.log); };
    auto start = co_await run_on_worker(services.workers, request.address_use,
                                        worker_deadline(services.options.publish), std::move(find));
    if (!start) co_return busy_problem("too many requests are waiting for a worker");
    if (start->refusal) co_return std::move(*start->refusal);
    const auto stored = std::make_shared<StoredChange>(co_await asio::this_coro::executor);
    subscription->seek(start->next, stored->callback());
    const auto error = co_await stored->wait();
    HttpReply reply = co_await show_subscription(services, request);
    co_return unless_failed(std::move(reply), error);
}

}  // namespace sluice::server
