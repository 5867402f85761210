// GET /v1/events
#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/parse.hpp>
#include <spdlog/fmt/fmt.h>

#include "broker/base/memory_budget.hpp"
#include "broker/base/workers.hpp"
#include "broker/core/delivery/mailboxes.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/server/endpoints.hpp"
#include "broker/server/event_stream.hpp"
#include "broker/server/limits.hpp"
#include "broker/server/on_worker.hpp"
#include "broker/server/parameters.hpp"
#include "broker/server/problems.hpp"
#include "broker/server/reserved_post.hpp"
#include "broker/server/sse_renderer.hpp"
#include "config/load.hpp"
#include "config/options.hpp"
#include "config/units.hpp"
#include "protocol/filter/explain.hpp"
#include "protocol/filter/filter.hpp"
#include "protocol/text/stream_name.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

// Queries up to this size are compiled on the I/O thread, unless they have regular expressions.
constexpr std::size_t small_filter_bytes = 256;
constexpr std::size_t subscriber_bytes = 2'048;  // a subscriber with all its table entries, and its stream's coroutine
constexpr std::size_t syntax_times = 64;         // memory for compiling a filter, as a multiple of its text

// Limits the time for all filters of a request. Most take microseconds, those with regular expressions milliseconds.
constexpr std::chrono::seconds compile_time{1};
constexpr std::chrono::milliseconds compile_time_per_filter{4};  // for connections with very many filters

using Clock = std::chrono::steady_clock;

// A parsed subscription request, or the reply that refuses it.
struct SubscribeRequest {
    std::string stream;  // "*": all
    std::vector<broker::Subscription> subscriptions;
    const broker::Renderer* renderer = &sse_json_renderer();
    std::unique_ptr<const broker::Annotator> annotator;
    std::unique_ptr<const broker::Estimates> estimates;
    std::string notes;          // comments for the subscriber: hints, and leaves that no index decides
    base::MemoryCharge memory;  // while the filters are compiled and added
    std::size_t kept = 0;       // bytes of the filters and of what the engine compiles from them, afterwards
    std::optional<HttpReply> refusal;
};

// Adds a comment line about a filter, without line feeds.
void add_note(std::string& notes, std::size_t filter, std::string text) {
    constexpr std::size_t notes_bytes_max = 16u << 10;
    if (notes.size() > notes_bytes_max) return;
    for (char& c : text) c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    notes += ": filter " + std::to_string(filter) + ": " + text + "\n";
}

void add_notes(std::string& notes, std::size_t number, const filter::Filter& filter) {
    constexpr std::size_t leaf_bytes_max = 200;
    for (const filter::Hint& hint : filter.hints)
        add_note(notes, number,
                 "hint: " + std::to_string(hint.line) + ":" + std::to_string(hint.column) + ": " + hint.message);
    for (const filter::Leaf& leaf : filter.leaves) {
        if (leaf.indexed) continue;
        add_note(notes, number, text::shortened_utf8(leaf.text, leaf_bytes_max) + " is " + filter::how_decided(leaf));
    }
}

HttpReply too_many_conditions(bool literals, const config::LimitOptions& limits) {
    if (literals)
        return status_reply(413, "the filters have more literals in normal form than limits.literals_per_connection, " +
                                     std::to_string(limits.literals_per_connection));
    return status_reply(413, "the filters have more computed conditions than limits.operators_per_connection, " +
                                 std::to_string(limits.operators_per_connection));
}

void read_filters(const wire::Query& query, const std::string& stream, bool annotate, const Services& services,
                  SubscribeRequest& wanted) {
    const config::LimitOptions& limits = services.options.limits;
    wanted.memory = services.memory.charge(base::MemoryUse::filters, subscriber_bytes);
    std::vector<std::vector<filter::Leaf>> leaves;
    std::size_t literals = 0, operators = 0;
    const std::chrono::milliseconds compile_time_max =
        std::max<std::chrono::milliseconds>(compile_time, limits.filters_per_connection * compile_time_per_filter);
    const auto deadline = Clock::now() + compile_time_max;
    for (const auto& [name, text] : query) {
        if (name != "filter") continue;
        if (wanted.subscriptions.size() == limits.filters_per_connection) {
            wanted.refusal = status_reply(400, "more filters than limits.filters_per_connection, " +
                                                   std::to_string(limits.filters_per_connection));
            return;
        }
        if (!wanted.memory || !wanted.memory.resize(wanted.memory.bytes() + text.size() * syntax_times)) {
            wanted.refusal = memory_problem(broker::MemoryShortage::temporary);
            return;
        }
        if (services.ending || Clock::now() > deadline) {
            wanted.refusal =
                status_reply(413, "compiling the filters takes more than " + config::duration_text(compile_time_max));
            return;
        }
        auto filter = filter::compile_filter(text, filter_limits(limits));
        if (!filter) {
            wanted.refusal = filter_problem(filter.error(), wanted.subscriptions.size());
            return;
        }
        add_notes(wanted.notes, wanted.subscriptions.size(), *filter);
        wanted.subscriptions.push_back(
            broker::make_subscription(stream, filter->canonical, std::move(filter->conjunctions)));
        const broker::Subscription& made = wanted.subscriptions.back();
        for (const engine::Conjunction& conjunction : made.conjunctions) literals += conjunction.size();
        operators += made.operators;
        if (literals > limits.literals_per_connection || operators > limits.operators_per_connection) {
            wanted.refusal = too_many_conditions(literals > limits.literals_per_connection, limits);
            return;
        }
        const broker::SubscriptionMemory memory = broker::memory_of(made);
        wanted.kept += memory.kept;
        if (!wanted.memory.resize(wanted.memory.bytes() - text.size() * syntax_times + memory.while_added)) {
            wanted.refusal = memory_problem(broker::MemoryShortage::temporary);
            return;
        }
        leaves.push_back(std::move(filter->leaves));
    }
    // The item as XML has no place for it.
    if (wanted.renderer == &sse_json_renderer()) wanted.estimates = broker::Estimates::make(leaves);
    if (annotate) wanted.annotator = std::make_unique<const broker::Annotator>(leaves, limits.alignment_cells);
    if (!wanted.notes.empty()) wanted.notes += '\n';
    if (wanted.subscriptions.empty())
        wanted.subscriptions.push_back(broker::make_subscription(stream, "", {engine::Conjunction{}}));
}

SubscribeRequest read_wanted(const HttpRequest& request, const Services& services) {
    SubscribeRequest wanted;
    wanted.refusal = refuse_unknown_parameters(request.query, {"stream", "format", "annotate"}, "filter");
    if (wanted.refusal) return wanted;
    const std::string_view format = parameter(request.query, "format", "json");
    if (format != "json" && format != "xml") wanted.refusal = bad_parameter("format", format, "json or xml");
    if (format == "xml") wanted.renderer = &sse_xml_renderer();
    const std::string stream(parameter(request.query, "stream", "default"));
    if (stream != "*" && !text::is_stream_name(stream)) {
        wanted.refusal = bad_parameter("stream", stream, "*, or " + std::string(text::stream_name_rule));
    }
    const std::string_view annotate = parameter(request.query, "annotate", "none");
    if (annotate != "none" && annotate != "alignment") {
        wanted.refusal = bad_parameter("annotate", annotate, "none or alignment");
    } else if (annotate == "alignment" && format == "xml") {
        wanted.refusal = status_reply(400, "annotate=alignment needs format=json: format=xml is the item alone");
    }
    wanted.stream = stream;
    if (!wanted.refusal)
        read_filters(request.query, stream == "*" ? "" : stream, annotate == "alignment", services, wanted);
    return wanted;
}

// Uses a worker for long or many filters and regular expressions, which take long to compile.
asio::awaitable<SubscribeRequest> read_wanted_anywhere(Services& services, const HttpRequest& request) {
    std::size_t bytes = 0;
    bool is_quick = true;
    for (const auto& [name, value] : request.query) {
        bytes += value.size();
        is_quick = is_quick && value.find("matches") == std::string::npos;
    }
    if (is_quick && bytes <= small_filter_bytes) co_return read_wanted(request, services);
    auto work = [&] { return read_wanted(request, services); };
    auto wanted = co_await run_on_worker(services.compilers, request.address_use,
                                         worker_deadline(services.options.publish), std::move(work));
    if (wanted) co_return std::move(*wanted);
    SubscribeRequest refused;
    refused.refusal = busy_problem("too many filters are being compiled");
    co_return refused;
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
    SubscribeRequest wanted = co_await read_wanted_anywhere(services, request);
    if (wanted.refusal) co_return std::move(*wanted.refusal);
    if (services.draining) co_return busy_problem("the daemon is shutting down");
    const config::DeliveryOptions& delivery = services.options.delivery;
    const auto wake_up = std::make_shared<EventStream::WakeUp>(co_await asio::this_coro::executor);
    broker::SubscriberMemory memory;
    memory.filters = std::move(wanted.memory);
    memory.mailbox = services.memory.charge(base::MemoryUse::mailboxes, 0);
    memory.mailboxes = &services.mailboxes;
    const auto subscriber = std::make_shared<broker::Subscriber>(
        broker::MailboxLimits{delivery.queue_events, delivery.queue_bytes}, EventStream::waker(wake_up),
        *wanted.renderer, wanted.subscriptions.size() > 1, std::move(wanted.annotator), std::move(memory));
    subscriber->estimates = std::move(wanted.estimates);
    if (wanted.stream != "*") subscriber->stream = wanted.stream;
    broker::StreamHold hold = wanted.stream == "*"
                                  ? broker::StreamHold()
                                  : broker::StreamHold(services.publisher.streams(), std::move(wanted.stream));
    // Its destructor ends the subscription, whatever fails from here on.
    const auto stream = std::make_shared<EventStream>(services, wake_up, subscriber, std::move(wanted.notes),
                                                      std::move(place), std::move(hold));
    const broker::Admission admission =
        co_await add_subscriptions(services.registry, subscriber, std::move(wanted.subscriptions));
    if (admission != broker::Admission::admitted) co_return refuse(admission, limits);
    if (subscriber->not_added) co_return memory_problem(broker::MemoryShortage::temporary);
    subscriber->filter_memory.force_resize(subscriber_bytes + wanted.kept);
    co_return stream_reply(stream, delivery.heartbeat);
}

}  // namespace sluice::server
