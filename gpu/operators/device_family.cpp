#include "gpu/operators/device_family.hpp"

namespace sluice {

namespace {

using Cost = ProcessorChoice::Cost;

// One core of a Zen 5 with AVX-512, and an H100 with the host's part of a call (tests/bench/results); measurements
// replace them.
constexpr std::array<Cost, 2> edits{Cost{2, 5e4}, Cost{120, 1e6}};
constexpr std::array<Cost, 2> recurrence{Cost{5, 5e4}, Cost{80, 4e6}};
constexpr std::array<Cost, 2> alignment{Cost{5, 5e4}, Cost{400, 2e6}};

}  // namespace

OperatorDevices::OperatorDevices(double cells_min, bool measured)
    : fates_{{Fate{ProcessorChoice({edits, cells_min, measured})},  // regex, which no device evaluates
              Fate{ProcessorChoice({edits, cells_min, measured})},
              Fate{ProcessorChoice({recurrence, cells_min, measured})},
              Fate{ProcessorChoice({alignment, cells_min, measured})}}} {}

}  // namespace sluice
