// The matching workloads of tests/bench/matcher_workload.hpp through a broker: their intervals as comparisons, their
// events as items with an element for each attribute. The events are repeated.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/bench/load/workload.hpp"
#include "tests/bench/matcher_workload.hpp"

namespace sluice::load {

class NumberWorkload final : public Workload {
public:
    // kind: W1 to W5, W7 or W8; throws std::runtime_error for others.
    explicit NumberWorkload(const WorkloadOptions& options);
    void prepare() override;

private:
    Item next_item(std::uint64_t number) override;
    std::vector<std::size_t> receivers(std::size_t event) const;  // by the definition of the intervals

    bench::Workload made_;
    std::size_t connections_;
    std::vector<std::vector<std::size_t>> receivers_;  // by event
};

}  // namespace sluice::load
