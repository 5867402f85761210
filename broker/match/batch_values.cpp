#include "broker/match/batch_values.hpp"

#include <algorithm>
#include <map>

#include "protocol/feed/values/extractor.hpp"

namespace sluice::broker {

namespace {

// Values that take longer to read again are not annotated.
constexpr feed::ScanLimits again_limits{.condition_steps_max = 20'000'000, .document_steps_max = 100'000'000};

std::span<const engine::Value> of_attribute(std::span<const engine::Value> values, std::uint32_t attribute) {
    struct Before {
        bool operator()(const engine::Value& value, std::uint32_t number) const { return value.attribute < number; }
        bool operator()(std::uint32_t number, const engine::Value& value) const { return number < value.attribute; }
    };
    const auto [first, end] = std::equal_range(values.begin(), values.end(), attribute, Before());
    return {first, end};
}

engine::ValueGroup values_in(const engine::EventBatch& batch, std::size_t e, std::uint32_t attribute) {
    if (!batch.is_known(static_cast<std::uint32_t>(e), attribute)) return {};
    if (const auto own = of_attribute(batch.event(e), attribute); !own.empty()) return {0, own};
    for (const std::uint32_t g : batch.groups_of(e)) {
        const engine::ValueGroup& group = batch.groups[g];
        if (const auto shared = of_attribute(group.values, attribute); !shared.empty())
            return {group.id, shared, group.events};
    }
    return {};
}

}  // namespace

std::optional<std::uint32_t> AttributeNumbers::find(const engine::Dictionary& dictionary, const std::string& name) {
    if (epoch_ != dictionary.epoch || searched_.size() >= names_max) {
        searched_.clear();
        epoch_ = dictionary.epoch;
    }
    const std::vector<std::string>& names = dictionary.names;
    std::size_t& number = searched_[name];
    while (number < names.size() && names[number] != name) ++number;
    if (number >= names.size()) return std::nullopt;
    return static_cast<std::uint32_t>(number);
}

// Reads one attribute of one event at a time. Groups of values stay, since events share them.
struct BatchValues::Again {
    std::map<std::string, feed::Extractor> extractors;  // by attribute
    engine::EventBatch batch;                           // of the event that was read last
    feed::TextArena arena;
    feed::ValueGroups groups;

    engine::ValueGroup read(const feed::Event& event, const std::string& attribute) {
        const auto extractor = extractors.try_emplace(attribute, std::span(&attribute, 1)).first;
        batch.clear();
        arena.clear();
        feed::ReadingBudget reading(again_limits);
        extractor->second.extract(event, batch, arena, groups, reading);
        return values_in(batch, 0, 0);
    }
};

BatchValues::BatchValues(MatchedValues matched) : matched_(matched) {}
BatchValues::~BatchValues() = default;
BatchValues::BatchValues(BatchValues&&) noexcept = default;
BatchValues& BatchValues::operator=(BatchValues&&) noexcept = default;

// The attribute may be missing from the program: its condition is in the filter as written, but nothing depends on it.
engine::ValueGroup BatchValues::of(const feed::Event& event, std::size_t e, const std::string& attribute) {
    if (e < matched_.events.size() && &matched_.events[e] == &event) {
        if (const auto number = matched_.numbers->find(*matched_.attributes, attribute))
            return values_in(*matched_.batch, e, *number);
    }
    if (!again_) again_ = std::make_unique<Again>();
    return again_->read(event, attribute);
}

}  // namespace sluice::broker
