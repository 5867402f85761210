// GET /v1/events
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/parse.hpp>

#include "broker/net/endpoints.hpp"
#include "broker/net/event_stream.hpp"
#include "broker/net/limits.hpp"
#include "broker/net/parameters.hpp"
#include "broker/net/problems.hpp"
#include "config/load.hpp"
#include "protocol/filter/explain.hpp"
#include "protocol/filter/filter.hpp"

namespace sluice {

namespace asio = boost::asio;

namespace {

// What is asked for, or the reply that refuses it.
struct Wish {
    std::vector<Subscription> subscriptions;
    EventFormat format = EventFormat::json;
    std::unique_ptr<const Annotator> annotator;
    std::string notes;  // of the leaves that no index decides, for the subscriber to read
    std::optional<HttpReply> refusal;
};

// A line of a comment: no line feeds, and not too long.
void add_note(std::string& notes, std::size_t filter, const Leaf& leaf) {
    constexpr std::size_t leaf_bytes_max = 200, notes_bytes_max = 16u << 10;
    if (notes.size() > notes_bytes_max) return;
    std::string text = leaf.text.size() <= leaf_bytes_max ? leaf.text : leaf.text.substr(0, leaf_bytes_max) + "…";
    for (char& c : text) c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    notes += ": filter " + std::to_string(filter) + ": " + text + " is " + way_of(leaf) + "\n";
}

void read_filters(const Query& query, const std::string& stream, bool annotate, const LimitOptions& limits,
                  Wish& wish) {
    std::vector<std::vector<Leaf>> leaves;
    for (const auto& [name, text] : query) {
        if (name != "filter") continue;
        if (wish.subscriptions.size() == limits.filters_per_connection) {
            wish.refusal = status_reply(400, "more filters than limits.filters_per_connection, " +
                                                 std::to_string(limits.filters_per_connection));
            return;
        }
        auto filter = compile_filter(text, filter_limits(limits));
        if (!filter) {
            wish.refusal = filter_problem(filter.error(), wish.subscriptions.size());
            return;
        }
        for (const Leaf& leaf : filter->leaves)
            if (!leaf.indexed) add_note(wish.notes, wish.subscriptions.size(), leaf);
        wish.subscriptions.push_back(make_subscription(stream, filter->canonical, std::move(filter->conjunctions)));
        if (annotate) leaves.push_back(std::move(filter->leaves));
    }
    if (annotate) wish.annotator = std::make_unique<const Annotator>(leaves, limits.alignment_cells);
    if (!wish.notes.empty()) wish.notes += '\n';
    if (wish.subscriptions.empty()) wish.subscriptions.push_back(make_subscription(stream, "", {Conjunction{}}));
}

Wish read_wish(const HttpRequest& request, const LimitOptions& limits) {
    Wish wish;
    wish.refusal = refuse_unknown_parameters(request.query, {"stream", "format", "annotate"}, "filter");
    if (wish.refusal) return wish;
    const std::string_view format = parameter(request.query, "format", "json");
    if (format != "json" && format != "xml") wish.refusal = bad_parameter("format", format, "json or xml");
    wish.format = format == "xml" ? EventFormat::xml : EventFormat::json;
    const std::string stream(parameter(request.query, "stream", "default"));
    if (stream != "*" && !is_stream_name(stream)) {
        wish.refusal = bad_parameter("stream", stream, "*, or 1 to 128 of the characters A-Z a-z 0-9 . _ -");
    }
    const std::string_view annotate = parameter(request.query, "annotate", "none");
    if (annotate != "none" && annotate != "alignment") {
        wish.refusal = bad_parameter("annotate", annotate, "none or alignment");
    } else if (annotate == "alignment" && wish.format == EventFormat::xml) {
        wish.refusal = status_reply(400, "annotate=alignment needs format=json: xml is the item as it was published");
    }
    if (!wish.refusal) read_filters(request.query, stream == "*" ? "" : stream, annotate == "alignment", limits, wish);
    return wish;
}

// Resumes when the subscriptions are in place, or are not admitted.
asio::awaitable<Admission> add_subscriptions(SubscriptionRegistry& registry, std::shared_ptr<Subscriber> subscriber,
                                             std::vector<Subscription> subscriptions) {
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Admission)>(
        [&](auto handler) {
            // Shared, since std::function has to be copyable.
            const auto shared = std::make_shared<decltype(handler)>(std::move(handler));
            const auto resume = [shared](Admission admission) {
                asio::post(asio::get_associated_executor(*shared),
                           [shared, admission] { std::move (*shared)(admission); });
            };
            const Admission admission = registry.add(std::move(subscriber), std::move(subscriptions),
                                                     [resume] { resume(Admission::admitted); });
            if (admission != Admission::admitted) resume(admission);
        },
        asio::use_awaitable);
}

// Counts a subscriber in, and out again unless it is kept.
class SubscriberPlace {
public:
    SubscriberPlace(Services& services)
        : services_(services), got_(services.subscribers.fetch_add(1) < services.options.limits.subscribers) {}
    ~SubscriberPlace() {
        if (!kept_) services_.subscribers.fetch_sub(1);
    }
    SubscriberPlace(const SubscriberPlace&) = delete;
    SubscriberPlace& operator=(const SubscriberPlace&) = delete;

    bool got() const { return got_; }
    void keep() { kept_ = true; }

private:
    Services& services_;
    const bool got_;
    bool kept_ = false;
};

HttpReply refuse(Admission admission, const LimitOptions& limits) {
    if (admission == Admission::too_many_operators)
        return busy_problem("there are limits.operators computed conditions already, or with these, " +
                            std::to_string(limits.operators));
    return busy_problem("there are limits.subscriptions subscriptions already, " +
                        std::to_string(limits.subscriptions));
}

HttpReply stream_reply(std::shared_ptr<EventStream> stream) {
    HttpReply reply;
    reply.content_type = "text/event-stream";
    reply.headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
    reply.stream = std::move(stream);
    return reply;
}

}  // namespace

asio::awaitable<HttpReply> subscribe_events(Services& services, HttpRequest& request) {
    const LimitOptions& limits = services.options.limits;
    Wish wish = read_wish(request, limits);
    if (wish.refusal) co_return std::move(*wish.refusal);
    if (services.draining) co_return busy_problem("the daemon is shutting down");
    SubscriberPlace place(services);
    if (!place.got()) {
        co_return busy_problem("there are limits.subscribers subscribers already, " +
                               std::to_string(limits.subscribers));
    }
    const DeliveryOptions& delivery = services.options.delivery;
    const auto alarm = std::make_shared<EventStream::Alarm>(co_await asio::this_coro::executor);
    const auto subscriber = std::make_shared<Subscriber>(MailboxLimits{delivery.queue_events, delivery.queue_bytes},
                                                         EventStream::ring(alarm), wish.format,
                                                         wish.subscriptions.size() > 1, std::move(wish.annotator));
    const Admission admission =
        co_await add_subscriptions(services.registry, subscriber, std::move(wish.subscriptions));
    if (admission != Admission::admitted) co_return refuse(admission, limits);
    place.keep();
    co_return stream_reply(std::make_shared<EventStream>(services, alarm, subscriber, std::move(wish.notes)));
}

}  // namespace sluice
