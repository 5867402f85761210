// Records which subscribers' filters contain each condition: its cost is attributed to them. There is one for scanned
// conditions and one for computed ones. The registry's thread adds and removes; any thread may read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpu/operators/family.hpp"
#include "protocol/feed/values/scanned_leaves.hpp"

namespace sluice::broker {

// The key of a computed condition.
std::string computed_key(std::string_view attribute, const engine::Measure& measure, const operators::Bounds& bounds);

class ScanOwners {
public:
    // A condition with more owners becomes its own owner, since each one's share of its cost would be negligible.
    static constexpr std::size_t owners_max = 64;

    // Called once for each of the owner's filters with the condition. Leaves no trace if it throws.
    void add(const std::string& condition, feed::ScanOwner owner);
    void remove(const std::string& condition, feed::ScanOwner owner) noexcept;

    // Replaces the contents of `into`. Empty: no filter contains the condition any more.
    void find(const std::string& condition, std::vector<feed::ScanOwner>& into) const;

    // Changes whenever find() might return something else. May be called without waiting for those who add and remove.
    std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

    std::size_t conditions() const;
    std::size_t owners() const;

private:
    mutable std::mutex mutex_;
    std::atomic<std::uint64_t> version_{1};
    std::unordered_map<feed::ScanOwner, std::size_t> conditions_of_;  // numbers of distinct conditions, by owner
    std::unordered_map<std::string, std::unordered_map<feed::ScanOwner, std::size_t>> times_;  // by condition and owner
};

}  // namespace sluice::broker
