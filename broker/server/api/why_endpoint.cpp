// GET /v1/events/ID/why: what a filter says of one retained event, and why.
#include <boost/json/serialize.hpp>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "broker/auth/scope.hpp"
#include "broker/base/memory/memory_budget.hpp"
#include "broker/base/workers.hpp"
#include "broker/core/matching/row_permission.hpp"
#include "broker/core/replay/past_matches.hpp"
#include "broker/core/replay/stored_documents.hpp"
#include "broker/match/batch_limits.hpp"
#include "broker/match/event_explainer.hpp"
#include "broker/server/api/explanation_json.hpp"
#include "broker/server/api/filter_compiler.hpp"
#include "broker/server/api/handlers.hpp"
#include "broker/server/api/limits.hpp"
#include "broker/server/api/match_answers.hpp"
#include "broker/server/api/on_worker.hpp"
#include "broker/server/api/problems.hpp"
#include "broker/server/api/trial_meter.hpp"
#include "broker/server/http/parameters.hpp"
#include "broker/server/http/permission.hpp"
#include "broker/store/event_log.hpp"
#include "config/options.hpp"
#include "config/units.hpp"
#include "protocol/feed/item/event_trace.hpp"
#include "protocol/feed/model/source_range.hpp"
#include "protocol/filter/filter.hpp"
#include "protocol/text/stream_name.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::server {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

struct WhyRequest {
    std::uint64_t id = 0;
    std::string filter;
    std::string stream;  // empty: any
    // What of it the user may see.
    auth::Scope scope;
    bool sees_everything = true;  // of all streams
};

// Returns a reply if the request is not valid.
std::optional<HttpReply> read_request(const HttpRequest& request, const std::string& epoch, WhyRequest& wanted) {
    if (auto refusal = refuse_unknown_parameters(request.query, {"filter", "stream"})) return refusal;
    std::string_view id = request.name;
    const std::size_t dash = id.rfind('-');
    const bool has_epoch = dash != std::string_view::npos && dash != 0;
    const auto number = config::parse_integer(has_epoch ? id.substr(dash + 1) : id);
    if (!number || *number == 0)
        return status_reply(400, "\"" + text::shortened_utf8(id, 100) +
                                     "\" in the path is not an event's number, or an id as in the event stream, "
                                     "EPOCH-ID");
    if (has_epoch && id.substr(0, dash) != epoch)
        return status_reply(
            410, "event " + text::shortened_utf8(id, 100) + " is of an earlier log; the broker's epoch is " + epoch);
    wanted.id = *number;
    wanted.stream = parameter(request.query, "stream", "");
    if (!wanted.stream.empty() && !text::is_stream_name(wanted.stream))
        return bad_parameter("stream", wanted.stream, text::stream_name_rule);
    const auth::Rights& rights = request.principal->account->rights;
    wanted.sees_everything = rights.sees_everything();
    const text::StreamSelection streams =
        wanted.stream.empty() ? text::StreamSelection() : text::StreamSelection({&wanted.stream, 1});
    wanted.scope = auth::Scope(streams, rights);
    if (wanted.scope.is_empty()) return forbidden(*request.principal, "subscribe to stream \"" + wanted.stream + "\"");
    wanted.filter = parameter(request.query, "filter", "");
    if (wanted.filter.empty()) return status_reply(400, "parameter \"filter\" is missing or empty");
    return std::nullopt;
}

// The retained event with this id, or the reply that says why there is none.
struct FoundEvent {
    std::shared_ptr<const store::Kept> of;
    feed::EventHead head;
    HttpReply refusal{};
};

// For users who may not see everything, the only reply about an event that they are not shown, whatever became of it.
HttpReply hidden_problem(std::uint64_t id) {
    return status_reply(404, "there is no event " + std::to_string(id) +
                                 " that this user may see: there never was one, it is no longer retained, or the "
                                 "user's rights or the parameter \"stream\" exclude it");
}

HttpReply missing_problem(std::uint64_t id, store::EventLog& log) {
    const std::string event = "event " + std::to_string(id);
    if (const std::uint64_t last = log.last_id(); id > last)
        return status_reply(404, "there is no " + event + " yet; the last one is " + std::to_string(last));
    for (const store::Damage& damage : log.state().damage)
        if (damage.first_id <= id && id <= damage.last_id)
            return status_reply(410, event + " is damaged in the log: " + damage.what);
    return status_reply(410, event + " is no longer retained: it was dropped, or its stream was deleted");
}

FoundEvent find_event(const WhyRequest& wanted, store::EventLog& log) {
    const store::Slice slice = log.read(store::all_streams, wanted.id, 1, 1);
    if (slice.erased_id == wanted.id)
        return {nullptr, {}, status_reply(410, "event " + std::to_string(wanted.id) + " has been erased")};
    if (slice.kept.empty() || slice.kept.front().events.front().id != wanted.id)
        return {nullptr, {}, missing_problem(wanted.id, log)};
    const store::KeptEvents& found = slice.kept.front();
    if (!wanted.stream.empty() && *found.of->stream != wanted.stream)
        return {nullptr,
                {},
                status_reply(404, "event " + std::to_string(wanted.id) + " is not of stream " + wanted.stream +
                                      " but of stream " + *found.of->stream)};
    return {found.of, found.events.front()};
}

// The whole work, on a worker, since the log may be on disk, and both filter and event may take long.
class WhyWork {
public:
    WhyWork(Services& services, const HttpRequest& request, WhyRequest wanted)
        : services_(services),
          wanted_(std::move(wanted)),
          meter_(services, request),
          memory_(services.memory.force_charge(base::MemoryUse::evaluation, 0)) {}

    // No value: the client has left, or the daemon is ending.
    std::optional<HttpReply> reply() {
        try {
            return explained();
        } catch (const NotWanted&) {
            return std::nullopt;
        } catch (const broker::StoredDocuments::NoMemory&) {
            return memory_problem(broker::MemoryShortage::temporary);
        } catch (const Shortage& short_of) {
            return memory_problem(short_of.how);
        }
    }

private:
    struct Shortage : std::exception {
        explicit Shortage(broker::MemoryShortage of) : how(of) {}
        broker::MemoryShortage how;
    };

    void charge(std::size_t bytes) {
        const std::size_t all = memory_.bytes() + bytes;
        if (memory_.resize(all)) return;
        throw Shortage(broker::shortage_of(services_.memory, base::MemoryUse::evaluation, all, 0));
    }
    HttpReply explained();
    bool may_see(const FoundEvent& found, const std::optional<feed::Event>& event);
    json::object describe(const FoundEvent& found, const feed::Event* event, const filter::Filter& filter);

    Services& services_;
    const WhyRequest wanted_;
    TrialMeter meter_;
    base::MemoryCharge memory_;
};

HttpReply WhyWork::explained() {
    meter_.check_wanted();
    charge(wanted_.filter.size() * syntax_times);
    const config::LimitOptions& limits = services_.options.limits;
    const auto filter = filter::compile_filter(wanted_.filter, filter_limits(limits));
    if (!filter) return filter_problem(filter.error());
    meter_.check_wanted();
    if (auto refusal = refuse_beside(*filter, wanted_.scope)) return std::move(*refusal);
    FoundEvent found = find_event(wanted_, services_.log);
    const bool sees_all = wanted_.sees_everything;
    if (!sees_all && (found.of == nullptr || !wanted_.scope.streams().matches(*found.of->stream)))
        return hidden_problem(wanted_.id);
    if (found.of == nullptr) return std::move(found.refusal);
    const feed::DocumentRecordPtr& record = found.of->record;
    charge(record->text->size());
    meter_.check_wanted();
    broker::StoredDocuments documents(feed_limits(limits), services_.memory);
    const feed::DocumentPtr document = documents.document(record);
    meter_.check_wanted();
    const auto item = document ? feed::find_item(*document, found.head.item) : std::nullopt;
    std::optional<feed::Event> event;
    if (item) event = {document, *item, found.of->stream, found.head.id, found.head.time, found.head.change};
    if (!sees_all && !may_see(found, event)) return hidden_problem(wanted_.id);
    broker::EventExplainer explainer(*filter, broker::batch_limits(limits, &services_.memory),
                                     [this] { meter_.check_wanted(); });
    const broker::Explanation explanation =
        event ? explainer.explain(*event, record->context == feed::RecordContext::document) : explainer.undelivered();
    json::object json = describe(found, event ? &*event : nullptr, *filter);
    charge(explanation_memory(*filter, explanation));
    add_explanation(json, *filter, explanation);
    HttpReply reply;
    reply.body = json::serialize(json);
    return reply;
}

// Of an event that can't be read again only the stream is known.
bool WhyWork::may_see(const FoundEvent& found, const std::optional<feed::Event>& event) {
    if (!event) return wanted_.scope.permits_all_of(*found.of->stream);
    broker::RowPermission rows(broker::batch_limits(services_.options.limits, &services_.memory),
                               [this](double) { meter_.check_wanted(); });
    return rows.permits(wanted_.scope, *event);
}

json::object WhyWork::describe(const FoundEvent& found, const feed::Event* event, const filter::Filter& filter) {
    const broker::Annotator annotator({filter.leaves}, std::nullopt);
    charge(reply_memory(filter, annotator, 1));
    json::object json =
        event_summary(found.head, *found.of->stream, event ? event->document.get() : nullptr, event ? event->index : 0);
    json["change"] = found.head.change == feed::EventHead::Change::added ? "new" : "updated";
    const std::string parent = event ? feed::trace_of(*event).parent : found.of->record->trace_parent;
    if (!parent.empty()) json["traceparent"] = parent;
    if (event == nullptr) return json;
    broker::BatchFindings findings;
    const std::uint32_t only_filter[] = {0};
    if (const auto annotations = annotator.annotate(*event, 0, only_filter, findings))
        json["estimated"] = json::array(annotations->estimated.begin(), annotations->estimated.end());
    return json;
}

}  // namespace

asio::awaitable<HttpReply> explain_event(Services& services, HttpRequest& request) {
    WhyRequest wanted;
    if (auto refusal = read_request(request, services.log.epoch(), wanted)) co_return std::move(*refusal);
    const auto estimate = filter_estimate(wanted.filter.size()) + broker::PastMatches::step_time;
    WhyWork work(services, request, std::move(wanted));
    auto explain = [&work] { return work.reply(); };
    auto outcome =
        co_await run_on_worker(services.trials, request.address_use, worker_deadline(services.options.publish),
                               std::move(explain), request.departure, estimate);
    const bool ended = !outcome || !*outcome;
    if (ended && request.is_abandoned()) co_return abandoned_problem(services.counters);
    if (!outcome) co_return busy_problem("too many filters are being tried");
    if (!*outcome) co_return busy_problem("the broker is shutting down");
    HttpReply reply = std::move(**outcome);
    if (!request.memory.resize(reply.text().size())) co_return memory_problem(broker::MemoryShortage::temporary);
    co_return reply;
}

}  // namespace sluice::server
