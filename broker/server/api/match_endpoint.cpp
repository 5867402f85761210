// POST /v1/match: tries a filter on a document, and reports for every item which leaves hold; or on retained events
// (past_trial.hpp).
#include <algorithm>
#include <boost/json/serialize.hpp>
#include <functional>
#include <memory>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/base/workers.hpp"
#include "broker/core/ingest/charged_document.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/match/annotator.hpp"
#include "broker/server/api/document_faults.hpp"
#include "broker/server/api/filter_compiler.hpp"
#include "broker/server/api/handlers.hpp"
#include "broker/server/api/limits.hpp"
#include "broker/server/api/match_answers.hpp"
#include "broker/server/api/match_request.hpp"
#include "broker/server/api/on_worker.hpp"
#include "broker/server/api/past_trial.hpp"
#include "broker/server/api/problems.hpp"
#include "broker/server/api/replay_start.hpp"
#include "broker/server/api/trial_meter.hpp"
#include "broker/server/http/permission.hpp"
#include "config/options.hpp"
#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/model/media_type.hpp"
#include "protocol/filter/filter.hpp"

namespace sluice::server {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t answers_max = 1'000'000;  // items × leaves of one request
constexpr std::size_t batch_events = 32;

using Answer = MatchAnswers::Answer;

// Throws TakesTooLong if the filter is undecided for an item.
void find_answers(const feed::DocumentPtr& document, const std::string& stream, MatchAnswers& answers) {
    const std::size_t items = document->items().size();
    const auto name = std::make_shared<const std::string>(stream);
    for (std::size_t first = 0; first < items; first += batch_events) {
        std::vector<feed::Event> events;
        for (std::size_t i = first; i < std::min(items, first + batch_events); ++i)
            events.push_back({document, i, name, i + 1});
        answers.find(events);
        const auto of_filter = answers.of_filter().last(events.size());
        if (std::find(of_filter.begin(), of_filter.end(), Answer::unknown) != of_filter.end()) throw TakesTooLong();
    }
}

// The items refer to the leaves by their order, since there may be many of both.
std::string items_json(const filter::Filter& filter, const broker::Annotator& annotator, const feed::DocumentPtr& read,
                       const std::string& stream, const MatchAnswers& answers) {
    const feed::Document& document = *read;
    const auto name = std::make_shared<const std::string>(stream);
    broker::BatchFindings findings;
    const std::uint32_t only_filter[] = {0};
    json::array items;
    for (std::size_t e = 0; e < document.items().size(); ++e) {
        const feed::Fields fields = feed::read_fields(document, document.items()[e]);
        items.push_back({{"index", e},
                         {"id", fields.id ? json::value(*fields.id) : json::value(nullptr)},
                         {"matched", json_of(answers.of_filter()[e])},
                         {"because", answers.because(e)}});
        const auto annotations = annotator.annotate({read, e, name, e + 1}, e, only_filter, findings);
        if (!annotations) continue;
        const std::vector<std::string>& estimated = annotations->estimated;
        items.back().get_object()["estimated"] = json::array(estimated.begin(), estimated.end());
    }
    json::object reply{{"filter", filter.canonical},
                       {"hints", hints_json(filter)},
                       {"leaves", leaves_json(filter)},
                       {"items", std::move(items)}};
    add_document_faults(reply, document);
    return json::serialize(reply);
}

// `held`: the memory charged to the request. Returns a reply if the document is invalid or too large, or if there is no
// memory for it.
std::optional<HttpReply> read_document(const Services& services, const auth::Rights& rights, Trial& trial,
                                       std::size_t leaves, std::size_t held, feed::DocumentPtr& document) {
    // The path is external XPath, like the filter, so the same limits apply.
    if (!trial.event_path.empty()) {
        const auto path = filter::compile_path(trial.event_path, filter_limits(services.options.limits));
        if (!path) return event_path_problem(path.error());
    }
    // A stream that the user may not see has no options here.
    const bool is_visible = rights.may_see(trial.stream);
    const auto repair = read_repair(
        trial.repair, is_visible ? *services.publisher.streams().options(trial.stream) : config::StreamOptions());
    if (!repair) return status_reply(400, "member \"repair\" is neither \"lenient\" nor \"strict\"");
    const feed::DocumentOptions options{trial.content_type, trial.event_path, feed_limits(services.options.limits),
                                        *repair};
    const broker::ChargedDocument parsed =
        broker::parse_charged(services.memory, std::move(trial.document), options, held);
    if (parsed.missing) return memory_problem(parsed.missing->shortage);
    if (parsed.fault && parsed.fault->kind == feed::FeedError::Kind::event_path)
        return event_path_problem(*parsed.fault);
    if (parsed.fault) return feed_problem(*parsed.fault);
    document = parsed.document;
    if (document->items().size() * (leaves + 1) > answers_max)
        return status_reply(413, "the number of items times leaves is more than " + std::to_string(answers_max));
    return std::nullopt;
}

// A request's work, piece by piece, on workers, since both the filter and the document may take long.
class MatchWork {
public:
    MatchWork(Services& services, const HttpRequest& request)
        : services_(services),
          request_(request),
          rights_(request.principal->account->rights),
          held_(request.memory.bytes() + connection_memory_bytes),
          meter_(services, request) {}

    struct Piece {
        bool is_wanted = true;             // by a client that is still there, from a daemon that is not ending
        std::optional<HttpReply> reply{};  // none: there is more to do
    };
    Piece proceed() {
        try {
            return {true, past_ ? past_->proceed() : begin()};
        } catch (const NotWanted&) {
            return {false};
        }
    }

private:
    HttpReply no_memory(std::size_t bytes, std::size_t of_document) const {
        return memory_problem(
            broker::shortage_of(services_.memory, base::MemoryUse::evaluation, bytes, held_ + of_document));
    }
    std::optional<HttpReply> begin();
    HttpReply try_document(Trial& trial, const filter::Filter& filter, base::MemoryCharge& memory);

    Services& services_;
    const HttpRequest& request_;
    const auth::Rights& rights_;
    const std::size_t held_;
    TrialMeter meter_;
    std::unique_ptr<PastTrial> past_;
};

// Makes the reply, or `past_`.
std::optional<HttpReply> MatchWork::begin() {
    meter_.check_wanted();
    const std::size_t body_memory = json_memory_max(request_.body);
    base::MemoryCharge memory = services_.memory.charge(base::MemoryUse::evaluation, body_memory);
    if (!memory) return no_memory(body_memory, 0);
    Trial trial;
    if (auto refusal = read_trial(request_.body, trial)) return refusal;
    auto filter = filter::compile_filter(trial.filter, filter_limits(services_.options.limits));
    if (!filter) return filter_problem(filter.error());
    meter_.check_wanted();
    if (!trial.is_of_past) return try_document(trial, *filter, memory);
    auth::Scope scope(text::StreamSelection({&trial.stream, 1}), rights_);
    if (scope.is_empty()) return forbidden(*request_.principal, "subscribe to stream \"" + trial.stream + "\"");
    if (auto refusal = refuse_beside(*filter, scope)) return refusal;
    const auto start = find_since(trial.since, scope.streams(), services_.log);
    if (!start) return status_reply(400, "member \"since\" is not " + std::string(since_rule));
    past_ = std::make_unique<PastTrial>(std::move(*filter), std::move(scope), *start, services_, meter_);
    return std::nullopt;
}

// `memory` has the body's.
HttpReply MatchWork::try_document(Trial& trial, const filter::Filter& filter, base::MemoryCharge& memory) {
    feed::DocumentPtr document;
    if (auto refusal = read_document(services_, rights_, trial, filter.leaves.size(), held_ + memory.bytes(), document))
        return std::move(*refusal);
    meter_.check_wanted();
    const broker::Annotator annotator({filter.leaves}, std::nullopt);
    const std::size_t memory_bytes = memory.bytes() + reply_memory(filter, annotator, document->items().size());
    if (!memory.resize(memory_bytes)) return no_memory(memory_bytes, document->memory_bytes());
    try {
        MatchAnswers answers(filter, services_.options.limits, services_.memory,
                             [this](double ns) { meter_.spend(ns); });
        find_answers(document, trial.stream, answers);
        HttpReply reply;
        reply.body = items_json(filter, annotator, document, trial.stream, answers);
        return reply;
    } catch (const TakesTooLong&) {
        return status_reply(413, "evaluating the filter exceeds the budget for a document");
    }
}

}  // namespace

asio::awaitable<HttpReply> match_document(Services& services, HttpRequest& request) {
    if (feed::MediaType(request.header(http::field::content_type)).type != "application/json") {
        co_return status_reply(415, "the content type of the body must be application/json");
    }
    MatchWork work(services, request);
    std::optional<HttpReply> reply;
    std::chrono::nanoseconds estimate = document_estimate(request.body.size());
    while (!reply) {
        auto proceed = [&work] { return work.proceed(); };
        auto piece =
            co_await run_on_worker(services.trials, request.address_use, worker_deadline(services.options.publish),
                                   std::move(proceed), request.departure, estimate);
        request.body = {};
        const bool ended = !piece || !piece->is_wanted;
        if (ended && request.is_abandoned()) co_return abandoned_problem(services.counters);
        if (!piece) co_return busy_problem("too many filters are being tried");
        reply = std::move(piece->reply);
        if (!piece->is_wanted || (!reply && services.draining)) co_return busy_problem("the broker is shutting down");
        if (!reply) request.memory.force_resize(0);  // the body has been read
        estimate = broker::PastMatches::step_time;
    }
    if (!request.memory.resize(reply->text().size())) co_return memory_problem(broker::MemoryShortage::temporary);
    co_return std::move(*reply);
}

}  // namespace sluice::server
