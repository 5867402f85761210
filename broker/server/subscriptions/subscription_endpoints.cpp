// GET /v1/subscriptions, and GET, PUT, PATCH and DELETE /v1/subscriptions/NAME
#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <boost/json/serialize.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/auth/scope.hpp"
#include "broker/base/workers.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/core/subscriptions/durable_subscriptions.hpp"
#include "broker/core/subscriptions/subscription_lags.hpp"
#include "broker/server/api/filter_compiler.hpp"
#include "broker/server/api/limits.hpp"
#include "broker/server/api/on_worker.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "broker/server/http/parameters.hpp"
#include "broker/server/subscriptions/precondition.hpp"
#include "broker/server/subscriptions/stored_change.hpp"
#include "broker/server/subscriptions/subscription_handlers.hpp"
#include "broker/server/subscriptions/subscription_json.hpp"
#include "broker/server/subscriptions/subscription_requests.hpp"
#include "broker/server/subscriptions/subscription_start.hpp"
#include "broker/store/event_log.hpp"
#include "config/load.hpp"
#include "config/options.hpp"

namespace sluice::server {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t subscriptions_of_page = 100;
constexpr int attempts_max = 10;  // to change a subscription that others change meanwhile

const char* const no_worker = "too many requests are waiting for a worker";

json::object described(const broker::DurableSubscription::State& state, broker::SubscriptionLags& lags,
                       Services& services) {
    const broker::SubscriptionLag lag = lags.of(text::StreamSelection(state.options.streams), state.cursor);
    return subscription_json(state, lag, services.log);
}

// The subscription as it is now. Looks into the log, so a worker does it.
asio::awaitable<HttpReply> reply_of(Services& services, const HttpRequest& request,
                                    const broker::DurableSubscription& subscription, bool is_new) {
    auto work = [&] {
        const broker::DurableSubscription::State state = subscription.state();
        broker::SubscriptionLags lags(services.log, services.publisher.streams());
        json::object body = described(state, lags, services);
        if (is_new && services.log.durable_state() == nullptr)
            body["warning"] = "the store is in memory, so the subscription ends with the process";
        HttpReply reply = uncached_reply(is_new ? 201 : 200, json::serialize(body));
        reply.headers.emplace_back("ETag", etag_of(state.version));
        if (is_new) reply.headers.emplace_back("Location", "/v1/subscriptions/" + state.name);
        return reply;
    };
    auto reply = co_await run_on_worker(services.workers, request.address_use,
                                        worker_deadline(services.options.publish), std::move(work));
    if (!reply) co_return busy_problem(no_worker);
    co_return std::move(*reply);
}

// What PUT or PATCH makes of a subscription.
struct SubscriptionChange {
    config::SubscriptionOptions options;
    std::uint64_t version = 0;  // of what it changes; 0: there was none
    std::optional<HttpReply> refusal;
};

SubscriptionChange read_change(Services& services, const HttpRequest& request, const Precondition& precondition) {
    SubscriptionChange change;
    const std::string name(request.name);
    const bool is_patch = request.method == http::verb::patch;
    const broker::DurableSubscriptionPtr found = services.subscriptions.find(name);
    broker::DurableSubscription::State state;
    if (found != nullptr) state = found->state();
    change.version = state.version;
    if (!precondition.holds(change.version)) {
        change.refusal = failed_precondition(name, change.version);
        return change;
    }
    if (is_patch && found == nullptr) {
        change.refusal = no_such_subscription(name);
        return change;
    }
    if (is_patch) change.options = state.options;
    const auto errors = config::parse_subscription_options("body", request.body, change.options);
    if (!errors.empty())
        change.refusal = status_reply(400, to_string(errors.front()));
    else if (is_patch && change.options.start != state.options.start)
        change.refusal =
            status_reply(400, "start can't be changed; POST /v1/subscriptions/" + name + "/seek moves a subscription");
    else if (found != nullptr)
        change.options.start = state.options.start;
    return change;
}

// Parsing options takes some microseconds per byte, so a worker parses a long body.
asio::awaitable<SubscriptionChange> read_change_somewhere(Services& services, const HttpRequest& request,
                                                          const Precondition& precondition) {
    constexpr std::size_t short_options_bytes = 2u << 10;
    if (request.body.size() <= short_options_bytes) co_return read_change(services, request, precondition);
    auto work = [&] { return read_change(services, request, precondition); };
    auto change =
        co_await run_on_worker(services.workers, request.address_use, worker_deadline(services.options.publish),
                               std::move(work), nullptr, options_estimate(request.body.size()));
    if (change) co_return std::move(*change);
    SubscriptionChange none;
    none.refusal = busy_problem(no_worker);
    co_return none;
}

// Most events are read from the log, which may have kept an item without what is beside it.
std::optional<HttpReply> refuse_siblings(const CompiledFilters& compiled, const text::StreamSelection& streams,
                                         const broker::Streams& all) {
    if (!compiled.beside) return std::nullopt;
    for (const std::string& stream : streams.names()) {
        if (all.options(stream)->context == config::ContextOption::document) continue;
        return status_reply(400, "filter " + std::to_string(compiled.beside->filter) + " looks beside the item (" +
                                     compiled.beside->part + "), which stream \"" + stream +
                                     "\" need not keep: set its option context to document");
    }
    return std::nullopt;
}

// What became of an attempt to change a subscription.
struct DefineOutcome {
    std::optional<HttpReply> refusal{};
    broker::DurableSubscriptionPtr subscription{};  // null: another one has changed it
    bool is_new = false;
};

DefineOutcome define(Services& services, const std::string& name, const SubscriptionChange& change,
                     broker::Stored stored) {
    using Outcome = broker::DurableSubscriptions::Outcome;
    DefineOutcome result;
    broker::DurableSubscriptions::Definition definition;
    definition.options = change.options;
    definition.text = json::serialize(subscription_options_json(change.options));
    definition.expected = change.version;
    if (change.version == 0) {
        SubscriptionStart start = find_subscription_start(change.options, services.log);
        if (start.refusal) {
            result.refusal = std::move(start.refusal);
            return result;
        }
        definition.next = start.next;
        definition.told_drops = start.told_drops;
    }
    const auto defined = services.subscriptions.define(name, std::move(definition), std::move(stored));
    if (defined.outcome == Outcome::too_many)
        result.refusal = busy_problem("there are already limits.durable_subscriptions durable subscriptions, " +
                                      std::to_string(services.options.limits.durable_subscriptions));
    result.subscription = defined.subscription;
    result.is_new = defined.outcome == Outcome::added;
    return result;
}

// Serves PUT and PATCH. If others change the subscription meanwhile, begins again.
asio::awaitable<HttpReply> set_subscription(Services& services, HttpRequest& request) {
    if (auto refusal = refuse_subscription_request(request)) co_return std::move(*refusal);
    const std::string name(request.name);
    const Precondition precondition = read_precondition(request);
    if (precondition.refusal) co_return *precondition.refusal;
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        SubscriptionChange change = co_await read_change_somewhere(services, request, precondition);
        if (change.refusal) co_return std::move(*change.refusal);
        const text::StreamSelection streams(change.options.streams);
        CompiledFilters compiled = co_await compile_filters(services, request, change.options.filters,
                                                            auth::Scope(streams), Annotate::nothing);
        if (!compiled.refusal) compiled.refusal = refuse_siblings(compiled, streams, services.publisher.streams());
        if (compiled.refusal) co_return std::move(*compiled.refusal);
        const auto stored = std::make_shared<StoredChange>(co_await asio::this_coro::executor);
        auto work = [&] { return define(services, name, change, stored->callback()); };
        auto outcome = co_await run_on_worker(services.workers, request.address_use,
                                              worker_deadline(services.options.publish), std::move(work));
        if (!outcome) co_return busy_problem(no_worker);
        if (outcome->refusal) co_return std::move(*outcome->refusal);
        if (outcome->subscription == nullptr) continue;
        const auto error = co_await stored->wait();
        HttpReply reply = co_await reply_of(services, request, *outcome->subscription, outcome->is_new);
        co_return unless_failed(std::move(reply), error);
    }
    co_return busy_problem("subscription \"" + name + "\" is changed by others again and again");
}

// The subscriptions after `after` by name, and the URL of the next page if there are more, as JSON. Empty: the client
// has left.
std::string page_of_subscriptions(Services& services, const HttpRequest& request, const std::string& after) {
    const auto found = services.subscriptions.list(after, subscriptions_of_page + 1);
    const std::size_t shown = std::min(found.size(), subscriptions_of_page);
    json::array list;
    broker::SubscriptionLags lags(services.log, services.publisher.streams());
    for (std::size_t i = 0; i < shown; ++i) {
        if (request.is_abandoned()) return {};
        list.push_back(described(found[i]->state(), lags, services));
    }
    json::object page{{"subscriptions", std::move(list)}, {"total", services.subscriptions.size()}};
    if (found.size() > shown) page["next"] = "/v1/subscriptions?after=" + found[shown - 1]->name();
    return json::serialize(page);
}

}  // namespace

asio::awaitable<HttpReply> list_subscriptions(Services& services, HttpRequest& request) {
    if (auto refusal = refuse_unknown_parameters(request.query, {"after"})) co_return std::move(*refusal);
    const std::string after(parameter(request.query, "after", ""));
    auto work = [&] { return page_of_subscriptions(services, request, after); };
    auto page = co_await run_on_worker(services.workers, request.address_use, worker_deadline(services.options.publish),
                                       std::move(work), request.departure);
    if (!page) co_return busy_problem(no_worker);
    if (!request.memory.resize(page->size())) co_return memory_problem(broker::MemoryShortage::temporary);
    co_return uncached_reply(200, std::move(*page));
}

asio::awaitable<HttpReply> show_subscription(Services& services, HttpRequest& request) {
    if (auto refusal = refuse_subscription_request(request)) co_return std::move(*refusal);
    const std::string name(request.name);
    const broker::DurableSubscriptionPtr found = services.subscriptions.find(name);
    if (found == nullptr) co_return no_such_subscription(name);
    co_return co_await reply_of(services, request, *found, false);
}

asio::awaitable<HttpReply> put_subscription(Services& services, HttpRequest& request) {
    return set_subscription(services, request);
}

asio::awaitable<HttpReply> patch_subscription(Services& services, HttpRequest& request) {
    return set_subscription(services, request);
}

asio::awaitable<HttpReply> delete_subscription(Services& services, HttpRequest& request) {
    if (auto refusal = refuse_subscription_request(request)) co_return std::move(*refusal);
    const std::string name(request.name);
    const Precondition precondition = read_precondition(request);
    if (precondition.refusal) co_return *precondition.refusal;
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        const broker::DurableSubscriptionPtr found = services.subscriptions.find(name);
        const std::uint64_t version = found == nullptr ? 0 : found->state().version;
        if (!precondition.holds(version)) co_return failed_precondition(name, version);
        if (version == 0) co_return no_such_subscription(name);
        const auto stored = std::make_shared<StoredChange>(co_await asio::this_coro::executor);
        auto work = [&] { return services.subscriptions.erase(name, version, stored->callback()); };
        const auto erased = co_await run_on_worker(services.workers, request.address_use,
                                                   worker_deadline(services.options.publish), std::move(work));
        if (!erased) co_return busy_problem(no_worker);
        if (*erased != broker::DurableSubscriptions::Erased::done) continue;
        HttpReply reply;
        reply.status = 204;
        co_return unless_failed(std::move(reply), co_await stored->wait());
    }
    co_return busy_problem("subscription \"" + name + "\" is changed by others again and again");
}

}  // namespace sluice::server
