#include "broker/server/api/past_trial.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <utility>

#include "broker/core/ingest/memory_shortage.hpp"
#include "broker/match/batch_limits.hpp"
#include "broker/server/api/limits.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "protocol/feed/model/source_range.hpp"
#include "protocol/text/date.hpp"

namespace sluice::server {

namespace json = boost::json;

namespace {

constexpr std::size_t hour_bytes = 320;  // of an hour's counts, and of their JSON as values and as text

broker::PastMatches::Limits limits_of(const Services& services) {
    broker::PastMatches::Limits limits;
    limits.conditions = broker::batch_limits(services.options.limits, &services.memory);
    limits.documents = feed_limits(services.options.limits);
    limits.time = services.options.limits.trial_time;
    return limits;
}

json::array hours_json(const broker::PastMatches::Counts& counts) {
    json::array hours;
    for (const auto& [begin, hour] : counts.hours) {
        const feed::RecordTime seconds = begin / 1'000'000;
        hours.push_back({{"hour", text::format_rfc3339(static_cast<double>(seconds))},
                         {"events", hour.events},
                         {"matched", hour.matched}});
    }
    return hours;
}

}  // namespace

PastTrial::PastTrial(filter::Filter filter, auth::Scope scope, const SinceStart& start, Services& services,
                     TrialMeter& meter)
    : filter_(std::move(filter)),
      start_(start),
      budget_(services.memory),
      meter_(meter),
      memory_(services.memory.force_charge(base::MemoryUse::evaluation, 0)),
      matches_(filter_, {services.log, services.memory, std::move(scope), start.next_id}, limits_of(services),
               [this, &services] {
                   meter_.check_wanted();
                   if (services.draining) throw NotWanted();  // as between two steps, of which one may take long
               }),
      annotator_({filter_.leaves}, std::nullopt),
      answers_(filter_, services.options.limits, services.memory, [this](double ns) { meter_.spend(ns); }) {}

std::optional<HttpReply> PastTrial::proceed() {
    try {
        return proceed_unless_short();
    } catch (const broker::StoredDocuments::NoMemory&) {
        return memory_problem(broker::MemoryShortage::temporary);
    }
}

std::optional<HttpReply> PastTrial::proceed_unless_short() {
    meter_.check_wanted();
    const auto& found = matches_.examples();
    if (is_counted_) {
        if (examples_.size() == found.size()) return reply();
        explain(found[found.size() - 1 - examples_.size()]);
        return std::nullopt;
    }
    is_counted_ = !matches_.step();
    const std::size_t bytes = reply_memory(filter_, annotator_, broker::PastMatches::examples_max) +
                              broker::PastMatches::examples_max * 3 * summary_title_bytes_max +
                              matches_.counts().hours.size() * hour_bytes;
    if (memory_.resize(bytes)) return std::nullopt;
    return memory_problem(broker::shortage_of(budget_, base::MemoryUse::evaluation, bytes, 0));
}

void PastTrial::explain(const broker::PastMatches::Example& example) {
    const feed::EventHead& head = example.head;
    const std::size_t e = examples_.size();
    const feed::DocumentPtr document = matches_.documents().document(example.of->record);
    const auto item = document ? feed::find_item(*document, head.item) : std::nullopt;
    json::object json = event_summary(head, *example.of->stream, item ? document.get() : nullptr, item.value_or(0));
    if (item) {
        const feed::Event event{document, *item, example.of->stream, head.id, head.time, head.change};
        find_answers(event);
        const std::uint32_t only_filter[] = {0};
        if (const auto annotations = annotator_.annotate(event, e, only_filter, findings_))
            json["estimated"] = json::array(annotations->estimated.begin(), annotations->estimated.end());
    }
    answers_.add_unknown(e + 1 - answers_.of_filter().size());
    json["because"] = answers_.because(e);
    examples_.push_back(std::move(json));
}

void PastTrial::find_answers(const feed::Event& event) {
    if (takes_too_long_) return;
    try {
        answers_.find({&event, 1});
    } catch (const TakesTooLong&) {
        takes_too_long_ = true;
    }
}

HttpReply PastTrial::reply() const {
    const broker::PastMatches::Counts& counts = matches_.counts();
    json::value read_until(nullptr);
    if (counts.is_complete && counts.last_id != 0) {
        read_until = {{"id", counts.last_id}, {"time", time_text(counts.last_time)}};
    } else if (!counts.is_complete && counts.last_read_id != 0) {  // where to go on may be outside the scope
        read_until = {{"id", counts.last_read_id}, {"time", time_text(counts.last_read_time)}};
    }
    const char* reset = start_.missing == nullptr && counts.has_dropped ? "retention" : start_.missing;
    const json::object undecided{
        {"over-budget", counts.over_budget}, {"context", counts.context}, {"undelivered", counts.undelivered}};
    HttpReply reply;
    reply.body = json::serialize(json::object{{"filter", filter_.canonical},
                                              {"hints", hints_json(filter_)},
                                              {"leaves", leaves_json(filter_)},
                                              {"events", counts.events},
                                              {"matched", counts.matched},
                                              {"undecided", undecided},
                                              {"hours", hours_json(counts)},
                                              {"examples", json::array(examples_.begin(), examples_.end())},
                                              {"complete", counts.is_complete},
                                              {"read_until", std::move(read_until)},
                                              {"reset", reset ? json::value(reset) : json::value(nullptr)}});
    return reply;
}

}  // namespace sluice::server
