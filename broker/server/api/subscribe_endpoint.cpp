// GET /v1/events
#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/parse.hpp>
#include <spdlog/fmt/fmt.h>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/base/workers.hpp"
#include "broker/core/delivery/mailboxes.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/core/replay/replay.hpp"
#include "broker/server/api/endpoints.hpp"
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

// A worker compiles the filters of a request for about so long, then those of others. Most take microseconds, those
// with regular expressions milliseconds.
constexpr std::chrono::milliseconds compile_piece{5};

using Clock = std::chrono::steady_clock;

// A parsed subscription request, or the reply that refuses it.
struct SubscribeRequest {
    std::string stream;  // "*": all
    std::vector<broker::Subscription> subscriptions;
    const broker::Framer* framer = nullptr;
    std::vector<std::string> filters;  // as they were given
    std::unique_ptr<const broker::Annotator> annotator;
    std::vector<std::pair<std::uint32_t, std::string>> computed;  // Subscriber::computed
    bool is_costly = false;                                       // Subscriber::is_costly
    ReplayStart start;
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

// Compiles the filters of a request one after another. The limits bound the work, not a clock, so a busy machine
// refuses nothing: the query is a part of the head, and has at most so many filters, literals and computed conditions.
class FilterCompiler {
public:
    FilterCompiler(const wire::Query& query, bool annotate, const Services& services, SubscribeRequest& wanted)
        : query_(query),
          annotate_(annotate),
          limits_(services.options.limits),
          stream_(wanted.stream == "*" ? "" : wanted.stream),
          wanted_(wanted) {
        wanted_.memory = services.memory.charge(base::MemoryUse::filters, subscriber_bytes);
    }

    std::size_t next_bytes() const { return next_ == query_.size() ? 0 : query_[next_].second.size(); }

    // Compiles at least one filter. Returns true when all are compiled, or the request is refused.
    bool compile_until(Clock::time_point enough) {
        do {
            while (next_ != query_.size() && query_[next_].first != "filter") ++next_;
            if (next_ == query_.size()) {
                finish();
                return true;
            }
            compile(query_[next_++].second);
        } while (!wanted_.refusal && Clock::now() < enough);
        return wanted_.refusal.has_value();
    }

private:
    bool charge(std::size_t bytes) {
        if (wanted_.memory && wanted_.memory.resize(bytes)) return true;
        wanted_.refusal = memory_problem(broker::MemoryShortage::temporary);
        return false;
    }

    void compile(const std::string& text) {
        const std::size_t number = wanted_.subscriptions.size();
        if (number == limits_.filters_per_connection) {
            wanted_.refusal = status_reply(400, "more filters than limits.filters_per_connection, " +
                                                    std::to_string(limits_.filters_per_connection));
            return;
        }
        if (!charge(wanted_.memory.bytes() + text.size() * syntax_times)) return;
        auto filter = filter::compile_filter(text, filter_limits(limits_));
        if (!filter) {
            wanted_.refusal = filter_problem(filter.error(), number);
            return;
        }
        add_notes(wanted_.notes, number, *filter);
        std::string canonical = std::move(filter->canonical);
        wanted_.subscriptions.push_back(broker::make_subscription(stream_, canonical, std::move(filter->disjunction)));
        const broker::Subscription& made = wanted_.subscriptions.back();
        for (const engine::Conjunction& conjunction : made.disjunction.conjunctions) literals_ += conjunction.size();
        operators_ += made.operators;
        if (literals_ > limits_.literals_per_connection || operators_ > limits_.operators_per_connection) {
            wanted_.refusal = too_many_conditions(literals_ > limits_.literals_per_connection, limits_);
            return;
        }
        wanted_.is_costly = wanted_.is_costly || made.operators != 0 || !made.scanned.empty();
        wanted_.filters.push_back(text);
        wanted_.kept += made.memory.kept + text.size();
        if (made.operators != 0) {
            wanted_.kept += canonical.size();
            wanted_.computed.emplace_back(static_cast<std::uint32_t>(number), std::move(canonical));
        }
        if (!charge(wanted_.memory.bytes() - text.size() * syntax_times + made.memory.while_added)) return;
        std::erase_if(filter->leaves, [](const filter::Leaf& leaf) { return !leaf.computed(); });
        leaves_.push_back(std::move(filter->leaves));
    }

    void finish() {
        annotate();
        if (!wanted_.notes.empty()) wanted_.notes += '\n';
        if (wanted_.subscriptions.empty())
            wanted_.subscriptions.push_back(broker::make_subscription(stream_, "", {{}, {engine::Conjunction{}}}));
    }

    // Formats other than JSON have no place for annotations.
    void annotate() {
        if (!wanted_.framer->format.is_object) return;
        auto annotator = std::make_unique<const broker::Annotator>(
            leaves_, annotate_ ? std::optional(limits_.alignment_cells) : std::nullopt);
        if (!annotator->is_idle()) wanted_.annotator = std::move(annotator);
    }

    const wire::Query& query_;
    const bool annotate_;
    const config::LimitOptions& limits_;
    const std::string stream_;  // empty: all
    SubscribeRequest& wanted_;
    std::size_t next_ = 0;                           // in the query
    std::vector<std::vector<filter::Leaf>> leaves_;  // those that an operator computes
    std::size_t literals_ = 0, operators_ = 0;
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

// Long or many filters and regular expressions take long to compile.
bool compiles_quickly(const wire::Query& query) {
    std::size_t bytes = 0;
    for (const auto& [name, value] : query) {
        bytes += value.size();
        if (value.find("matches") != std::string::npos) return false;
    }
    return bytes <= small_filter_bytes;
}

// Uses a worker for what takes long, piece by piece, so that the filters of others are compiled in between.
asio::awaitable<void> compile_filters(Services& services, const HttpRequest& request, SubscribeRequest& wanted) {
    const bool annotate = parameter(request.query, "annotate", "none") == "alignment";
    FilterCompiler compiler(request.query, annotate, services, wanted);
    if (compiles_quickly(request.query)) {
        compiler.compile_until(Clock::time_point::max());
        co_return;
    }
    for (bool done = false; !done;) {
        auto work = [&] { return services.draining || compiler.compile_until(Clock::now() + compile_piece); };
        const auto ended =
            co_await run_on_worker(services.compilers, request.address_use, worker_deadline(services.options.publish),
                                   std::move(work), request.departure, filter_estimate(compiler.next_bytes()));
        if (request.is_abandoned()) {
            wanted.refusal = abandoned_problem(services.counters);
        } else if (services.draining) {
            wanted.refusal = busy_problem("the daemon is shutting down");
        } else if (!ended) {
            wanted.refusal = busy_problem("too many filters are being compiled");
        }
        done = wanted.refusal || *ended;
    }
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
    if (!wanted.refusal) co_await compile_filters(services, request, wanted);
    if (wanted.refusal) co_return std::move(*wanted.refusal);
    if (services.draining) co_return busy_problem("the daemon is shutting down");
    const config::DeliveryOptions& delivery = services.options.delivery;
    if (wanted.start.reset_reason) broker::count(services.counters.resets[*wanted.start.reset_reason]);
    const auto wake_up = std::make_shared<EventStream::WakeUp>(co_await asio::this_coro::executor);
    broker::SubscriberMemory memory;
    memory.filters = std::move(wanted.memory);
    memory.mailbox = services.memory.charge(base::MemoryUse::mailboxes, 0);
    memory.mailboxes = &services.mailboxes;
    const bool replays = delivery.slow_consumer == config::SlowConsumer::replay;
    const auto subscriber = std::make_shared<broker::Subscriber>(
        broker::MailboxLimits{delivery.queue_events, delivery.queue_bytes, replays}, EventStream::waker(wake_up),
        *wanted.framer, wanted.subscriptions.size() > 1, std::move(wanted.annotator), std::move(memory));
    subscriber->computed = std::move(wanted.computed);
    subscriber->owner = request.address_use;
    subscriber->filters = std::move(wanted.filters);
    subscriber->is_costly = wanted.is_costly;
    subscriber->told_drops = wanted.start.told_drops;
    if (wanted.start.next_id) subscriber->mailbox.begin_replay(*wanted.start.next_id);
    if (wanted.stream != "*") {
        subscriber->stream = wanted.stream;
        subscriber->counts = services.counters.streams.of(wanted.stream);
    }
    broker::StreamHold hold = wanted.stream == "*"
                                  ? broker::StreamHold()
                                  : broker::StreamHold(services.publisher.streams(), std::move(wanted.stream));
    // Its destructor ends the subscription, whatever fails from here on.
    const EventStream::Context context{services.options, services.counters,    services.registry,     services.queue,
                                       services.replay,  services.log.epoch(), services.event_streams};
    const auto stream = std::make_shared<EventStream>(context, wake_up, subscriber, wanted.notes + wanted.start.reset,
                                                      std::move(place), std::move(hold));
    if (wanted.start.last_id) {  // it gets no live events
        subscriber->last_id = *wanted.start.last_id;
        subscriber->filter_memory.force_resize(subscriber_bytes + wanted.kept);
        co_return stream_reply(stream, delivery.heartbeat);
    }
    const broker::Admission admission =
        co_await add_subscriptions(services.registry, subscriber, std::move(wanted.subscriptions));
    if (admission != broker::Admission::admitted) co_return refuse(admission, limits);
    if (subscriber->not_added) co_return memory_problem(broker::MemoryShortage::temporary);
    subscriber->filter_memory.force_resize(subscriber_bytes + wanted.kept);
    co_return stream_reply(stream, delivery.heartbeat);
}

}  // namespace sluice::server
