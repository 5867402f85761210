#include "gpu/operators/processor_choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace sluice::operators {

std::size_t ProcessorChoice::size_of(double cells) {
    return std::min(static_cast<std::size_t>(std::log2(std::max(cells, 1.0))), sizes - 1);
}

double ProcessorChoice::expected(double cells, Processor processor) const {
    const Cost& cost = settings_.expected[processor];
    return cost.fixed + cells / cost.per_microsecond;
}

// The measured ratio for this size or, if there is none, for the nearest size.
double ProcessorChoice::ratio(std::size_t size, Processor processor) const {
    const auto& known = known_[processor];
    for (std::size_t distance = 0; distance <= far; ++distance) {
        for (const std::size_t at : {size - distance, size + distance}) {
            if (at >= sizes || known[at].batches == 0) continue;
            const double ratio = known[at].batches == 1 ? std::min(known[at].ratio, 1.0) : known[at].ratio;
            return distance == 0 ? ratio : std::clamp(ratio, 1 / mistaken_max, mistaken_max);
        }
    }
    return 1;
}

double ProcessorChoice::predict(double cells, Processor processor) const {
    const std::lock_guard lock(mutex_);
    return expected(cells, processor) * ratio(size_of(cells), processor);
}

ProcessorChoice::Choice ProcessorChoice::choose(double cells) {
    if (cells < settings_.cells_min || cells <= 0) return {cpu};
    if (!settings_.measured) return {device};
    const std::lock_guard lock(mutex_);
    const std::size_t size = size_of(cells);
    const double on_cpu = expected(cells, cpu) * ratio(size, cpu);
    const double on_device = expected(cells, device) * ratio(size, device);
    const Processor better = on_device < on_cpu ? device : cpu, other = better == cpu ? device : cpu;
    double& since_us = since_exploring_us_[size];
    if (since_us < explore_every * std::max(on_cpu, on_device)) return {better};
    since_us = 0;
    return {other, true};
}

void ProcessorChoice::record(double cells, Processor processor, double microseconds) {
    if (cells < settings_.cells_min || cells <= 0) return;
    const std::lock_guard lock(mutex_);
    const std::size_t size = size_of(cells);
    since_exploring_us_[size] += microseconds;
    Known& known = known_[processor][size];
    const double now = microseconds / expected(cells, processor);
    if (++known.batches <= known_after)
        known.ratio = now;
    else
        known.ratio += weight * (now - known.ratio);
}

std::string ProcessorChoice::reason() const {
    const std::lock_guard lock(mutex_);
    std::string text;
    const auto cost = [&](std::size_t size, Processor processor) {
        const Known& known = known_[processor][size];
        if (known.batches == 0) return std::string("not tried");
        char buffer[32];
        std::snprintf(buffer, sizeof buffer, "%.3g us",
                      expected(std::ldexp(1.5, static_cast<int>(size)), processor) * known.ratio);
        return std::string(buffer);
    };
    for (std::size_t size = 0; size < sizes; ++size) {
        if (known_[cpu][size].batches + known_[device][size].batches == 0) continue;
        text += (text.empty() ? "2^" : "; 2^") + std::to_string(size) + " " + settings_.unit + ": " +
                cost(size, device) + " on a device, " + cost(size, cpu) + " on the CPU";
    }
    return text.empty() ? "no batch yet" : text;
}

}  // namespace sluice::operators
