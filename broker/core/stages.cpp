#include "broker/core/stages.hpp"

#include <random>
#include <unistd.h>

namespace sluice::broker {

thread_local constinit std::array<std::uint8_t, stage_names.size()> StageTimes::runs_left{};

StageTimes::StageTimes(base::MetricRegistry& metrics)
    : nanoseconds_(metrics,
                   {.name = "stage_seconds",
                    .help = "Time spent in a stage of an event's way, estimated from one run in 16",
                    .unit = "seconds",
                    .per_unit = 1'000'000'000},
                   "stage", stage_names) {}

std::uint8_t StageTimes::next_gap() noexcept {
    thread_local std::minstd_rand random(static_cast<std::minstd_rand::result_type>(gettid()));
    return static_cast<std::uint8_t>(1 + random() % (2 * runs_per_sample - 1));
}

}  // namespace sluice::broker
