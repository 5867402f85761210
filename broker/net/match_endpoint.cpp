// POST /v1/match: tries a filter on a document, and tells of every item which leaves hold.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <exception>

#include "broker/matching/batch_matcher.hpp"
#include "broker/net/endpoints.hpp"
#include "broker/net/limits.hpp"
#include "broker/net/problems.hpp"
#include "config/load.hpp"
#include "protocol/feed/fields.hpp"
#include "protocol/feed/media_type.hpp"
#include "protocol/filter/explain.hpp"
#include "protocol/filter/filter.hpp"
#include "protocol/filter/searches.hpp"

namespace sluice {

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
};

// A reply: the body is not what this endpoint takes.
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
                                                   : nullptr;
        if (out == nullptr) {
            return status_reply(400, "unknown member \"" + std::string(key) +
                                         "\"; known are filter, document, content_type, event_path, stream");
        }
        if (!member.is_string()) return status_reply(400, "member \"" + std::string(key) + "\" is not a string");
        *out = member.get_string();
    }
    for (const char* needed : {"filter", "document"}) {
        if (!value.get_object().contains(needed))
            return status_reply(400, std::string("member \"") + needed + "\" is missing");
    }
    if (!is_stream_name(trial.stream)) return status_reply(400, "member \"stream\" is not a stream name");
    return std::nullopt;
}

// holds[i][e]: whether subscription i holds for item e; the filter itself is subscription 0, its leaves follow.
using Answers = std::vector<std::vector<bool>>;

struct TakesTooLong : std::exception {};

// The thread has connections to serve meanwhile, so that all of it together may take little more than one condition of
// a subscriber.
Answers find_answers(const Filter& filter, const DocumentPtr& document, const std::string& stream,
                     std::chrono::nanoseconds time_max) {
    const auto set = make_subscription_set(Backend::cpu);
    std::vector<std::uint32_t> index_of_slot;
    const auto add = [&](const Disjunction& conjunctions, std::uint32_t index) {
        const SubscriptionId id = set->add(conjunctions);
        if (id.slot >= index_of_slot.size()) index_of_slot.resize(id.slot + 1);
        index_of_slot[id.slot] = index;
    };
    add(filter.conjunctions, 0);
    for (std::uint32_t i = 0; i < filter.leaves.size(); ++i) add({{{filter.leaves[i].predicate, false}}}, i + 1);

    const std::size_t items = document->items().size();
    Answers answers(filter.leaves.size() + 1, std::vector<bool>(items));
    const auto program = set->compile();
    const auto name = std::make_shared<const std::string>(stream);
    const auto deadline = std::chrono::steady_clock::now() + time_max;
    BatchMatcher matcher(time_max, [deadline] {
        if (std::chrono::steady_clock::now() > deadline) throw TakesTooLong();
    });
    for (std::size_t first = 0; first < items; first += batch_events) {
        std::vector<Event> events;
        for (std::size_t i = first; i < std::min(items, first + batch_events); ++i)
            events.push_back({document, i, name, i + 1});
        const auto matches = matcher.match(*program, events);
        if (!matcher.undecided().empty()) throw TakesTooLong();
        for (const Match& match : matches) {
            for (std::size_t e = 0; e < events.size(); ++e) {
                if ((match.accepted >> e & 1) != 0) answers[index_of_slot[match.subscription.slot]][first + e] = true;
            }
        }
    }
    return answers;
}

std::string items_json(const Filter& filter, const Document& document, const Answers& answers) {
    json::array items;
    for (std::size_t e = 0; e < document.items().size(); ++e) {
        json::array because;
        for (std::size_t i = 0; i < filter.leaves.size(); ++i) {
            const Leaf& leaf = filter.leaves[i];
            because.push_back({{"leaf", leaf.text}, {"value", bool(answers[i + 1][e])}, {"how", way_of(leaf)}});
        }
        const auto id = read_fields(document, document.items()[e]).id;
        items.push_back({{"index", e},
                         {"id", id ? json::value(*id) : json::value(nullptr)},
                         {"matched", bool(answers[0][e])},
                         {"because", std::move(because)}});
    }
    return json::serialize(json::object{{"filter", filter.canonical}, {"items", std::move(items)}});
}

}  // namespace

asio::awaitable<HttpReply> match_document(Services& services, HttpRequest& request) {
    if (parse_media_type(request.header(http::field::content_type)).type != "application/json") {
        co_return status_reply(415, "the body has to be application/json");
    }
    Trial trial;
    if (auto refusal = read_trial(request.body, trial)) co_return std::move(*refusal);
    const auto filter = compile_filter(trial.filter, filter_limits(services.options.limits));
    if (!filter) co_return filter_problem(filter.error());
    // The path is XPath from outside like the filter, so it is held to the same bounds.
    if (!trial.event_path.empty()) {
        const auto path = compile_filter(trial.event_path, filter_limits(services.options.limits));
        if (!path) co_return filter_problem(path.error());
        if (xpath::nested_searches(trial.event_path) > 1)
            co_return status_reply(400, "member \"event_path\" searches the document within a search");
    }
    const DocumentOptions options{trial.content_type, trial.event_path, feed_limits(services.options.limits)};
    const auto document = parse_document(std::move(trial.document), options);
    if (!document && document.error().kind == FeedError::Kind::event_path) {
        co_return status_reply(400, document.error().message);  // here it is the client's own
    }
    if (!document) co_return feed_problem(document.error());
    if ((*document)->items().size() * (filter->leaves.size() + 1) > answers_max) {
        co_return status_reply(413, "items times leaves are more than " + std::to_string(answers_max));
    }
    try {
        const auto answers = find_answers(*filter, *document, trial.stream, services.options.limits.condition_time);
        HttpReply reply;
        reply.body = items_json(*filter, **document, answers);
        co_return reply;
    } catch (const TakesTooLong&) {
        co_return status_reply(413, "to evaluate the filter on the document takes more than limits.condition_time");
    }
}

}  // namespace sluice
