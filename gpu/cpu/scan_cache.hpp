// Asks EventBatch::scan at most once for each (scanned predicate, event) of a batch. Lives as long as one match; one
// thread.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "gpu/event_batch.hpp"

namespace sluice {

class ScanCache {
public:
    explicit ScanCache(const EventBatch& batch) : batch_(batch) {}

    bool holds(std::uint32_t scanned, std::uint32_t event) {
        if (!batch_.scan) return false;
        const auto [at, is_new] = known_.try_emplace(std::uint64_t{scanned} << 32 | event, false);
        if (is_new) at->second = batch_.scan(scanned, event);
        return at->second;
    }

private:
    const EventBatch& batch_;
    std::unordered_map<std::uint64_t, bool> known_;
};

}  // namespace sluice
