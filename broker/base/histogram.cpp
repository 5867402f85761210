#include "broker/base/histogram.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace sluice::base {

Histogram::Histogram(std::span<const std::uint64_t> bounds)
    : bounds_(bounds.begin(), bounds.end()), buckets_(bounds.size() + 1) {
    if (std::adjacent_find(bounds_.begin(), bounds_.end(), std::greater_equal<>()) != bounds_.end())
        throw std::logic_error("the bounds of a histogram do not ascend");
}

void Histogram::add(std::uint64_t value) {
    const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
    buckets_[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
}

Histogram::Snapshot Histogram::snapshot() const {
    Snapshot snapshot;
    snapshot.at_most.reserve(buckets_.size());
    std::uint64_t count = 0;
    for (const auto& bucket : buckets_) snapshot.at_most.push_back(count += bucket.load(std::memory_order_relaxed));
    snapshot.sum = sum_.load(std::memory_order_relaxed);
    return snapshot;
}

}  // namespace sluice::base
