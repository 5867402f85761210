#include "broker/match/event_explainer.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "broker/match/batch_values.hpp"
#include "gpu/api/matcher.hpp"
#include "gpu/operators/cost.hpp"
#include "gpu/operators/measured.hpp"
#include "protocol/filter/siblings.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::broker {

namespace {

using filter::Filter;
using filter::Leaf;

engine::Disjunction only(const engine::Predicate& predicate) { return {{predicate}, {{{0, false}}}}; }

engine::Predicate exists(const std::string& attribute) {
    engine::Predicate predicate;
    predicate.attribute = attribute;
    return predicate;
}

bool looks_at_siblings(const Leaf& leaf) {
    Filter alone;
    alone.leaves.push_back(leaf);
    return filter::needs_siblings(alone).has_value();
}

void note(LeafFinding& finding, std::optional<bool> answer) {
    finding.holds = answer;
    if (!answer) finding.reason = Unknown::over_budget;
}

}  // namespace

EventExplainer::EventExplainer(const Filter& filter, const BatchLimits& limits, std::function<void()> pause)
    : filter_(filter),
      pause_(std::move(pause)),
      ns_max_(limits.event_time == BatchLimits::none ? std::numeric_limits<double>::infinity()
                                                     : static_cast<double>(limits.event_time.count())),
      matcher_(limits, [this](double ns) { spend(ns); }) {}

void EventExplainer::spend(double ns) {
    pause_();
    spent_ns_ += ns;
    if (spent_ns_ > ns_max_) throw OverBudget();
}

Explanation EventExplainer::explain(const feed::Event& event, bool has_siblings) {
    found_ = {};
    found_.leaves.resize(filter_.leaves.size());
    values_bytes_ = 0;
    if (!has_siblings && filter::needs_siblings(filter_)) {
        found_.reason = Unknown::context;
        for (std::size_t i = 0; i < filter_.leaves.size(); ++i)
            if (looks_at_siblings(filter_.leaves[i])) found_.leaves[i].reason = Unknown::context;
    } else {
        decide_filter(event);
    }
    decide_indexed(event);
    decide_needed(event, &Leaf::scanned);
    decide_needed(event, &Leaf::computed);
    compute(event);
    return std::move(found_);
}

Explanation EventExplainer::undelivered() const {
    LeafFinding unknown;
    unknown.reason = Unknown::undelivered;
    return {{}, Unknown::undelivered, std::vector<LeafFinding>(filter_.leaves.size(), unknown)};
}

std::vector<std::optional<bool>> EventExplainer::decide(const feed::Event& event,
                                                        std::span<const engine::Disjunction> filters) {
    std::vector<std::optional<bool>> answers(filters.size(), false);
    const auto set = engine::make_subscription_set(engine::Backend::cpu);
    std::vector<std::size_t> index_of_slot;
    for (std::size_t i = 0; i < filters.size(); ++i) {
        const engine::SubscriptionId id = set->add(filters[i]);
        if (id.slot >= index_of_slot.size()) index_of_slot.resize(id.slot + 1);
        index_of_slot[id.slot] = i;
    }
    spent_ns_ = 0;
    try {
        spend(0);
        matcher_.match(*set->compile(), {&event, 1});
    } catch (const OverBudget&) {
        answers.assign(filters.size(), std::nullopt);
        return answers;
    }
    // A match outweighs that another conjunction is undecided.
    for (const engine::Match& match : matcher_.undecided()) answers[index_of_slot[match.subscription.slot]].reset();
    for (const engine::Match& match : matcher_.matches()) answers[index_of_slot[match.subscription.slot]] = true;
    return answers;
}

void EventExplainer::decide_filter(const feed::Event& event) {
    found_.matched = decide(event, {&filter_.disjunction, 1}).front();
    if (!found_.matched) found_.reason = Unknown::over_budget;
}

// Reads the values of the computed leaves, too.
void EventExplainer::decide_indexed(const feed::Event& event) {
    Leaves leaves;
    std::vector<engine::Disjunction> questions;
    for (std::uint32_t i = 0; i < filter_.leaves.size(); ++i) {
        const Leaf& leaf = filter_.leaves[i];
        if (leaf.scanned() || !found_.leaves[i].reason.empty()) continue;
        leaves.push_back(i);
        questions.push_back(only(leaf.indexed ? leaf.predicate : exists(leaf.predicate.attribute)));
    }
    const auto answers = decide(event, questions);
    Leaves known;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        if (filter_.leaves[leaves[i]].indexed) note(found_.leaves[leaves[i]], answers[i]);
        if (answers[i]) known.push_back(leaves[i]);
    }
    read_values(event, known);
}

void EventExplainer::read_values(const feed::Event& event, const Leaves& leaves) {
    BatchValues read(matcher_.values());
    for (const std::uint32_t i : leaves) {
        LeafFinding& finding = found_.leaves[i];
        const auto values = read.of(event, 0, filter_.leaves[i].predicate.attribute).values;
        finding.value_count = values.size();
        for (const engine::Value& value : values.first(std::min(values.size(), values_max))) {
            if (values_bytes_ > values_bytes_max) break;
            finding.values.push_back(text::shortened_utf8(value.text, value_bytes_max));
            values_bytes_ += finding.values.back().size();
        }
    }
}

// Those that are in an alternative which may still hold.
void EventExplainer::decide_needed(const feed::Event& event, bool (Leaf::*is)() const) {
    std::vector<bool> is_needed(filter_.leaves.size());
    const std::vector<Alternative> alternatives = alternatives_of(filter_, found_.leaves);
    for (std::size_t a = 0; a < alternatives.size(); ++a) {
        if (!alternatives[a].failed.empty()) continue;
        for (const engine::Literal& literal : filter_.disjunction.conjunctions[a])
            is_needed[filter_.leaf_of[literal.predicate]] = true;
    }
    Leaves leaves;
    std::vector<engine::Disjunction> questions;
    for (std::uint32_t i = 0; i < filter_.leaves.size(); ++i) {
        if (!(filter_.leaves[i].*is)() || !found_.leaves[i].reason.empty()) continue;
        if (!is_needed[i]) {
            found_.leaves[i].reason = Unknown::not_needed;
            continue;
        }
        leaves.push_back(i);
        questions.push_back(only(filter_.leaves[i].predicate));
    }
    if (leaves.empty()) return;
    const auto answers = decide(event, questions);
    for (std::size_t i = 0; i < leaves.size(); ++i) note(found_.leaves[leaves[i]], answers[i]);
}

// The numbers of the values that are shown, as far as a budget like that for deciding them allows.
void EventExplainer::compute(const feed::Event& event) {
    spent_ns_ = 0;
    BatchValues read(matcher_.values());
    for (std::size_t i = 0; i < filter_.leaves.size(); ++i) {
        const Leaf& leaf = filter_.leaves[i];
        LeafFinding& finding = found_.leaves[i];
        if (!leaf.computed() || !finding.holds || leaf.predicate.measure->kind == engine::Measure::Kind::matches)
            continue;
        const engine::Measure& measure = *leaf.predicate.measure;
        const operators::OperatorCost cost = operators::cost_of(measure);
        const auto values = read.of(event, 0, leaf.predicate.attribute).values;
        for (std::size_t v = 0; v < std::min(values.size(), finding.values.size()); ++v) {
            pause_();
            spent_ns_ += cost.ns(values[v].text.size());
            finding.computed.push_back(spent_ns_ <= ns_max_ ? operators::measured(measure, values[v].text)
                                                            : std::numeric_limits<double>::quiet_NaN());
        }
    }
}

}  // namespace sluice::broker
