#include "gpu/cpu/segment/event_sample.hpp"

#include <algorithm>
#include <new>

#include "gpu/tables/hash.hpp"

namespace sluice::cpu {

namespace {

constexpr std::size_t values_max = 256, text_bytes_max = 512, event_bytes_max = 4096;

}  // namespace

SampledEvent::SampledEvent(std::span<const engine::Value> values, std::uint32_t attributes) : attributes_(attributes) {
    add(values);
}

SampledEvent::SampledEvent(const engine::EventBatch& batch, std::size_t e, std::uint32_t attributes)
    : SampledEvent(batch.event(e), attributes) {
    for (const std::uint32_t group : batch.groups_of(e)) add(batch.groups[group].values);
}

void SampledEvent::add(std::span<const engine::Value> values) {
    for (const engine::Value& value : values.first(std::min(values.size(), values_max - items_.size()))) {
        const std::size_t bytes = std::min({value.text.size(), text_bytes_max, event_bytes_max - text_.size()});
        items_.push_back({value.attribute, static_cast<std::uint32_t>(bytes), value.number});
        text_.append(value.text.substr(0, bytes));
    }
}

void SampledEvent::values(std::vector<engine::Value>& values) const {
    values.clear();
    std::string_view rest = text_;
    for (const Item& item : items_) {
        values.push_back({item.attribute, rest.substr(0, item.text_bytes), item.number});
        rest.remove_prefix(item.text_bytes);
    }
}

void EventSample::observe(const engine::EventBatch& batch, std::uint32_t attributes) noexcept {
    thread_local std::size_t next = 0;  // the number of events to skip
    if (next >= batch.size()) {
        next -= batch.size();
        return;
    }
    const std::unique_lock lock(mutex_, std::try_to_lock);
    for (; next < batch.size(); next += step) {
        if (lock) record(batch, next, attributes);
    }
    next -= batch.size();
}

void EventSample::record(const engine::EventBatch& batch, std::size_t e, std::uint32_t attributes) noexcept {
    try {
        SampledEvent event(batch, e, attributes);
        if (events_.size() < events_max) {
            events_.push_back(std::move(event));
        } else {
            random_ = engine::mix(random_ + 0x9e3779b97f4a7c15u);
            events_[random_ % events_max] = std::move(event);
        }
        recorded_.fetch_add(1, std::memory_order_relaxed);
    } catch (const std::bad_alloc&) {  // the sample does without it
    }
}

std::vector<SampledEvent> EventSample::events() const {
    const std::lock_guard lock(mutex_);
    return events_;
}

}  // namespace sluice::cpu
