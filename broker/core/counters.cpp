#include "broker/core/counters.hpp"

#include "broker/base/log.hpp"

namespace sluice::broker {

Counters::Counters(base::MetricRegistry& registry) : metrics(registry) {
    log_lines_dropped.read_from(base::log_lines_dropped);
}

Counters::Counters() : own_registry_(std::make_unique<base::MetricRegistry>()), metrics(*own_registry_) {
    log_lines_dropped.read_from(base::log_lines_dropped);
}

}  // namespace sluice::broker
