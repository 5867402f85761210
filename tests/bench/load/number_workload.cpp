#include "tests/bench/load/number_workload.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace sluice::load {

namespace {

constexpr std::size_t items = 512;

std::string filter_text(std::span<const bench::Workload::Interval> intervals) {
    std::string text;
    for (const auto& x : intervals) {
        const std::string name = "a" + std::to_string(x.attribute);
        text += text.empty() ? "" : " and ";
        if (x.lo == x.hi)
            text += name + " = " + std::to_string(x.lo);
        else
            text += name + " >= " + std::to_string(x.lo) + " and " + name + " <= " + std::to_string(x.hi);
    }
    return text;
}

}  // namespace

NumberWorkload::NumberWorkload(const WorkloadOptions& options)
    : Workload(options.connections, options.seed),
      made_(bench::generate(options.kind, options.filters, items, options.seed)),
      connections_(options.connections) {
    if (made_.is_text) throw std::runtime_error(options.kind + " has texts; there is mixed");
    for (std::size_t f = 0; f < made_.subscriptions(); ++f) add_filter(f % connections_, filter_text(made_.of(f)));
}

void NumberWorkload::prepare() {
    while (receivers_.size() < items) receivers_.push_back(receivers(receivers_.size()));
}

std::vector<std::size_t> NumberWorkload::receivers(std::size_t event) const {
    std::vector<int> values(static_cast<std::size_t>(made_.dimensions), std::numeric_limits<int>::min());
    for (const auto& x : made_.number_events[event]) values[static_cast<std::size_t>(x.attribute)] = x.value;
    std::vector<std::size_t> connections;
    for (std::size_t f = 0; f < made_.subscriptions(); ++f) {
        const auto intervals = made_.of(f);
        if (std::all_of(intervals.begin(), intervals.end(), [&](const auto& x) {
                const int value = values[static_cast<std::size_t>(x.attribute)];
                return x.lo <= value && value <= x.hi;
            }))
            connections.push_back(f % connections_);
    }
    return connections;
}

Workload::Item NumberWorkload::next_item(std::uint64_t number) {
    prepare();
    const std::size_t event = number % items;
    Item item{"measured", "numbers", {}, receivers_[event]};
    for (const auto& x : made_.number_events[event]) {
        const std::string name = "a" + std::to_string(x.attribute);
        item.elements.append("<").append(name).append(">").append(std::to_string(x.value));
        item.elements.append("</").append(name).append(">");
    }
    return item;
}

}  // namespace sluice::load
