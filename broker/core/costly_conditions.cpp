#include "broker/core/costly_conditions.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

#include "protocol/text/utf8.hpp"

namespace sluice::broker {

bool CostlyConditions::is_worse(const Cost& a, const Cost& b) {
    return std::tuple(a.undecided != 0, a.total, a.undecided) > std::tuple(b.undecided != 0, b.total, b.undecided);
}

bool CostlyConditions::add(std::string_view condition, const Cost& cost) {
    const std::size_t hash = std::hash<std::string_view>{}(condition);
    const std::lock_guard lock(mutex_);
    if (entries_.size() >= conditions_max && !entries_.contains(hash)) make_room();
    Entry& entry = entries_[hash];
    if (entry.text.empty()) entry.text = text::shortened_utf8(condition, text_bytes_max);
    const bool is_news = cost.undecided != 0 && entry.cost.undecided == 0;
    entry.cost.evaluations += cost.evaluations;
    entry.cost.undecided += cost.undecided;
    entry.cost.total += cost.total;
    entry.cost.slowest = std::max(entry.cost.slowest, cost.slowest);
    return is_news;
}

void CostlyConditions::make_room() {
    entries_.erase(std::max_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
        return is_worse(a.second.cost, b.second.cost);
    }));
}

std::vector<CostlyConditions::Entry> CostlyConditions::worst(std::size_t n) const {
    std::vector<Entry> worst;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [hash, entry] : entries_) worst.push_back(entry);
    }
    std::sort(worst.begin(), worst.end(), [](const Entry& a, const Entry& b) { return is_worse(a.cost, b.cost); });
    if (worst.size() > n) worst.resize(n);
    return worst;
}

}  // namespace sluice::broker
