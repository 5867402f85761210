// The counters of a family with one label, by an enumeration: its values are 0, 1, …, and their names the label's
// values. Views of counters that a registry owns; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "broker/base/metrics.hpp"

namespace sluice::base {

template <typename Key, std::size_t n>
class CounterBy {
public:
    CounterBy(MetricRegistry& metrics, const MetricInfo& info, std::string_view label,
              const std::array<std::string_view, n>& names) {
        for (std::size_t i = 0; i < n; ++i) counters_[i] = &metrics.counter(info, {{label, names[i]}});
    }

    Counter& operator[](Key key) const { return *counters_[static_cast<std::size_t>(key)]; }
    std::uint64_t total() const {
        std::uint64_t sum = 0;
        for (const Counter* counter : counters_) sum += counter->load();
        return sum;
    }

private:
    std::array<Counter*, n> counters_;
};

}  // namespace sluice::base
