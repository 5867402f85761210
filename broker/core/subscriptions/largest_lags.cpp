#include "broker/core/subscriptions/largest_lags.hpp"

#include <algorithm>
#include <utility>

namespace sluice::broker {

const LargestLags::Names& LargestLags::choose(std::vector<Lag> all) {
    std::sort(all.begin(), all.end(),
              [](const Lag& a, const Lag& b) { return a.events != b.events ? a.events > b.events : a.name < b.name; });
    Names names;
    for (const Lag& each : all)
        if (names_.contains(each.name)) names.emplace(each.name);
    auto least = all.rbegin();  // of those with a place
    for (const Lag& each : all) {
        if (names.contains(each.name)) continue;
        if (names.size() == named_max_) {
            least = std::find_if(least, all.rend(), [&](const Lag& lag) { return names.contains(lag.name); });
            if (least == all.rend() || each.events <= 2 * least->events) break;
            names.erase(names.find(least->name));
        }
        names.emplace(each.name);
    }
    names_.swap(names);
    return names_;
}

}  // namespace sluice::broker
