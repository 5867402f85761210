#include "broker/match/annotator.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "broker/match/elided.hpp"
#include "gpu/operators/alignment/on_core.hpp"
#include "gpu/operators/alignment/trace.hpp"
#include "gpu/operators/recurrence_family.hpp"

namespace sluice::broker {

namespace {

using alignment::Mode;
using operators::OperatorFamilyKind;

FoundAlignment omission(std::string reason) {
    FoundAlignment found;
    found.omitted = std::move(reason);
    return found;
}

BatchFindings::Key key_of(const engine::ValueGroup& values, std::size_t e, std::string_view what) {
    return {values.id, values.id == 0 ? e : 0, what};
}

bool is_among(std::span<const std::uint32_t> filters, std::uint32_t filter) {
    return std::binary_search(filters.begin(), filters.end(), filter);
}

}  // namespace

struct Annotator::Place {
    const feed::Event& event;
    std::size_t number;
    BatchFindings& batch;

    engine::ValueGroup values(const std::string& attribute) const { return batch.values.of(event, number, attribute); }
};

Annotator::Annotator(const std::vector<std::vector<filter::Leaf>>& leaves, std::optional<std::uint64_t> cells_max)
    : cells_max_(cells_max) {
    for (std::uint32_t filter = 0; filter < leaves.size(); ++filter) {
        for (const filter::Leaf& leaf : leaves[filter]) {
            const engine::Predicate& p = leaf.predicate;
            if (!p.measure) continue;
            const OperatorFamilyKind family = operators::family_of(p.measure->kind);
            const auto bounds = engine::bounds_of(p.op, p.number);
            if (family == OperatorFamilyKind::alignment && cells_max_ && bounds) {
                const alignment::Scheme scheme = alignment::parse_scheme(p.measure->scheme).scheme;
                const bool is_local = p.measure->kind == engine::Measure::Kind::align;
                alignable_.push_back({{filter, leaf.text, p.attribute},
                                      scheme,
                                      is_local ? Mode::local : Mode::global,
                                      scheme.encode(p.measure->operand),
                                      *bounds});
            }
            if (family != OperatorFamilyKind::recurrence) continue;
            const auto exact = recurrence::exact_points(operators::RecurrenceFamily::question_of(*p.measure));
            if (exact < recurrence::series_points_max) estimable_.push_back({{filter, leaf.text, p.attribute}, exact});
        }
    }
}

// The condition's best alignment, among the texts for which the condition holds.
std::optional<FoundAlignment> Annotator::best(const Alignable& condition, const Texts& texts) {
    const auto& [scheme, mode, query, bounds] =
        std::tie(condition.scheme, condition.mode, condition.query, condition.bounds);
    std::optional<alignment::EndPoint> best_end;
    std::size_t best_text = 0;
    for (std::size_t t = 0; t < texts.size(); ++t) {
        if (too_long(scheme, query.size(), texts[t].size())) continue;
        const alignment::EndPoint end = align_on_core(scheme, mode, query, texts[t]);
        if (!bounds.accept(end.score) || (best_end && end.score <= best_end->score)) continue;
        best_end = end;
        best_text = t;
    }
    if (!best_end) return std::nullopt;
    const alignment::Alignment traced = trace(scheme, mode, query, texts[best_text], *best_end);
    return FoundAlignment{0,
                          {},
                          {},
                          best_text,
                          traced.score,
                          traced.query_begin,
                          traced.query_end,
                          traced.text_begin,
                          traced.text_end,
                          traced.cigar()};
}

// Sets the number of cells of aligning all the texts.
Annotator::Texts Annotator::encode(const Alignable& condition, std::span<const engine::Value> values,
                                   std::uint64_t& cells) {
    Texts texts;
    cells = 0;
    for (const engine::Value& value : values) {
        texts.push_back(condition.scheme.encode(value.text));
        cells += condition.query.size() * texts.back().size();
    }
    return texts;
}

std::optional<FoundAlignment> Annotator::align(const Alignable& condition, const Place& place,
                                               std::uint64_t& cells_left) const {
    const auto too_many = [&](const std::string& whose, const std::string& limit) {
        return omission("the alignments of " + whose + " would have more cells (letters times letters) than " + limit +
                        "limits.alignment_cells, " + std::to_string(*cells_max_));
    };
    BatchFindings::Aligned& of_event = place.batch.aligned[{0, place.number, condition.leaf}];
    BatchFindings::Aligned* aligned = &of_event;  // or that of the group of its values
    Texts texts;
    if (!of_event.is_done) {
        const engine::ValueGroup values = place.values(condition.attribute);
        aligned = &place.batch.aligned[key_of(values, place.number, condition.leaf)];
        if (!aligned->is_done) texts = encode(condition, values.values, aligned->cells);
    }
    if (aligned->cells > cells_left) return too_many("one event", "");
    if (!aligned->is_done) {
        if (place.batch.cells + aligned->cells > batch_share * *cells_max_)
            return too_many("one batch, for all subscribers,", std::to_string(batch_share) + " times ");
        aligned->best = best(condition, texts);
        aligned->is_done = true;
        place.batch.cells += aligned->cells;
    }
    if (aligned != &of_event) of_event = *aligned;  // so that other subscribers need no values
    cells_left -= of_event.cells;
    return of_event.best;
}

std::vector<FoundAlignment> Annotator::alignments(const Place& place, std::span<const std::uint32_t> filters) const {
    std::vector<FoundAlignment> all;
    std::uint64_t cells_left = *cells_max_;
    for (const Alignable& condition : alignable_) {
        if (!is_among(filters, condition.filter)) continue;
        std::optional<FoundAlignment> found;
        try {
            found = align(condition, place, cells_left);
        } catch (const std::bad_alloc&) {
            found = omission("not enough memory");
        }
        if (!found) continue;
        found->filter = condition.filter;
        found->leaf = elided(condition.leaf);
        all.push_back(std::move(*found));
    }
    return all;
}

// Texts that are too short to be estimated are not read: values are separated, so each takes two bytes but the last.
std::size_t Annotator::longest_series(const std::string& attribute, const Place& place) {
    static const std::size_t always_exact = recurrence::Options().exact_points_max;
    std::map<BatchFindings::Key, std::size_t>& found = place.batch.longest;
    const BatchFindings::Key event{0, place.number, attribute};
    if (const auto known = found.find(event); known != found.end()) return known->second;
    const engine::ValueGroup values = place.values(attribute);
    const auto [of_values, is_new] = found.try_emplace(key_of(values, place.number, attribute), 0);
    std::size_t& longest = of_values->second;
    for (const engine::Value& value : is_new ? values.values : std::span<const engine::Value>()) {
        if (value.text.size() > 2 * always_exact) longest = std::max(longest, recurrence::count_values(value.text));
    }
    return found[event] = longest;
}

std::vector<std::string> Annotator::estimates(const Place& place, std::span<const std::uint32_t> filters) const {
    std::vector<std::string> estimated;
    for (const Estimable& condition : estimable_) {
        if (!is_among(filters, condition.filter)) continue;
        if (longest_series(condition.attribute, place) <= condition.exact_points) continue;
        std::string leaf = elided(condition.leaf);
        if (std::find(estimated.begin(), estimated.end(), leaf) == estimated.end())
            estimated.push_back(std::move(leaf));
    }
    return estimated;
}

std::shared_ptr<const Annotations> Annotator::annotate(const feed::Event& event, std::size_t e,
                                                       std::span<const std::uint32_t> filters,
                                                       BatchFindings& batch) const {
    const Place place{event, e, batch};
    Annotations made;
    if (cells_max_) made.alignments = alignments(place, filters);
    made.estimated = estimates(place, filters);
    if (!made.alignments && made.estimated.empty()) return nullptr;
    return std::make_shared<const Annotations>(std::move(made));
}

}  // namespace sluice::broker
