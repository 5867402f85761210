// POST /v1/match: tries a filter on a document, and reports for every item which leaves hold.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <exception>
#include <functional>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/base/workers.hpp"
#include "broker/core/ingest/charged_document.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/match/annotator.hpp"
#include "broker/match/batch_limits.hpp"
#include "broker/server/api/document_faults.hpp"
#include "broker/server/api/endpoints.hpp"
#include "broker/server/api/limits.hpp"
#include "broker/server/api/on_worker.hpp"
#include "broker/server/api/problems.hpp"
#include "config/load.hpp"
#include "config/options.hpp"
#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/model/media_type.hpp"
#include "protocol/filter/explain.hpp"
#include "protocol/filter/filter.hpp"
#include "protocol/filter/hints/hints.hpp"
#include "protocol/text/stream_name.hpp"

namespace sluice::server {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t answers_max = 1'000'000;  // items × leaves of one request
constexpr std::size_t batch_events = 32;

struct Trial {
    std::string filter;
    std::string document;
    std::string content_type;
    std::string event_path;
    std::string stream = "default";
    std::string repair;  // empty: the stream's
};

// Returns a reply if the body is not valid for this endpoint.
std::optional<HttpReply> read_trial(const std::string& body, Trial& trial) {
    boost::system::error_code error;
    const json::value value = json::parse(body, error);
    if (error) return status_reply(400, "the body is not JSON: " + error.message());
    if (!value.is_object()) return status_reply(400, "the body is not a JSON object");
    for (const auto& [key, member] : value.get_object()) {
        std::string* out = key == "filter"         ? &trial.filter
                           : key == "document"     ? &trial.document
                           : key == "content_type" ? &trial.content_type
                           : key == "event_path"   ? &trial.event_path
                           : key == "stream"       ? &trial.stream
                           : key == "repair"       ? &trial.repair
                                                   : nullptr;
        if (out == nullptr) {
            return status_reply(400, "unknown member \"" + std::string(key) +
                                         "\"; known are filter, document, content_type, event_path, stream, repair");
        }
        if (!member.is_string()) return status_reply(400, "member \"" + std::string(key) + "\" is not a string");
        *out = member.get_string();
    }
    for (const char* needed : {"filter", "document"}) {
        if (!value.get_object().contains(needed))
            return status_reply(400, std::string("member \"") + needed + "\" is missing");
    }
    if (!text::is_stream_name(trial.stream)) return status_reply(400, "member \"stream\" is not a stream name");
    return std::nullopt;
}

// Upper bound of the memory for the parsed body: its texts once more, and a value for each mark that may begin one.
std::size_t json_memory_max(std::string_view body) {
    constexpr std::size_t value_bytes = 64;  // including a vector's growth
    const auto marks =
        std::count_if(body.begin(), body.end(), [](char c) { return c == ',' || c == ':' || c == '[' || c == '{'; });
    return 2 * body.size() + static_cast<std::size_t>(marks) * value_bytes;
}

// The memory for the reply, as values and as text.
std::size_t reply_memory(const filter::Filter& filter, const broker::Annotator& annotator, std::size_t items) {
    constexpr std::size_t item_bytes = 512, leaf_bytes = 512, answer_bytes = 32, estimate_bytes = 1024;
    constexpr std::size_t hints_bytes = filter::hints_max * 2048;
    std::size_t bytes = hints_bytes + items * (item_bytes + filter.leaves.size() * answer_bytes);
    for (const filter::Leaf& leaf : filter.leaves) bytes += 3 * leaf.text.size() + leaf_bytes;
    return bytes + items * annotator.estimates_max() * estimate_bytes;
}

// answers[i][e]: whether subscription i holds for item e. Subscription 0 is the filter itself; its leaves follow.
// Leaves over their budget may be unknown.
enum class Answer : std::uint8_t { no, unknown, yes };
using Answers = std::vector<std::vector<Answer>>;

struct TakesTooLong : std::exception {};
struct NotWanted : std::exception {};  // the client has left, or the daemon is ending

Answers find_answers(const filter::Filter& filter, const feed::DocumentPtr& document, const std::string& stream,
                     const config::LimitOptions& limits, base::MemoryBudget& memory,
                     const std::function<void(double)>& pause) {
    const auto set = engine::make_subscription_set(engine::Backend::cpu);
    std::vector<std::uint32_t> index_of_slot;
    const auto add = [&](const engine::Disjunction& disjunction, std::uint32_t index) {
        const engine::SubscriptionId id = set->add(disjunction);
        if (id.slot >= index_of_slot.size()) index_of_slot.resize(id.slot + 1);
        index_of_slot[id.slot] = index;
    };
    add(filter.disjunction, 0);
    for (std::uint32_t i = 0; i < filter.leaves.size(); ++i) add({{filter.leaves[i].predicate}, {{{0, false}}}}, i + 1);

    const std::size_t items = document->items().size();
    Answers answers(filter.leaves.size() + 1, std::vector<Answer>(items));
    const auto program = set->compile();
    const auto name = std::make_shared<const std::string>(stream);
    broker::BatchMatcher matcher(broker::batch_limits(limits, &memory), pause);
    for (std::size_t first = 0; first < items; first += batch_events) {
        pause(0);
        std::vector<feed::Event> events;
        for (std::size_t i = first; i < std::min(items, first + batch_events); ++i)
            events.push_back({document, i, name, i + 1});
        const auto note = [&](std::span<const engine::Match> matches, Answer answer) {
            for (const engine::Match& match : matches) {
                for (std::size_t e = 0; e < events.size(); ++e) {
                    Answer& noted = answers[index_of_slot[match.subscription.slot]][first + e];
                    if ((match.accepted >> e & 1) != 0) noted = std::max(noted, answer);
                }
            }
        };
        note(matcher.match(*program, events), Answer::yes);
        note(matcher.undecided(), Answer::unknown);
        const auto of_filter = std::span(answers[0]).subspan(first, events.size());
        if (std::find(of_filter.begin(), of_filter.end(), Answer::unknown) != of_filter.end()) throw TakesTooLong();
    }
    return answers;
}

json::array hints_json(const filter::Filter& filter) {
    json::array hints;
    for (const filter::Hint& hint : filter.hints)
        hints.push_back(
            {{"line", hint.line}, {"column", hint.column}, {"message", hint.message}, {"excerpt", hint.excerpt}});
    return hints;
}

json::value json_of(Answer answer) {
    return answer == Answer::unknown ? json::value(nullptr) : json::value(answer == Answer::yes);
}

// The items refer to the leaves by their order, since there may be many of both.
std::string items_json(const filter::Filter& filter, const broker::Annotator& annotator, const feed::DocumentPtr& read,
                       const std::string& stream, const Answers& answers) {
    const feed::Document& document = *read;
    const auto name = std::make_shared<const std::string>(stream);
    broker::BatchFindings findings;
    const std::uint32_t only_filter[] = {0};
    json::array leaves, items;
    for (const filter::Leaf& leaf : filter.leaves)
        leaves.push_back({{"leaf", leaf.text}, {"how", filter::how_decided(leaf)}});
    for (std::size_t e = 0; e < document.items().size(); ++e) {
        json::array because;
        for (std::size_t i = 0; i < filter.leaves.size(); ++i) because.push_back(json_of(answers[i + 1][e]));
        const feed::Fields fields = feed::read_fields(document, document.items()[e]);
        items.push_back({{"index", e},
                         {"id", fields.id ? json::value(*fields.id) : json::value(nullptr)},
                         {"matched", json_of(answers[0][e])},
                         {"because", std::move(because)}});
        const auto annotations = annotator.annotate({read, e, name, e + 1}, e, only_filter, findings);
        if (!annotations) continue;
        const std::vector<std::string>& estimated = annotations->estimated;
        items.back().get_object()["estimated"] = json::array(estimated.begin(), estimated.end());
    }
    json::object reply{{"filter", filter.canonical},
                       {"hints", hints_json(filter)},
                       {"leaves", std::move(leaves)},
                       {"items", std::move(items)}};
    add_document_faults(reply, document);
    return json::serialize(reply);
}

}  // namespace

namespace {

// The compiled filter and the parsed document of a trial.
struct Subject {
    filter::Filter filter;
    feed::DocumentPtr document;
};

// `held`: the memory charged to the request. Returns a reply if the filter or document is invalid or too large, or if
// there is no memory for it.
std::optional<HttpReply> read_subject(const Services& services, Trial& trial, std::size_t held, Subject& subject,
                                      const std::function<void(double)>& pause) {
    const filter::FilterLimits limits = filter_limits(services.options.limits);
    auto filter = filter::compile_filter(trial.filter, limits);
    if (!filter) return filter_problem(filter.error());
    subject.filter = std::move(*filter);
    pause(0);
    // The path is external XPath, like the filter, so the same limits apply.
    if (!trial.event_path.empty()) {
        const auto path = filter::compile_path(trial.event_path, limits);
        if (!path) return event_path_problem(path.error());
    }
    const auto repair = read_repair(trial.repair, *services.publisher.streams().options(trial.stream));
    if (!repair) return status_reply(400, "member \"repair\" is neither \"lenient\" nor \"strict\"");
    const feed::DocumentOptions options{trial.content_type, trial.event_path, feed_limits(services.options.limits),
                                        *repair};
    const broker::ChargedDocument parsed =
        broker::parse_charged(services.memory, std::move(trial.document), options, held);
    if (parsed.shortage) return memory_problem(*parsed.shortage);
    if (parsed.fault && parsed.fault->kind == feed::FeedError::Kind::event_path)
        return event_path_problem(*parsed.fault);
    if (parsed.fault) return feed_problem(*parsed.fault);
    pause(0);
    subject.document = parsed.document;
    if (subject.document->items().size() * (subject.filter.leaves.size() + 1) > answers_max)
        return status_reply(413, "the number of items times leaves is more than " + std::to_string(answers_max));
    return std::nullopt;
}

// Makes the reply. Runs on a worker, since both the filter and the document may take long. `pause` is called before
// each piece of work, with the estimated nanoseconds of a computation; it may throw.
HttpReply try_filter(const Services& services, const HttpRequest& request, const std::function<void(double)>& pause) {
    pause(0);
    const std::string& body = request.body;
    const std::size_t held = request.memory.bytes() + connection_memory_bytes;
    const auto no_memory = [&](std::size_t bytes, std::size_t of_document) {
        return memory_problem(
            broker::shortage_of(services.memory, base::MemoryUse::evaluation, bytes, held + of_document));
    };
    const std::size_t body_memory = json_memory_max(body);
    base::MemoryCharge memory = services.memory.charge(base::MemoryUse::evaluation, body_memory);
    if (!memory) return no_memory(body_memory, 0);
    Trial trial;
    if (auto refusal = read_trial(body, trial)) return std::move(*refusal);
    Subject subject;
    if (auto refusal = read_subject(services, trial, held + body_memory, subject, pause)) return std::move(*refusal);
    const broker::Annotator annotator({subject.filter.leaves}, std::nullopt);
    const std::size_t memory_bytes =
        body_memory + reply_memory(subject.filter, annotator, subject.document->items().size());
    if (!memory.resize(memory_bytes)) return no_memory(memory_bytes, subject.document->memory_bytes());
    try {
        const auto answers = find_answers(subject.filter, subject.document, trial.stream, services.options.limits,
                                          services.memory, pause);
        HttpReply reply;
        reply.body = items_json(subject.filter, annotator, subject.document, trial.stream, answers);
        return reply;
    } catch (const TakesTooLong&) {
        return status_reply(413, "evaluating the filter exceeds the budget for a document");
    }
}

// A trial's computed conditions together may take as long as those of one kind for an event. It counts estimates, so
// the same trial always ends in the same way.
class TrialMeter {
public:
    TrialMeter(const Services& services, const HttpRequest& request)
        : services_(services), request_(request), ns_max_(Nanoseconds(services.options.limits.event_time).count()) {}

    void spend(double ns) {
        if (services_.ending || request_.is_abandoned()) throw NotWanted();
        spent_ns_ += ns;
        if (spent_ns_ > ns_max_) throw TakesTooLong();
    }

private:
    using Nanoseconds = std::chrono::duration<double, std::nano>;

    const Services& services_;
    const HttpRequest& request_;
    const double ns_max_;
    double spent_ns_ = 0;
};

}  // namespace

asio::awaitable<HttpReply> match_document(Services& services, HttpRequest& request) {
    if (feed::MediaType(request.header(http::field::content_type)).type != "application/json") {
        co_return status_reply(415, "the content type of the body must be application/json");
    }
    auto work = [&services, &request]() -> std::optional<HttpReply> {
        TrialMeter meter(services, request);
        try {
            return try_filter(services, request, [&meter](double ns) { meter.spend(ns); });
        } catch (const NotWanted&) {
            return std::nullopt;
        }
    };
    auto result =
        co_await run_on_worker(services.trials, request.address_use, worker_deadline(services.options.publish),
                               std::move(work), request.departure, document_estimate(request.body.size()));
    request.body = {};
    const bool ended = !result || !*result;
    if (ended && request.is_abandoned()) co_return abandoned_problem(services.counters);
    if (!result) co_return busy_problem("too many filters are being tried");
    if (!*result) co_return busy_problem("the daemon is shutting down");
    HttpReply& reply = **result;
    if (!request.memory.resize(reply.text().size())) co_return memory_problem(broker::MemoryShortage::temporary);
    co_return std::move(reply);
}

}  // namespace sluice::server
