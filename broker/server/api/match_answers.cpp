#include "broker/server/api/match_answers.hpp"

#include <algorithm>
#include <utility>

#include "broker/match/batch_limits.hpp"
#include "protocol/feed/item/fields.hpp"
#include "protocol/filter/explain.hpp"
#include "protocol/filter/hints/hints.hpp"
#include "protocol/text/date.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::server {

namespace json = boost::json;

MatchAnswers::MatchAnswers(const filter::Filter& filter, const config::LimitOptions& limits, base::MemoryBudget& memory,
                           std::function<void(double ns)> pause)
    : pause_(std::move(pause)),
      matcher_(broker::batch_limits(limits, &memory), pause_),
      answers_(filter.leaves.size() + 1) {
    const auto set = engine::make_subscription_set(engine::Backend::cpu);
    const auto add = [&](const engine::Disjunction& disjunction, std::uint32_t index) {
        const engine::SubscriptionId id = set->add(disjunction);
        if (id.slot >= index_of_slot_.size()) index_of_slot_.resize(id.slot + 1);
        index_of_slot_[id.slot] = index;
    };
    add(filter.disjunction, 0);
    for (std::uint32_t i = 0; i < filter.leaves.size(); ++i) add({{filter.leaves[i].predicate}, {{{0, false}}}}, i + 1);
    program_ = set->compile();
}

void MatchAnswers::find(std::span<const feed::Event> events) {
    pause_(0);
    matcher_.match(*program_, events);
    const std::size_t first = answers_[0].size();
    for (auto& answers : answers_) answers.resize(first + events.size());
    const auto note = [&](std::span<const engine::Match> matches, Answer answer) {
        for (const engine::Match& match : matches) {
            std::vector<Answer>& answers = answers_[index_of_slot_[match.subscription.slot]];
            for (std::size_t e = 0; e < 32 && match.word * 32 + e < events.size(); ++e) {
                Answer& noted = answers[first + match.word * 32 + e];
                if ((match.accepted >> e & 1) != 0) noted = std::max(noted, answer);
            }
        }
    };
    note(matcher_.matches(), Answer::yes);
    note(matcher_.undecided(), Answer::unknown);
}

void MatchAnswers::add_unknown(std::size_t events) {
    for (auto& answers : answers_) answers.resize(answers.size() + events, Answer::unknown);
}

json::array MatchAnswers::because(std::size_t event) const {
    json::array because;
    for (std::size_t i = 1; i < answers_.size(); ++i) because.push_back(json_of(answers_[i][event]));
    return because;
}

json::value json_of(MatchAnswers::Answer answer) {
    using Answer = MatchAnswers::Answer;
    return answer == Answer::unknown ? json::value(nullptr) : json::value(answer == Answer::yes);
}

json::array hints_json(const filter::Filter& filter) {
    json::array hints;
    for (const filter::Hint& hint : filter.hints)
        hints.push_back(
            {{"line", hint.line}, {"column", hint.column}, {"message", hint.message}, {"excerpt", hint.excerpt}});
    return hints;
}

json::array leaves_json(const filter::Filter& filter) {
    json::array leaves;
    for (const filter::Leaf& leaf : filter.leaves)
        leaves.push_back({{"leaf", leaf.text}, {"how", filter::how_decided(leaf)}});
    return leaves;
}

std::string time_text(feed::RecordTime time) {
    std::string text(text::rfc3339_bytes, ' ');
    text::write_rfc3339_us(text.data(), time);
    return text;
}

json::object event_summary(const feed::EventHead& head, const std::string& stream, const feed::Document* document,
                           std::size_t item) {
    json::object summary{
        {"id", head.id}, {"stream", stream}, {"time", time_text(head.time)}, {"title", nullptr}, {"item_id", nullptr}};
    if (document == nullptr) return summary;
    const feed::Fields fields = feed::read_fields(*document, document->items()[item]);
    if (fields.title) summary["title"] = text::shortened_utf8(*fields.title, summary_title_bytes_max);
    if (fields.id) summary["item_id"] = *fields.id;
    return summary;
}

std::size_t reply_memory(const filter::Filter& filter, const broker::Annotator& annotator, std::size_t items) {
    constexpr std::size_t item_bytes = 512, leaf_bytes = 512, answer_bytes = 32, estimate_bytes = 1024;
    constexpr std::size_t hints_bytes = filter::hints_max * 2048;
    std::size_t bytes = hints_bytes + items * (item_bytes + filter.leaves.size() * answer_bytes);
    for (const filter::Leaf& leaf : filter.leaves) bytes += 3 * leaf.text.size() + leaf_bytes;
    return bytes + items * annotator.estimates_max() * estimate_bytes;
}

}  // namespace sluice::server
