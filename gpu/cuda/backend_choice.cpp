#include "gpu/cuda/backend_choice.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <utility>

namespace sluice::cuda {

namespace {

constexpr std::uint32_t known_after = 3;  // batches on each, the first of which may have had to make room

}  // namespace

std::size_t BackendChoice::size_class(std::size_t events) {
    return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(events)), classes - 1);
}

Processor BackendChoice::choose(std::size_t events) {
    const std::lock_guard lock(mutex_);
    Size& size = sizes_[size_class(events)];
    const Cost &cpu = size.costs[0], &device = size.costs[1];
    if (device.batches < known_after) return Processor::device;
    if (cpu.batches < known_after) return Processor::cpu;
    const bool device_is_better = device.microseconds <= cpu.microseconds;
    const double ratio = device_is_better ? cpu.microseconds / std::max(device.microseconds, 1e-3)
                                          : device.microseconds / std::max(cpu.microseconds, 1e-3);
    const bool explore = ++size.since_exploring >= (ratio > far ? explore_rarely : explore_every);
    if (explore) size.since_exploring = 0;
    return device_is_better != explore ? Processor::device : Processor::cpu;
}

void BackendChoice::record(std::size_t events, Processor processor, double microseconds) {
    const std::lock_guard lock(mutex_);
    Cost& cost = sizes_[size_class(events)].costs[static_cast<std::size_t>(processor)];
    // What the first batches cost says little: they made room and filled caches.
    if (++cost.batches <= known_after)
        cost.microseconds = microseconds;
    else
        cost.microseconds += weight * (microseconds - cost.microseconds);
}

std::string BackendChoice::reason() const {
    const std::lock_guard lock(mutex_);
    std::string text;
    const auto cost = [](const Cost& c) {
        if (c.batches == 0) return std::string("not yet known");
        char buffer[32];
        std::snprintf(buffer, sizeof buffer, "%.3g us", c.microseconds);
        return std::string(buffer);
    };
    for (std::size_t i = 1; i < classes; ++i) {
        const auto& costs = sizes_[i].costs;
        if (costs[0].batches + costs[1].batches == 0) continue;
        const std::size_t least = std::size_t{1} << (i - 1);
        text += (text.empty() ? "batches of " : "; of ") + std::to_string(least);
        if (i > 1) text += " to " + std::to_string(2 * least - 1);
        text += " events: " + cost(costs[1]) + " on the device, " + cost(costs[0]) + " on the CPU";
    }
    return text.empty() ? "no batch yet" : text;
}

}  // namespace sluice::cuda
