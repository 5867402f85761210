#include "broker/match/annotator.hpp"

#include <algorithm>
#include <new>
#include <optional>

#include "broker/match/elided.hpp"
#include "gpu/operators/alignment/on_core.hpp"
#include "gpu/operators/alignment/trace.hpp"
#include "protocol/feed/data/json_text.hpp"

namespace sluice::broker {

namespace {

using alignment::Alignment;
using alignment::Code;
using alignment::Mode;

// Values that take longer to read are not aligned. (A path that has "*" before its end may have very many.)
constexpr feed::ScanLimits reading_limits{.condition_steps_max = 20'000'000, .document_steps_max = 100'000'000};

bool is_alignment(const filter::Leaf& leaf) {
    return leaf.predicate.measure &&
           operators::family_of(leaf.predicate.measure->kind) == operators::OperatorFamilyKind::alignment;
}

void write_alignment(feed::JsonWriter& json, const Alignment& alignment, std::size_t value) {
    const auto member = [&](const char* name, std::int64_t number) {
        json.name(name);
        json.literal(std::to_string(number));
    };
    member("value", static_cast<std::int64_t>(value));
    member("score", alignment.score);
    if (!alignment.runs.empty()) {
        member("query_start", std::int64_t{alignment.query_begin} + 1);
        member("query_end", alignment.query_end);
        member("text_start", std::int64_t{alignment.text_begin} + 1);
        member("text_end", alignment.text_end);
    }
    json.name("cigar");
    json.string(alignment.cigar());
}

std::string omission(const std::string& reason) {
    std::string members;
    feed::JsonWriter json(members);
    json.name("omitted");
    json.string(reason);
    return members;
}

std::vector<std::string> attributes_of(const std::vector<std::vector<filter::Leaf>>& leaves) {
    std::vector<std::string> names;
    for (const auto& of_filter : leaves) {
        for (const filter::Leaf& leaf : of_filter) {
            if (is_alignment(leaf)) names.push_back(leaf.predicate.attribute);
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

}  // namespace

Annotator::Annotator(const std::vector<std::vector<filter::Leaf>>& leaves, std::uint64_t cells_max)
    : attributes_(attributes_of(leaves)), extractor_(attributes_), cells_max_(cells_max) {
    for (std::uint32_t filter = 0; filter < leaves.size(); ++filter) {
        for (const filter::Leaf& leaf : leaves[filter]) {
            if (!is_alignment(leaf)) continue;
            const engine::Predicate& p = leaf.predicate;
            const auto bounds = engine::bounds_of(p.op, p.number);
            if (!bounds) continue;
            const auto name = std::lower_bound(attributes_.begin(), attributes_.end(), p.attribute);
            const alignment::Scheme scheme = alignment::parse_scheme(p.measure->scheme).scheme;
            conditions_.push_back({filter, leaf.text, static_cast<std::uint32_t>(name - attributes_.begin()), scheme,
                                   p.measure->kind == engine::Measure::Kind::align ? Mode::local : Mode::global,
                                   scheme.encode(p.measure->operand), *bounds});
        }
    }
}

// The JSON members of the condition's best alignment, among the texts for which the condition holds.
std::string Annotator::find(const Condition& condition, const Texts& texts) {
    const auto& [filter, leaf, attribute, scheme, mode, query, bounds] = condition;
    std::optional<alignment::EndPoint> best;
    std::size_t best_text = 0;
    for (std::size_t t = 0; t < texts.size(); ++t) {
        if (too_long(scheme, query.size(), texts[t].size())) continue;
        const alignment::EndPoint end = align_on_core(scheme, mode, query, texts[t]);
        if (!bounds.accept(end.score) || (best && end.score <= best->score)) continue;
        best = end;
        best_text = t;
    }
    std::string members;
    feed::JsonWriter json(members);
    if (best) write_alignment(json, trace(scheme, mode, query, texts[best_text], *best), best_text);
    return members;
}

Annotator::Texts Annotator::encode(const Condition& condition, std::span<const engine::Value> values) {
    Texts texts;
    for (const engine::Value& value : values) {
        if (value.attribute == condition.attribute) texts.push_back(condition.scheme.encode(value.text));
    }
    return texts;
}

// The condition's entry for the event, with at least its number of cells.
FoundAlignments::Found& Annotator::look_up(const Condition& condition, const engine::ValueGroup& values,
                                           std::size_t event, FoundAlignments& batch) {
    std::shared_ptr<FoundAlignments::Found>& of_event = batch.found[{event, condition.leaf}];
    if (of_event) return *of_event;
    std::shared_ptr<FoundAlignments::Found> made;
    std::shared_ptr<FoundAlignments::Found>& known =
        values.id == 0 ? made : batch.of_groups[{values.id, condition.leaf}];
    if (!known) {
        std::uint64_t letters = 0;
        for (const auto& text : encode(condition, values.values)) letters += text.size();
        known = std::make_shared<FoundAlignments::Found>();
        known->cells = condition.query.size() * letters;
    }
    of_event = known;
    return *known;
}

std::string Annotator::members_of(const Condition& condition, const engine::ValueGroup& values, std::size_t event,
                                  std::uint64_t& cells_left, FoundAlignments& batch) const {
    const auto too_many = [&](const std::string& whose, const std::string& limit) {
        return omission("the alignments of " + whose + " would have more cells (letters times letters) than " + limit +
                        "limits.alignment_cells, " + std::to_string(cells_max_));
    };
    FoundAlignments::Found& found = look_up(condition, values, event, batch);
    if (found.cells > cells_left) return too_many("one event", "");
    if (!found.members) {
        if (batch.cells + found.cells > batch_share * cells_max_)
            return too_many("one batch, for all subscribers,", std::to_string(batch_share) + " times ");
        found.members = find(condition, encode(condition, values.values));
        batch.cells += found.cells;
    }
    cells_left -= found.cells;
    return *found.members;
}

std::string Annotator::alignments(const feed::Event& event, std::size_t e, std::span<const std::uint32_t> filters,
                                  FoundAlignments& found) const {
    std::string text = "[";
    engine::EventBatch batch;
    feed::TextArena arena;
    feed::ReadingBudget reading(reading_limits);
    extractor_.extract(event, batch, arena, found.groups, reading);
    const auto values_of = [&](std::uint32_t attribute) {
        for (const engine::ValueGroup& group : batch.groups) {
            const auto at = std::lower_bound(group.values.begin(), group.values.end(), attribute,
                                             [](const engine::Value& v, std::uint32_t a) { return v.attribute < a; });
            if (at != group.values.end() && at->attribute == attribute) return group;
        }
        return engine::ValueGroup{0, batch.event(0)};
    };
    std::uint64_t cells_left = cells_max_;
    for (const Condition& condition : conditions_) {
        if (!std::binary_search(filters.begin(), filters.end(), condition.filter)) continue;
        std::string members;
        try {
            members = members_of(condition, values_of(condition.attribute), e, cells_left, found);
        } catch (const std::bad_alloc&) {
            members = omission("not enough memory");
        }
        if (members.empty()) continue;
        feed::JsonWriter json(text);
        json.open('{');
        json.name("filter");
        json.literal(std::to_string(condition.filter));
        json.name("leaf");
        json.string(elided(condition.leaf));
        text += ',' + members + '}';
    }
    return text + ']';
}

}  // namespace sluice::broker
