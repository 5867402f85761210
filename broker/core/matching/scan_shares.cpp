#include "broker/core/matching/scan_shares.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::broker {

namespace {

constexpr std::size_t entries_max = 1'024;  // from here on, small entries are dropped
constexpr double small_seconds = 1e-4;
const double sum_of_decay = 1 / std::log(2.0);  // the limit of a decaying sum at constant use, in half-lives

double seconds_of(ScanShares::Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

double ScanShares::Use::decayed(Clock::time_point now) const {
    return seconds * std::exp2(-seconds_of(now - at) / seconds_of(half_life));
}

void ScanShares::Use::add(double more, Clock::time_point now) {
    seconds = decayed(now) + more;
    at = now;
}

std::size_t ScanShares::hash(const Key& key) {
    return std::hash<const void*>{}(key.condition) * 31 + std::hash<std::string_view>{}(key.stream);
}

bool ScanShares::allows(const Key& key, const Owners& owners, Clock::time_point now) const {
    if (uses_.empty() && suspensions_.empty()) return true;
    const auto suspension = suspensions_.find(hash(key));
    if (suspension != suspensions_.end() && now < suspension->second.until) return false;
    const double total = total_.decayed(now);
    if (total <= share_max * seconds_of(half_life) * sum_of_decay) return true;
    const double average = total / static_cast<double>(uses_.size());
    const auto takes_less = [&](feed::ScanOwner owner) {
        const auto found = uses_.find(owner);
        return found == uses_.end() || found->second.decayed(now) < average;
    };
    const std::span<const feed::ScanOwner> all = owners();
    return all.empty() || std::any_of(all.begin(), all.end(), takes_less);
}

void ScanShares::spend(const Key& key, const Owners& owners, Clock::duration took, bool decided,
                       Clock::time_point now) {
    if (took < (decided ? Clock::duration(costly) : Clock::duration(begun))) return;
    if (uses_.size() + suspensions_.size() >= entries_max) forget_small(now);
    const std::span<const feed::ScanOwner> all = owners();
    const double seconds = seconds_of(took);
    for (const feed::ScanOwner owner : all) uses_[owner].add(seconds / static_cast<double>(all.size()), now);
    if (!all.empty()) total_.add(seconds, now);
    if (decided) {
        suspensions_.erase(hash(key));
        return;
    }
    Suspension& suspension = suspensions_[hash(key)];
    suspension.length = std::clamp<Clock::duration>(2 * suspension.length, suspended_min, suspended_max);
    suspension.until = now + suspension.length;
}

void ScanShares::forget_small(Clock::time_point now) {
    std::erase_if(uses_, [&](const auto& entry) { return entry.second.decayed(now) < small_seconds; });
    std::erase_if(suspensions_, [&](const auto& entry) { return now >= entry.second.until + suspended_max; });
}

}  // namespace sluice::broker
