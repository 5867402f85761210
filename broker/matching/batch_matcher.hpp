// Matches one batch of events after another with whatever program is current, and keeps between them what depends on
// the program's dictionaries alone. Belongs to one thread. The daemon, POST /v1/match and `sluice match` share it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

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
    // `condition_time_max`: what a condition that no index decides may take for one document (a scanned one) or for one
    // text (a computed one, as estimated). `pause` is called between pieces of work that may take long; an exception
    // from it ends the match.
    explicit BatchMatcher(std::chrono::nanoseconds condition_time_max = std::chrono::nanoseconds::max(),
                          std::function<void()> pause = {});

    // The matches stay valid until the next call. At most EventBatch::events_max events.
    std::span<const Match> match(const Program& program, std::span<const Event> events);

    // Of the last batch.
    std::span<const Match> undecided() const { return undecided_; }  // since it would have taken too long
    const ScanCost& scan_cost() const { return cost_; }
    const OperatorWork& operator_work() const { return work_; }

private:
    void use_dictionaries_of(const Program& program);
    std::optional<bool> scan(std::uint32_t scanned, const Event& event);
    void forget_batch();  // also after one that ended in an exception

    std::shared_ptr<const Dictionary> attributes_;
    std::shared_ptr<const Dictionary> scanned_;
    std::optional<Extractor> extractor_;
    ScannedLeaves leaves_;
    EventBatch batch_;
    TextArena arena_;
    std::vector<Match> matches_, undecided_;
    ScanCost cost_;
    OperatorWork work_;
};

}  // namespace sluice
