#include "broker/match/estimates.hpp"

#include <algorithm>

#include "broker/match/elided.hpp"
#include "gpu/operators/recurrence_family.hpp"
#include "protocol/feed/data/json_text.hpp"

namespace sluice::broker {

namespace {

// As for alignments. Values that take longer to read are not looked at.
constexpr feed::ScanLimits series_reading_limits{.condition_steps_max = 20'000'000, .document_steps_max = 100'000'000};

// The longest series for which the leaf's value is exact.
std::size_t exact_points_of(const filter::Leaf& leaf) {
    const auto& measure = leaf.predicate.measure;
    if (!measure || operators::family_of(measure->kind) != operators::OperatorFamilyKind::recurrence)
        return recurrence::series_points_max;
    return recurrence::exact_points(operators::RecurrenceFamily::question_of(*measure));
}

bool may_be_estimated(const filter::Leaf& leaf) { return exact_points_of(leaf) < recurrence::series_points_max; }

std::vector<std::string> series_attributes(const std::vector<std::vector<filter::Leaf>>& leaves) {
    std::vector<std::string> names;
    for (const auto& of_filter : leaves) {
        for (const filter::Leaf& leaf : of_filter) {
            if (may_be_estimated(leaf)) names.push_back(leaf.predicate.attribute);
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

// The longest series among the attribute's values, if it is longer than `exact_points`. Short texts are not read, since
// values are separated.
std::size_t longest_of(std::uint32_t attribute, std::size_t exact_points, std::span<const engine::Value> values) {
    std::size_t longest = 0;
    for (const engine::Value& value : values) {
        if (value.attribute == attribute && value.text.size() > 2 * exact_points)
            longest = std::max(longest, recurrence::count_values(value.text));
    }
    return longest;
}

}  // namespace

std::unique_ptr<const Estimates> Estimates::make(const std::vector<std::vector<filter::Leaf>>& leaves) {
    std::vector<std::string> attributes = series_attributes(leaves);
    if (attributes.empty()) return nullptr;
    return std::unique_ptr<const Estimates>(new Estimates(leaves, std::move(attributes)));
}

Estimates::Estimates(const std::vector<std::vector<filter::Leaf>>& leaves, std::vector<std::string> attributes)
    : attributes_(std::move(attributes)),
      exact_points_(attributes_.size(), recurrence::series_points_max),
      extractor_(attributes_) {
    for (std::uint32_t filter = 0; filter < leaves.size(); ++filter) {
        for (const filter::Leaf& leaf : leaves[filter]) {
            if (!may_be_estimated(leaf)) continue;
            const auto name = std::lower_bound(attributes_.begin(), attributes_.end(), leaf.predicate.attribute);
            const auto attribute = static_cast<std::uint32_t>(name - attributes_.begin());
            conditions_.push_back({filter, elided(leaf.text), attribute, exact_points_of(leaf)});
            exact_points_[attribute] = std::min(exact_points_[attribute], exact_points_of(leaf));
        }
    }
}

// The longest series of each attribute, as far as it matters.
std::vector<std::size_t> Estimates::measure(const feed::Event& event, std::size_t e, FoundSeries& found) const {
    std::vector<std::size_t> longest;
    for (std::size_t a = 0; a < attributes_.size(); ++a) {
        const auto known = found.longest.find({e, exact_points_[a], attributes_[a]});
        if (known != found.longest.end()) longest.push_back(known->second);
    }
    if (longest.size() == attributes_.size()) return longest;
    engine::EventBatch batch;
    feed::TextArena arena;
    feed::ReadingBudget reading(series_reading_limits);
    extractor_.extract(event, batch, arena, found.groups, reading);
    longest.assign(attributes_.size(), 0);
    for (std::uint32_t a = 0; a < attributes_.size(); ++a) {
        longest[a] = longest_of(a, exact_points_[a], batch.event(0));
        for (const engine::ValueGroup& group : batch.groups) {
            const auto [known, is_new] =
                found.longest_of_group.try_emplace({group.id, exact_points_[a], attributes_[a]}, 0);
            if (is_new) known->second = longest_of(a, exact_points_[a], group.values);
            longest[a] = std::max(longest[a], known->second);
        }
        found.longest[{e, exact_points_[a], attributes_[a]}] = longest[a];
    }
    return longest;
}

std::vector<std::string> Estimates::conditions(const feed::Event& event, std::size_t e,
                                               std::span<const std::uint32_t> filters, FoundSeries& found) const {
    std::vector<std::string> estimated;
    const std::vector<std::size_t> longest = measure(event, e, found);
    for (const Condition& condition : conditions_) {
        if (!std::binary_search(filters.begin(), filters.end(), condition.filter)) continue;
        if (longest[condition.attribute] <= condition.exact_points) continue;
        if (std::find(estimated.begin(), estimated.end(), condition.leaf) == estimated.end())
            estimated.push_back(condition.leaf);
    }
    return estimated;
}

std::string estimated_json(const std::vector<std::string>& conditions) {
    std::string text;
    if (conditions.empty()) return text;
    feed::JsonWriter json(text);
    json.open('[');
    for (const std::string& condition : conditions) json.string(condition);
    json.close(']');
    return text;
}

}  // namespace sluice::broker
