#include "gpu/operators/device_family.hpp"

#include <chrono>

namespace sluice::operators {

namespace {

using Cost = ProcessorChoice::Cost;

// Best-case costs, so that an untried processor is tried where it might be faster: one core with AVX-512, where filters
// rule out most pairs of an alignment; and an H100, including the host's part of a call (tests/bench/results).
constexpr std::array<Cost, 2> edits{Cost{2, 1e5}, Cost{100, 1e7}};
constexpr std::array<Cost, 2> recurrence{Cost{5, 1e5}, Cost{60, 1e7}};
constexpr std::array<Cost, 2> alignment{Cost{5, 1e6}, Cost{300, 4e6}};

}  // namespace

OperatorDevices::OperatorDevices(double cells_min, bool measured)
    : records_{{Record{ProcessorChoice({edits, cells_min, measured})},  // regex: no device evaluates it
                Record{ProcessorChoice({edits, cells_min, measured})},
                Record{ProcessorChoice({recurrence, cells_min, measured})},
                Record{ProcessorChoice({alignment, cells_min, measured})}}} {}

double OperatorDevices::now_us() const {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace sluice::operators
