// Counts the work of the filters' operators, in families with the label `operator`, its name in filters. `contains`
// belongs to those families that apply to it.
#pragma once

#include <vector>

#include "broker/base/metrics.hpp"

namespace sluice::broker {

// As in OperatorWork::Kind.
struct OperatorCounters {
    base::Counter &texts, &pairs, &cells, &filter_hits, &verified, &holds, &unreadable;
    base::Counter &device_texts, &device_pairs, &device_cells;
};

// As in substrings::Counters.
struct ContainsCounters {
    base::Counter &texts, &bytes, &filter_hits, &verified, &hits;
};

// By engine::Measure::Kind.
std::vector<OperatorCounters> operator_counters(base::MetricRegistry& metrics);
ContainsCounters contains_counters(base::MetricRegistry& metrics);

}  // namespace sluice::broker
