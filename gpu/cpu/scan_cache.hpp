// Calls EventBatch::scan at most once for each (scanned predicate, event) of a batch. Lives for one match; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "gpu/api/event_batch.hpp"
#include "gpu/cpu/accepted.hpp"

namespace sluice::cpu {

class ScanCache {
public:
    explicit ScanCache(const engine::EventBatch& batch) : batch_(batch) {}

    // Whether the literal holds for the event; no value: undecided.
    std::optional<bool> holds(std::uint32_t scanned, bool negated, std::uint32_t event) {
        std::optional<bool> answer = ask(scanned, event);
        if (answer) *answer = *answer != negated;
        return answer;
    }

    // The rows of the current segment that undecided literals would decide. The segment empties the list.
    std::vector<Accepted>& undecided() { return undecided_; }

private:
    std::optional<bool> ask(std::uint32_t scanned, std::uint32_t event) {
        if (!batch_.scan) return false;
        const auto [at, is_new] = known_.try_emplace(std::uint64_t{scanned} << 32 | event, false);
        if (is_new) at->second = batch_.scan(scanned, event);
        return at->second;
    }

    const engine::EventBatch& batch_;
    std::unordered_map<std::uint64_t, std::optional<bool>> known_;
    std::vector<Accepted> undecided_;
};

}  // namespace sluice::cpu
