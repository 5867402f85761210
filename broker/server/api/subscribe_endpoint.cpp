// GET /v1/events
#include <boost/asio/this_coro.hpp>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/base/workers.hpp"
#include "broker/core/delivery/mailboxes.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/core/replay/replay.hpp"
#include "broker/server/api/add_subscriptions.hpp"
#include "broker/server/api/event_format.hpp"
#include "broker/server/api/filter_compiler.hpp"
#include "broker/server/api/handlers.hpp"
#include "broker/server/api/limits.hpp"
#include "broker/server/api/on_worker.hpp"
#include "broker/server/api/problems.hpp"
#include "broker/server/api/replay_start.hpp"
#include "broker/server/http/parameters.hpp"
#include "broker/server/http/permission.hpp"
#include "broker/server/sse/event_stream.hpp"
#include "broker/server/sse/sse_framer.hpp"
#include "config/load.hpp"
#include "config/options.hpp"
#include "protocol/text/stream_name.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

// A parsed subscription request without its filters, or the reply that refuses it.
struct SubscribeRequest {
    std::string stream;  // "*": all
    WantedFormat format;
    ReplayStart start;
    std::optional<HttpReply> refusal;
};

// Everything except the filters and where it starts.
SubscribeRequest read_wanted(const Services& services, const HttpRequest& request) {
    SubscribeRequest wanted;
    wanted.refusal = refuse_unknown_parameters(
        request.query, {"stream", "format", "values", "annotate", "lastEventId", "after", "since", "from", "until"},
        "filter");
    if (wanted.refusal) return wanted;
    wanted.format = read_format(request.query, *services.sse_framers);
    wanted.refusal = wanted.format.refusal;
    const std::string stream(parameter(request.query, "stream", "default"));
    if (stream != "*" && !text::is_stream_name(stream))
        wanted.refusal = bad_parameter("stream", stream, "*, or " + std::string(text::stream_name_rule));
    wanted.stream = stream;
    return wanted;
}

// To find a time, a log on disk may wait for it. Prefixes are compared with the names of all of the log's streams.
bool takes_long(const Services& services, const HttpRequest& request, const auth::Scope& scope) {
    const auto has = [&request](const char* name) { return !parameter(request.query, name, "").empty(); };
    if (has("since") && services.log.durable_state() != nullptr) return true;
    return !scope.streams().prefixes().empty() &&
           (has("lastEventId") || has("after") || has("since") || has("from") || has("until") ||
            request.headers->find("Last-Event-ID") != request.headers->end());
}

asio::awaitable<void> find_start(Services& services, const HttpRequest& request, const auth::Scope& scope,
                                 SubscribeRequest& wanted) {
    auto find = [&] { return read_replay_start(request, wanted.stream, scope.streams(), services.log); };
    if (!takes_long(services, request, scope)) {
        wanted.start = find();
    } else {
        auto found =
            co_await run_on_worker(services.workers, request.address_use, worker_deadline(services.options.publish),
                                   std::move(find), request.departure, look_up_estimate(1));
        if (found)
            wanted.start = std::move(*found);
        else if (request.is_abandoned())
            wanted.refusal = abandoned_problem(services.counters);
        else
            wanted.refusal = busy_problem("too many requests are waiting for a worker");
    }
    if (wanted.start.refusal) wanted.refusal = std::move(wanted.start.refusal);
}

std::vector<std::string> filters_of(const wire::Query& query) {
    std::vector<std::string> filters;
    for (const auto& [name, value] : query)
        if (name == "filter") filters.push_back(value);
    return filters;
}

}  // namespace

asio::awaitable<HttpReply> subscribe_events(Services& services, HttpRequest& request) {
    const config::LimitOptions& limits = services.options.limits;
    if (services.draining) co_return busy_problem("the broker is shutting down");
    CountedPlace place(services.subscribers, limits.subscribers);
    if (!place.got()) {
        co_return busy_problem("there are already limits.subscribers subscribers, " +
                               std::to_string(limits.subscribers));
    }
    SubscribeRequest wanted = read_wanted(services, request);
    if (wanted.refusal) co_return std::move(*wanted.refusal);
    // First of all, since where it starts tells of what the log has.
    const auth::Scope scope(text::StreamSelection({&wanted.stream, 1}), request.principal->account->rights);
    if (scope.is_empty()) co_return forbidden(*request.principal, "subscribe to stream \"" + wanted.stream + "\"");
    co_await find_start(services, request, scope, wanted);
    if (wanted.refusal) co_return std::move(*wanted.refusal);
    CompiledFilters compiled =
        co_await compile_filters(services, request, filters_of(request.query), scope, annotations_of(wanted.format));
    if (compiled.refusal) co_return std::move(*compiled.refusal);
    if (services.draining) co_return busy_problem("the broker is shutting down");
    const config::DeliveryOptions& delivery = services.options.delivery;
    if (wanted.start.reset_reason) broker::count(services.counters.resets[*wanted.start.reset_reason]);
    const auto wake_up = std::make_shared<WakeUp>(co_await asio::this_coro::executor);
    broker::SubscriberMemory memory;
    memory.filters = std::move(compiled.memory);
    memory.mailbox = services.memory.charge(base::MemoryUse::mailboxes, 0);
    memory.mailboxes = &services.mailboxes;
    const bool replays = delivery.slow_consumer == config::SlowConsumer::replay;
    const auto subscriber = std::make_shared<broker::Subscriber>(
        broker::MailboxLimits{delivery.queue_events, delivery.queue_bytes, replays}, waker(wake_up),
        *wanted.format.framer, compiled.subscriptions.size() > 1, std::move(compiled.annotator), std::move(memory));
    subscriber->computed = std::move(compiled.computed);
    subscriber->owner = request.address_use;
    subscriber->filters = std::move(compiled.filters);
    subscriber->is_costly = compiled.is_costly;
    compiled.kept += wanted.start.known.ids.size() * sizeof(std::uint64_t);
    subscriber->told_drops = wanted.start.known.drops;
    subscriber->told_dropped = std::move(wanted.start.known.ids);
    subscriber->told_forgotten = wanted.start.known.forgotten;
    if (wanted.start.next_id) subscriber->mailbox.begin_replay(*wanted.start.next_id);
    subscriber->select(scope);
    const std::string& stream_name = subscriber->stream;
    if (!stream_name.empty()) subscriber->counts = services.counters.streams.of(stream_name);
    broker::StreamHold hold =
        stream_name.empty() ? broker::StreamHold() : broker::StreamHold(services.publisher.streams(), stream_name);
    // Its destructor ends the subscription, whatever fails from here on.
    const EventStream::Context context{services.options, services.counters,    services.registry,     services.queue,
                                       services.replay,  services.log.epoch(), services.event_streams};
    const auto stream = std::make_shared<EventStream>(context, wake_up, subscriber, compiled.notes + wanted.start.reset,
                                                      std::move(place), std::move(hold));
    if (wanted.start.last_id) {  // it gets no live events
        subscriber->last_id = *wanted.start.last_id;
        subscriber->filter_memory.force_resize(compiled.kept);
        co_return stream_reply(stream, delivery.heartbeat);
    }
    if (auto refusal = co_await add_subscriptions(services, subscriber, std::move(compiled.subscriptions)))
        co_return std::move(*refusal);
    subscriber->filter_memory.force_resize(compiled.kept);
    co_return stream_reply(stream, delivery.heartbeat);
}

}  // namespace sluice::server
