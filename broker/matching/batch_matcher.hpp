// Matches one batch after another with whatever program is current, and keeps between them what depends on the
// program's dictionaries alone. Belongs to one thread. Also used by POST /v1/match, for a program of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "broker/matching/event_queue.hpp"
#include "gpu/matcher.hpp"
#include "gpu/operators/work.hpp"
#include "protocol/feed/extractor.hpp"
#include "protocol/feed/scanned_leaves.hpp"

namespace sluice {

// What the scanned parts of filters cost in one batch.
struct ScanCost {
    using Clock = std::chrono::steady_clock;

    std::size_t scans = 0;
    Clock::duration total{0};
    Clock::duration slowest{0};  // of a single evaluation
    std::uint32_t slowest_leaf = 0;
};

class BatchMatcher {
public:
    // The matches stay valid until the next call. At most EventBatch::events_max events.
    std::span<const Match> match(const Program& program, std::span<const QueuedEvent> events);

    // Of the last batch.
    const ScanCost& scan_cost() const { return cost_; }
    const OperatorWork& operator_work() const { return work_; }

private:
    void use_dictionaries_of(const Program& program);
    bool scan(std::uint32_t scanned, const Event& event);
    void forget_batch();  // also after one that ended in an exception

    std::shared_ptr<const Dictionary> attributes_;
    std::shared_ptr<const Dictionary> scanned_;
    std::optional<Extractor> extractor_;
    ScannedLeaves leaves_;
    EventBatch batch_;
    TextArena arena_;
    std::vector<Match> matches_;
    ScanCost cost_;
    OperatorWork work_;
};

}  // namespace sluice
