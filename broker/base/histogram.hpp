// Counts the values at or below each of some fixed bounds, and sums all values. It shows the slow one in a hundred that
// a mean would hide. A MetricRegistry owns it, as in metric.hpp. add() is a search among the bounds and two relaxed
// increments. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::base {

class Histogram {
public:
    struct Snapshot {
        // at_most[i]: the number of values of at most bounds()[i]; the last element counts all values.
        std::vector<std::uint64_t> at_most;
        std::uint64_t sum = 0;

        std::uint64_t count() const { return at_most.back(); }
    };

    // Throws std::logic_error unless `bounds` are strictly ascending. Without bounds, only count and sum are kept.
    explicit Histogram(std::span<const std::uint64_t> bounds);

    void add(std::uint64_t value);

    std::span<const std::uint64_t> bounds() const { return bounds_; }
    // Counts never decrease from bucket to bucket. While other threads add, the sum may include more or fewer values
    // than the count.
    Snapshot snapshot() const;

private:
    const std::vector<std::uint64_t> bounds_;
    std::vector<std::atomic<std::uint64_t>> buckets_;  // by the least bound >= the value; the last is for larger values
    std::atomic<std::uint64_t> sum_{0};
};

}  // namespace sluice::base
