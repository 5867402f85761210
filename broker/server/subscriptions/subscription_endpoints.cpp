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
#include "broker/server/http/permission.hpp"
#include "broker/server/subscriptions/owner_rights.hpp"
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

// As `viewer` may see it.
json::object described(const broker::DurableSubscription::State& state, const auth::User& viewer,
                       const auth::User& account, broker::SubscriptionLags& lags, Services& services) {
    const auth::Scope scope = subscription_scope(state.options, account);
    std::optional<broker::SubscriptionLag> lag;
    if (!scope.is_empty() && may_see_lag(scope, viewer)) lag = lags.of(scope.streams(), state.cursor);
    return subscription_json(state, lag, services.log);
}

// The subscription as it is now. Looks into the log, so a worker does it.
asio::awaitable<HttpReply> reply_of(Services& services, const HttpRequest& request, const SubscriptionTarget& target,
                                    const broker::DurableSubscription& subscription, bool is_new) {
    auto work = [&] {
        const broker::DurableSubscription::State state = subscription.state();
        if (!may_use(target.key.owner, text::StreamSelection(state.options.streams), *target.owner.account))
            return no_such_subscription(target.key.name);  // it has changed meanwhile
        broker::SubscriptionLags lags(services.log, services.publisher.streams());
        json::object body = described(state, *request.principal->account, *target.owner.account, lags, services);
        if (is_new && services.log.durable_state() == nullptr)
            body["warning"] = "the store is in memory, so the subscription ends with the process";
        HttpReply reply = uncached_reply(is_new ? 201 : 200, json::serialize(body));
        reply.headers.emplace_back("ETag", etag_of(state.version));
        if (is_new) reply.headers.emplace_back("Location", target.path());
        return reply;
    };
    auto reply = co_await run_on_worker(services.workers, request.address_use,
                                        worker_deadline(services.options.publish), std::move(work));
    if (!reply) co_return busy_problem(no_worker);
    co_return std::move(*reply);
}

// What a request that is to change a subscription finds.
struct KnownSubscription {
    broker::DurableSubscription::State state{};  // version 0: there is none
    bool is_hidden = false;                      // there is one of this name, of which the request is to learn nothing
};

KnownSubscription look_up(const Services& services, const SubscriptionTarget& target) {
    KnownSubscription known;
    const broker::DurableSubscriptionPtr found = services.subscriptions.find(target.key);
    if (found == nullptr) return known;
    broker::DurableSubscription::State state = found->state();
    const text::StreamSelection streams(state.options.streams);
    known.is_hidden = !may_use(target.key.owner, streams, *target.owner.account);
    if (!known.is_hidden) known.state = std::move(state);
    return known;
}

// What PUT or PATCH makes of a subscription.
struct SubscriptionChange {
    config::SubscriptionOptions options;
    std::uint64_t version = 0;  // of what it changes; 0: there was none
    bool is_hidden = false;     // as in KnownSubscription
    std::optional<HttpReply> refusal;
};

SubscriptionChange read_change(Services& services, const HttpRequest& request, const SubscriptionTarget& target,
                               const Precondition& precondition) {
    SubscriptionChange change;
    const std::string& name = target.key.name;
    const bool is_patch = request.method == http::verb::patch;
    const auto [state, is_hidden] = look_up(services, target);
    change.version = state.version;
    change.is_hidden = is_hidden;
    if (!precondition.holds(change.version)) {
        change.refusal = failed_precondition(name, change.version);
        return change;
    }
    if (is_patch && change.version == 0) {
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
    else if (change.version != 0)
        change.options.start = state.options.start;
    return change;
}

// Parsing options takes some microseconds per byte, so a worker parses a long body.
asio::awaitable<SubscriptionChange> read_change_somewhere(Services& services, const HttpRequest& request,
                                                          const SubscriptionTarget& target,
                                                          const Precondition& precondition) {
    constexpr std::size_t short_options_bytes = 2u << 10;
    if (request.body.size() <= short_options_bytes) co_return read_change(services, request, target, precondition);
    auto work = [&] { return read_change(services, request, target, precondition); };
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

DefineOutcome define(Services& services, const broker::SubscriptionKey& key, const SubscriptionChange& change,
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
    const auto defined = services.subscriptions.define(key, std::move(definition), std::move(stored));
    if (defined.outcome == Outcome::too_many)
        result.refusal = busy_problem("there are already limits.durable_subscriptions durable subscriptions, " +
                                      std::to_string(services.options.limits.durable_subscriptions));
    result.subscription = defined.subscription;
    result.is_new = defined.outcome == Outcome::added;
    return result;
}

// Serves PUT and PATCH. If others change the subscription meanwhile, begins again.
asio::awaitable<HttpReply> set_subscription(Services& services, HttpRequest& request) {
    SubscriptionTarget target = read_target(services, request);
    if (target.refusal) co_return std::move(*target.refusal);
    const std::string& name = target.key.name;
    const Precondition precondition = read_precondition(request);
    if (precondition.refusal) co_return *precondition.refusal;
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        SubscriptionChange change = co_await read_change_somewhere(services, request, target, precondition);
        if (change.refusal) co_return std::move(*change.refusal);
        const auth::User& account = *target.owner.account;
        const auth::Scope scope = subscription_scope(change.options, account);
        if (auto refusal = refuse_definition(change.options, scope, target.key.owner, account))
            co_return std::move(*refusal);
        if (change.is_hidden) co_return forbidden(*request.principal, "define subscription \"" + name + "\"");
        CompiledFilters compiled =
            co_await compile_filters(services, request, change.options.filters, scope, Annotate::nothing);
        if (!compiled.refusal)
            compiled.refusal = refuse_siblings(compiled, scope.streams(), services.publisher.streams());
        if (compiled.refusal) co_return std::move(*compiled.refusal);
        const auto stored = std::make_shared<StoredChange>(co_await asio::this_coro::executor);
        auto work = [&] { return define(services, target.key, change, stored->callback()); };
        auto outcome = co_await run_on_worker(services.workers, request.address_use,
                                              worker_deadline(services.options.publish), std::move(work));
        if (!outcome) co_return busy_problem(no_worker);
        if (outcome->refusal) co_return std::move(*outcome->refusal);
        if (outcome->subscription == nullptr) continue;
        const auto error = co_await stored->wait();
        HttpReply reply = co_await reply_of(services, request, target, *outcome->subscription, outcome->is_new);
        co_return unless_failed(std::move(reply), error);
    }
    co_return busy_problem("subscription \"" + name + "\" is changed by others again and again");
}

// Whose subscriptions are listed, and behind which one.
struct WantedList {
    SubscriptionOwner owner{};
    bool is_of_all = false;
    bool names_owner = false;  // as the request does
    broker::SubscriptionKey after{};
    std::optional<HttpReply> refusal{};
};

WantedList read_wanted_list(const Services& services, const HttpRequest& request) {
    WantedList wanted;
    wanted.refusal = refuse_unknown_parameters(request.query, {"after", "owner"});
    if (wanted.refusal) return wanted;
    const std::string_view owner = parameter(request.query, "owner", ""), after = parameter(request.query, "after", "");
    wanted.is_of_all = owner == "*";
    if (!wanted.is_of_all) {
        wanted.owner = read_owner(services, request);
        wanted.refusal = std::move(wanted.owner.refusal);
        wanted.names_owner = std::any_of(request.query.begin(), request.query.end(),
                                         [](const auto& pair) { return pair.first == "owner"; });
        wanted.after = {wanted.owner.name, std::string(after)};
        return wanted;
    }
    if (!request.principal->account->rights.operate)
        wanted.refusal = forbidden(*request.principal, "use the subscriptions of others");
    const std::size_t slash = after.find('/');
    if (slash != std::string_view::npos)
        wanted.after = {std::string(after.substr(0, slash)), std::string(after.substr(slash + 1))};
    else if (!wanted.refusal && !after.empty())
        wanted.refusal = bad_parameter("after", after, "OWNER/NAME, as with owner=* the member next has it");
    return wanted;
}

std::string next_page(const WantedList& wanted, const broker::SubscriptionKey& last) {
    const std::string path = "/v1/subscriptions?";
    if (wanted.is_of_all) return path + "owner=*&after=" + last.owner + '/' + last.name;
    return path + (wanted.names_owner ? "owner=" + last.owner + '&' : "") + "after=" + last.name;
}

struct FoundSubscriptions {
    std::vector<broker::DurableSubscriptionPtr> some;  // behind wanted.after, one more than a page has if there are
    std::size_t total;
};

FoundSubscriptions find_wanted(const broker::DurableSubscriptions& all, const WantedList& wanted,
                               const auth::User& viewer) {
    constexpr std::size_t most = subscriptions_of_page + 1;
    const std::string& owner = wanted.owner.name;
    if (wanted.is_of_all) return {all.list(wanted.after, most), all.size()};
    if (!owner.empty() || viewer.rights.operate)
        return {all.list_of_owner(wanted.after, most), all.size_of_owner(owner)};
    auto known = all.list_of_owner({}, all.size());
    std::erase_if(known, [&](const auto& each) { return !may_use(owner, *each->figures().streams, viewer); });
    const std::size_t total = known.size();
    std::erase_if(known, [&](const auto& each) { return !(wanted.after < each->key()); });
    return {std::move(known), total};
}

// Those behind wanted.after by owner and name, and the URL of the next page if there are more, as JSON. Empty: the
// client has left.
std::string page_of_subscriptions(Services& services, const HttpRequest& request, const WantedList& wanted) {
    const auth::UserPtr& viewer = request.principal->account;
    const auto [found, total] = find_wanted(services.subscriptions, wanted, *viewer);
    const std::size_t shown = std::min(found.size(), subscriptions_of_page);
    json::array list;
    broker::SubscriptionLags lags(services.log, services.publisher.streams());
    for (std::size_t i = 0; i < shown; ++i) {
        if (request.is_abandoned()) return {};
        const std::string& owner = found[i]->owner();
        const auth::UserPtr account = owner.empty() ? viewer : services.find_user(owner);
        const broker::DurableSubscription::State state = found[i]->state();
        if (!may_use(owner, text::StreamSelection(state.options.streams), *viewer)) continue;  // it has just changed
        list.push_back(described(state, *viewer, *account, lags, services));
    }
    json::object page{{"subscriptions", std::move(list)}, {"total", total}};
    if (found.size() > shown) page["next"] = next_page(wanted, found[shown - 1]->key());
    return json::serialize(page);
}

}  // namespace

asio::awaitable<HttpReply> list_subscriptions(Services& services, HttpRequest& request) {
    WantedList wanted = read_wanted_list(services, request);
    if (wanted.refusal) co_return std::move(*wanted.refusal);
    auto work = [&] { return page_of_subscriptions(services, request, wanted); };
    auto page = co_await run_on_worker(services.workers, request.address_use, worker_deadline(services.options.publish),
                                       std::move(work), request.departure);
    if (!page) co_return busy_problem(no_worker);
    if (!request.memory.resize(page->size())) co_return memory_problem(broker::MemoryShortage::temporary);
    co_return uncached_reply(200, std::move(*page));
}

asio::awaitable<HttpReply> show_subscription(Services& services, HttpRequest& request) {
    SubscriptionTarget target = read_target(services, request);
    if (target.refusal) co_return std::move(*target.refusal);
    const broker::DurableSubscriptionPtr found = find_subscription(services, target);
    if (found == nullptr) co_return no_such_subscription(target.key.name);
    co_return co_await reply_of(services, request, target, *found, false);
}

asio::awaitable<HttpReply> put_subscription(Services& services, HttpRequest& request) {
    return set_subscription(services, request);
}

asio::awaitable<HttpReply> patch_subscription(Services& services, HttpRequest& request) {
    return set_subscription(services, request);
}

asio::awaitable<HttpReply> delete_subscription(Services& services, HttpRequest& request) {
    SubscriptionTarget target = read_target(services, request);
    if (target.refusal) co_return std::move(*target.refusal);
    const std::string& name = target.key.name;
    const Precondition precondition = read_precondition(request);
    if (precondition.refusal) co_return *precondition.refusal;
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        const std::uint64_t version = look_up(services, target).state.version;
        if (!precondition.holds(version)) co_return failed_precondition(name, version);
        if (version == 0) co_return no_such_subscription(name);
        const auto stored = std::make_shared<StoredChange>(co_await asio::this_coro::executor);
        auto work = [&] { return services.subscriptions.erase(target.key, version, stored->callback()); };
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
