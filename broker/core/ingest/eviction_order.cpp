#include "broker/core/ingest/eviction_order.hpp"

#include <utility>

namespace sluice::broker {

void EvictionOrder::add(Place& place, const std::string& name, Clock::time_point now, std::size_t keepers,
                        std::size_t publications) {
    const std::lock_guard lock(mutex_);
    place.publications_ = publications;
    place.inside_ = uses_.insert({publications > 1, now, &name}).first;
    place.is_in_use_ = true;
    place.keepers_ = keepers;
    if (keepers != 0) place.outside_ = uses_.extract(place.inside_);
}

EvictionOrder::Uses::node_type EvictionOrder::take_out(Place& place) noexcept {
    return place.outside_ ? std::move(place.outside_) : uses_.extract(place.inside_);
}

void EvictionOrder::remove(Place& place) noexcept {
    const std::lock_guard lock(mutex_);
    if (std::exchange(place.is_in_use_, false)) take_out(place);
}

void EvictionOrder::keep(Place& place) noexcept {
    const std::lock_guard lock(mutex_);
    if (place.is_in_use_ && place.keepers_++ == 0) place.outside_ = uses_.extract(place.inside_);
}

void EvictionOrder::release(Place& place) noexcept {
    const std::lock_guard lock(mutex_);
    if (place.is_in_use_ && --place.keepers_ == 0) place.inside_ = uses_.insert(std::move(place.outside_)).position;
}

void EvictionOrder::published(Place& place, Clock::time_point now, bool has_news) noexcept {
    const std::lock_guard lock(mutex_);
    if (!place.is_in_use_) return;
    place.publications_ += has_news ? 1u : 0u;
    auto use = take_out(place);
    use.value().is_repeated = place.publications_ > 1;
    use.value().published_at = now;
    if (place.keepers_ != 0)
        place.outside_ = std::move(use);
    else
        place.inside_ = uses_.insert(std::move(use)).position;
}

std::vector<const std::string*> EvictionOrder::first(std::size_t n) const {
    std::vector<const std::string*> names;
    const std::lock_guard lock(mutex_);
    for (auto at = uses_.begin(); at != uses_.end() && names.size() < n; ++at) names.push_back(at->name);
    return names;
}

std::vector<const std::string*> EvictionOrder::idle_since(Clock::time_point then, std::size_t n) const {
    std::vector<const std::string*> names;
    const std::lock_guard lock(mutex_);
    for (const bool is_repeated : {false, true}) {
        auto at = uses_.lower_bound({is_repeated, Clock::time_point::min(), nullptr});
        for (std::size_t i = 0; i < n && at != uses_.end(); ++i, ++at) {
            if (at->is_repeated != is_repeated || at->published_at >= then) break;
            names.push_back(at->name);
        }
    }
    return names;
}

}  // namespace sluice::broker
