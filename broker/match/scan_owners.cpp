#include "broker/match/scan_owners.hpp"

#include <bit>
#include <functional>

namespace sluice::broker {

namespace {

// Sets the top bit, which the numbers of subscribers never reach.
feed::ScanOwner condition_itself(const std::string& condition) {
    return std::hash<std::string>{}(condition) | feed::ScanOwner{1} << 63;
}

}  // namespace

std::string computed_key(std::string_view attribute, const engine::Measure& measure, const operators::Bounds& bounds) {
    const auto bits = [](double x) { return std::to_string(std::bit_cast<std::uint64_t>(x + 0.0)) + ' '; };  // -0 is 0
    std::string key = std::to_string(static_cast<int>(measure.kind)) + ' ' + std::to_string(measure.line_min) + ' ' +
                      bits(measure.epsilon) + bits(bounds.lo) + bits(bounds.hi) + (bounds.outside ? "not " : "");
    for (const std::string_view text : {attribute, std::string_view(measure.scheme)})
        (key += std::to_string(text.size()) + ' ') += text;
    return key += measure.operand;
}

void ScanOwners::add(const std::string& condition, feed::ScanOwner owner) {
    const std::lock_guard lock(mutex_);
    const auto [of_owner, is_new_owner] = conditions_of_.try_emplace(owner);
    bool is_new_condition = false;
    try {
        const auto [of_condition, is_new] = times_.try_emplace(condition);
        is_new_condition = is_new;
        if (++of_condition->second[owner] == 1) {
            ++of_owner->second;
            version_.fetch_add(1, std::memory_order_release);
        }
    } catch (...) {
        if (is_new_condition) times_.erase(condition);
        if (is_new_owner) conditions_of_.erase(owner);
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
    version_.fetch_add(1, std::memory_order_release);
    if (owners.empty()) times_.erase(of_condition);
    const auto of_owner = conditions_of_.find(owner);
    if (--of_owner->second == 0) conditions_of_.erase(of_owner);
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

std::size_t ScanOwners::owners() const {
    const std::lock_guard lock(mutex_);
    return conditions_of_.size();
}

}  // namespace sluice::broker
