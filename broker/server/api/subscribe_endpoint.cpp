// GET /v1/events
#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <spdlog/fmt/fmt.h>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/base/workers.hpp"
#include "broker/core/delivery/mailboxes.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/core/replay/replay.hpp"
#include "broker/server/api/endpoints.hpp"
#include "broker/server/api/filter_compiler.hpp"
#include "broker/server/api/limits.hpp"
#include "broker/server/api/on_worker.hpp"
#include "broker/server/api/problems.hpp"
#include "broker/server/api/replay_start.hpp"
#include "broker/server/http/parameters.hpp"
#include "broker/server/net/reserved_post.hpp"
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
    const broker::Framer* framer = nullptr;
    ReplayStart start;
    std::optional<HttpReply> refusal;
};

HttpReply needs_json(const std::string& what, const wire::Query& query) {
    return status_reply(400, what + " needs format=json: format=" + std::string(parameter(query, "format", "json")) +
                                 " is the item alone");
}

// What an event looks like.
void read_format(const wire::Query& query, const SseFramers& framers, SubscribeRequest& wanted) {
    const std::string_view format = parameter(query, "format", "json"), values = parameter(query, "values", "");
    const bool has_values = values == "all";
    if (format == "json")
        wanted.framer = &framers.json(has_values ? feed::JsonValues::all : feed::JsonValues::where_needed);
    else if (format == "xml")
        wanted.framer = &framers.xml();
    else if (format == "source")
        wanted.framer = &framers.source();
    else
        wanted.refusal = bad_parameter("format", format, "json, xml or source");
    if (wanted.refusal) return;
    const auto is_values = [](const auto& pair) { return pair.first == "values"; };
    if (std::none_of(query.begin(), query.end(), is_values)) return;
    if (!has_values)
        wanted.refusal = bad_parameter("values", values, "all");
    else if (!wanted.framer->format.is_object)
        wanted.refusal = needs_json("values=all", query);
}

// Everything except the filters and where it starts.
SubscribeRequest read_wanted(const Services& services, const HttpRequest& request) {
    SubscribeRequest wanted;
    wanted.refusal = refuse_unknown_parameters(
        request.query, {"stream", "format", "values", "annotate", "lastEventId", "after", "since", "from", "until"},
        "filter");
    if (wanted.refusal) return wanted;
    wanted.framer = &services.sse_framers->json();
    read_format(request.query, *services.sse_framers, wanted);
    const std::string stream(parameter(request.query, "stream", "default"));
    if (stream != "*" && !text::is_stream_name(stream)) {
        wanted.refusal = bad_parameter("stream", stream, "*, or " + std::string(text::stream_name_rule));
    }
    const std::string_view annotate = parameter(request.query, "annotate", "none");
    if (annotate != "none" && annotate != "alignment") {
        wanted.refusal = bad_parameter("annotate", annotate, "none or alignment");
    } else if (annotate == "alignment" && !wanted.framer->format.is_object && !wanted.refusal) {
        wanted.refusal = needs_json("annotate=alignment", request.query);
    }
    wanted.stream = stream;
    return wanted;
}

// To find a time, a log on disk may wait for it.
asio::awaitable<void> find_start(Services& services, const HttpRequest& request, SubscribeRequest& wanted) {
    auto find = [&] { return read_replay_start(request, wanted.stream, services.log); };
    if (services.log.durable_state() == nullptr || parameter(request.query, "since", "").empty()) {
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
            wanted.refusal = busy_problem("too many requests are waiting for the disk");
    }
    if (wanted.start.refusal) wanted.refusal = std::move(wanted.start.refusal);
}

// Formats other than JSON have no place for annotations.
Annotate annotations(const wire::Query& query, const SubscribeRequest& wanted) {
    if (!wanted.framer->format.is_object) return Annotate::nothing;
    return parameter(query, "annotate", "none") == "alignment" ? Annotate::alignments : Annotate::estimates;
}

std::vector<std::string> filters_of(const wire::Query& query) {
    std::vector<std::string> filters;
    for (const auto& [name, value] : query)
        if (name == "filter") filters.push_back(value);
    return filters;
}

// Lets the registry's thread wake the coroutine.
struct Admitted {
    explicit Admitted(const asio::any_io_executor& executor) : timer(executor, asio::steady_timer::time_point::max()) {}

    asio::steady_timer timer;
    bool done = false;  // used by the connection's thread only
    PostMemory post_memory;
};

// Resumes when the subscriptions are in place, or are not admitted.
asio::awaitable<broker::Admission> add_subscriptions(broker::SubscriptionRegistry& registry,
                                                     std::shared_ptr<broker::Subscriber> subscriber,
                                                     std::vector<broker::Subscription> subscriptions) {
    const auto admitted = std::make_shared<Admitted>(co_await asio::this_coro::executor);
    const auto tell = [admitted] {
        post_reserved(admitted->timer.get_executor(), admitted->post_memory, [admitted] {
            admitted->done = true;
            admitted->timer.cancel();
        });
    };
    const broker::Admission admission = registry.add(std::move(subscriber), std::move(subscriptions), tell);
    if (admission != broker::Admission::admitted) co_return admission;
    while (!admitted->done) co_await admitted->timer.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return admission;
}

HttpReply refuse(broker::Admission admission, const config::LimitOptions& limits) {
    if (admission == broker::Admission::too_many_operators)
        return busy_problem("with these filters, there would be more computed conditions than limits.operators, " +
                            std::to_string(limits.operators));
    return busy_problem("with these filters, there would be more subscriptions than limits.subscriptions, " +
                        std::to_string(limits.subscriptions));
}

// Sluice-Heartbeat says, in seconds, after how much silence a comment comes, so that clients notice that none does.
HttpReply stream_reply(std::shared_ptr<EventStream> stream, std::chrono::duration<double> heartbeat) {
    HttpReply reply;
    reply.content_type = "text/event-stream";
    reply.headers = {{"Cache-Control", "no-store"},
                     {"X-Accel-Buffering", "no"},
                     {"Sluice-Heartbeat", fmt::format("{:g}", heartbeat.count())}};
    reply.takeover = std::move(stream);
    return reply;
}

}  // namespace

asio::awaitable<HttpReply> subscribe_events(Services& services, HttpRequest& request) {
    const config::LimitOptions& limits = services.options.limits;
    if (services.draining) co_return busy_problem("the daemon is shutting down");
    CountedPlace place(services.subscribers, limits.subscribers);
    if (!place.got()) {
        co_return busy_problem("there are already limits.subscribers subscribers, " +
                               std::to_string(limits.subscribers));
    }
    SubscribeRequest wanted = read_wanted(services, request);
    if (!wanted.refusal) co_await find_start(services, request, wanted);
    if (wanted.refusal) co_return std::move(*wanted.refusal);
    const text::StreamSelection streams({&wanted.stream, 1});
    CompiledFilters compiled = co_await compile_filters(services, request, filters_of(request.query), streams,
                                                        annotations(request.query, wanted));
    if (compiled.refusal) co_return std::move(*compiled.refusal);
    if (services.draining) co_return busy_problem("the daemon is shutting down");
    const config::DeliveryOptions& delivery = services.options.delivery;
    if (wanted.start.reset_reason) broker::count(services.counters.resets[*wanted.start.reset_reason]);
    const auto wake_up = std::make_shared<EventStream::WakeUp>(co_await asio::this_coro::executor);
    broker::SubscriberMemory memory;
    memory.filters = std::move(compiled.memory);
    memory.mailbox = services.memory.charge(base::MemoryUse::mailboxes, 0);
    memory.mailboxes = &services.mailboxes;
    const bool replays = delivery.slow_consumer == config::SlowConsumer::replay;
    const auto subscriber = std::make_shared<broker::Subscriber>(
        broker::MailboxLimits{delivery.queue_events, delivery.queue_bytes, replays}, EventStream::waker(wake_up),
        *wanted.framer, compiled.subscriptions.size() > 1, std::move(compiled.annotator), std::move(memory));
    subscriber->computed = std::move(compiled.computed);
    subscriber->owner = request.address_use;
    subscriber->filters = std::move(compiled.filters);
    subscriber->is_costly = compiled.is_costly;
    subscriber->told_drops = wanted.start.told_drops;
    if (wanted.start.next_id) subscriber->mailbox.begin_replay(*wanted.start.next_id);
    subscriber->select(streams);
    if (!streams.is_all()) subscriber->counts = services.counters.streams.of(wanted.stream);
    broker::StreamHold hold = streams.is_all()
                                  ? broker::StreamHold()
                                  : broker::StreamHold(services.publisher.streams(), std::move(wanted.stream));
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
    const broker::Admission admission =
        co_await add_subscriptions(services.registry, subscriber, std::move(compiled.subscriptions));
    if (admission != broker::Admission::admitted) co_return refuse(admission, limits);
    if (subscriber->not_added) co_return memory_problem(broker::MemoryShortage::temporary);
    subscriber->filter_memory.force_resize(compiled.kept);
    co_return stream_reply(stream, delivery.heartbeat);
}

}  // namespace sluice::server
