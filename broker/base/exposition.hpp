// Prints metrics as text for Prometheus and its like. Every name gets the prefix `sluice_`, except for those that begin
// with `process_`, which mean the same for all programs. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "broker/base/metrics.hpp"

namespace sluice::base {

enum class ExpositionFormat : std::uint8_t {
    open_metrics,     // OpenMetrics 1.0
    prometheus_text,  // Prometheus's text format 0.0.4
};

std::string_view content_type_of(ExpositionFormat format);

// Families without samples are left out.
std::string expose(std::span<const MetricReading> readings, ExpositionFormat format);

// The name of a family, or rather of its samples if they have one name.
std::string exposed_name(const MetricFamily& family);

// The number of a metric in its unit: 1500 parts of 1'000'000 are "0.0015". Exact.
std::string in_units(std::uint64_t parts, std::uint64_t per_unit);

}  // namespace sluice::base
