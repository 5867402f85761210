// Histograms of how long matching a batch took, by lane and processor, and the operators in it, by family and
// processor. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "broker/base/metrics.hpp"
#include "gpu/operators/family_kind.hpp"

namespace sluice::broker {

enum class Processor : std::uint8_t { cpu, gpu };
inline constexpr std::array<std::string_view, 2> processors{"cpu", "gpu"};

class MatchTimes {
public:
    MatchTimes(base::MetricRegistry& metrics, std::span<const std::uint64_t> bounds_us) {
        const base::MetricInfo info{
            .name = "match_seconds",
            .help = "Elapsed time of matching a batch, without its delivery; gpu: a GPU took part",
            .unit = "seconds",
            .per_unit = 1'000'000};
        const std::array<std::string_view, 2> lanes{"fast", "slow"};
        for (std::size_t lane = 0; lane < lanes.size(); ++lane)
            for (std::size_t p = 0; p < processors.size(); ++p)
                times_[lane][p] =
                    &metrics.histogram(info, bounds_us, {{"lane", lanes[lane]}, {"processor", processors[p]}});
    }

    base::Histogram& of(bool is_slow_lane, Processor processor) const {
        return *times_[is_slow_lane ? 1 : 0][static_cast<std::size_t>(processor)];
    }

private:
    std::array<std::array<base::Histogram*, 2>, 2> times_;
};

class OperatorTimes {
public:
    OperatorTimes(base::MetricRegistry& metrics, std::span<const std::uint64_t> bounds_us) {
        const base::MetricInfo info{.name = "operator_seconds",
                                    .help = "Elapsed time that a family of operators took in a batch",
                                    .unit = "seconds",
                                    .per_unit = 1'000'000};
        for (std::size_t f = 0; f < times_.size(); ++f) {
            const std::string_view family = operators::name_of(static_cast<operators::OperatorFamilyKind>(f));
            for (std::size_t p = 0; p < processors.size(); ++p)
                times_[f][p] = &metrics.histogram(info, bounds_us, {{"family", family}, {"processor", processors[p]}});
        }
    }

    base::Histogram& of(std::size_t family, Processor processor) const {
        return *times_[family][static_cast<std::size_t>(processor)];
    }

private:
    std::array<std::array<base::Histogram*, 2>, operators::operator_families> times_;
};

}  // namespace sluice::broker
