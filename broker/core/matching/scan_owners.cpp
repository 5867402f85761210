#include "broker/core/matching/scan_owners.hpp"

#include <functional>

namespace sluice::broker {

namespace {

// Sets the top bit, which the numbers of subscribers never reach.
feed::ScanOwner condition_itself(const std::string& condition) {
    return std::hash<std::string>{}(condition) | feed::ScanOwner{1} << 63;
}

}  // namespace

void ScanOwners::add(const std::string& condition, feed::ScanOwner owner) {
    const std::lock_guard lock(mutex_);
    const auto [of_condition, is_new] = times_.try_emplace(condition);
    try {
        ++of_condition->second[owner];
    } catch (...) {
        if (is_new) times_.erase(of_condition);
        throw;
    }
}

void ScanOwners::remove(const std::string& condition, feed::ScanOwner owner) noexcept {
    const std::lock_guard lock(mutex_);
    const auto of_condition = times_.find(condition);
    if (of_condition == times_.end()) return;
    auto& owners = of_condition->second;
    const auto found = owners.find(owner);
    if (found == owners.end() || --found->second != 0) return;
    owners.erase(found);
    if (owners.empty()) times_.erase(of_condition);
}

void ScanOwners::find(const std::string& condition, std::vector<feed::ScanOwner>& into) const {
    into.clear();
    const std::lock_guard lock(mutex_);
    const auto of_condition = times_.find(condition);
    if (of_condition == times_.end()) return;
    if (of_condition->second.size() > owners_max) {
        into.push_back(condition_itself(condition));
        return;
    }
    for (const auto& [owner, times] : of_condition->second) into.push_back(owner);
}

std::size_t ScanOwners::conditions() const {
    const std::lock_guard lock(mutex_);
    return times_.size();
}

}  // namespace sluice::broker
