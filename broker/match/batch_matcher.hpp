// Matches batches of events, each with a given program. Belongs to one thread. Shared by the daemon, POST /v1/match and
// `sluice match`.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "broker/base/cpu_time.hpp"
#include "broker/base/memory/memory_budget.hpp"
#include "broker/match/batch_values.hpp"
#include "broker/match/scan_owners.hpp"
#include "gpu/api/matcher.hpp"
#include "gpu/operators/work.hpp"
#include "protocol/feed/values/extractor.hpp"
#include "protocol/feed/values/reading_budget.hpp"
#include "protocol/feed/values/scanned_leaves.hpp"

namespace sluice::broker {

// The cost of the filters' scanned conditions in one batch. Short evaluations are not timed, since looking at a clock
// takes longer than many of them: their time is taken to be a nanosecond a step.
struct ScanCost {
    using Clock = std::chrono::steady_clock;

    static constexpr std::chrono::milliseconds costly_from{1};
    static constexpr std::size_t undecided_named_max = 16;
    // The cost of a condition that took that long for an event, or was left undecided.
    struct Costly {
        std::size_t evaluations = 0;  // slow ones
        std::size_t undecided = 0;    // events
        Clock::duration total{0};
        Clock::duration slowest{0};
    };

    std::size_t scans = 0;
    std::uint64_t steps = 0;
    Clock::duration total{0};
    // By index in Program::scanned(). Of those that were left undecided without taking long, only the first ones.
    std::unordered_map<std::uint32_t, Costly> costly;
    std::map<std::uint32_t, std::size_t> unread;  // by attribute: events for which it would take too long to read
};

// The budgets of conditions that no index decides; beyond them, conditions are undecided.
struct BatchLimits {
    static constexpr auto none = std::chrono::nanoseconds::max();

    std::chrono::nanoseconds condition_time = none;  // of a computed condition for one text
    std::chrono::nanoseconds event_time = none;      // of all computed conditions of a family for one event
    std::chrono::nanoseconds document_time = none;   // the same for all events of a document, in equal parts
    feed::ScanLimits scan = {};                      // of scanned conditions, and of reading the values of paths
    const ScanOwners* owners = nullptr;              // of scanned conditions; null: no budget of an owner applies
    const ScanOwners* computed_owners = nullptr;     // of computed conditions; null: owners get no shares of event_time
    base::MemoryBudget* memory = nullptr;            // charged with what evaluating takes
};

class BatchMatcher {
public:
    // `pause` is called before work that may take long, with its estimated nanoseconds, and about every tenth of a
    // millisecond within scanned conditions. An exception from it ends the match.
    explicit BatchMatcher(const BatchLimits& limits = {}, std::function<void(double ns)> pause = {});
    BatchMatcher(const BatchMatcher&) = delete;
    BatchMatcher& operator=(const BatchMatcher&) = delete;

    // The matches stay valid until the next call. At most EventBatch::events_max events. The extractor must be for the
    // program's attributes. Without one, an extractor is created and reused while the attributes are the same.
    std::span<const engine::Match> match(const engine::Program& program, const feed::Extractor& extractor,
                                         std::span<const feed::Event> events);
    std::span<const engine::Match> match(const engine::Program& program, std::span<const feed::Event> events);

    // Whether the next batches should measure extraction_time().
    void time_extraction(bool is_timed) { times_extraction_ = is_timed; }

    // Results of the last batch.
    bool was_on_device() const { return on_device_; }  // whether a GPU matched a part of it
    ScanCost::Clock::duration extraction_time() const { return extraction_time_; }
    std::span<const engine::Match> matches() const { return matches_; }
    std::span<const engine::Match> undecided() const { return undecided_; }  // over budget
    const ScanCost& scan_cost() const { return cost_; }
    const operators::OperatorWork& operator_work() const { return work_; }
    // As long as the events live. None if the batch was matched in parts, for their memory or as their budgets differ:
    // only the last part's values are left.
    MatchedValues values() { return {whole_batch_, &batch_, names_.get(), &numbers_}; }

    // Releases the last program's conditions, and cached data of documents that nobody else holds.
    void rest();

private:
    double event_ns_max(const feed::Event& event) const;
    void match_part(const engine::Program& program, std::span<const feed::Event> events, std::size_t first);
    std::size_t extract(const feed::Extractor& extractor, std::span<const feed::Event> events, std::size_t first);
    std::size_t extracted_bytes() const;
    void charge();
    void pause();
    std::optional<bool> scan(std::uint32_t scanned, const feed::Event& event);
    std::chrono::nanoseconds took() const;
    void note_costly(std::uint32_t scanned, ScanCost::Clock::duration took, bool decided);
    feed::ScannedLeaves::Owners owners();
    std::span<const feed::ScanOwner> owners_of(std::size_t scanned);
    void share_budgets(const ScanOwners& owners);
    void begin_batch();

    const BatchLimits limits_;
    const ScanOwners* const owners_;
    std::vector<feed::ScanOwner> owners_found_;
    std::shared_ptr<const engine::Dictionary> attributes_;  // of the extractor
    std::optional<feed::Extractor> extractor_;
    std::shared_ptr<const engine::Dictionary> scanned_, names_;  // conditions and attributes of the batch's program
    feed::ScannedLeaves leaves_;
    std::optional<base::WorkTimer> timer_;  // of an evaluation that takes long, from the first pause on
    std::size_t looks_ = 0;                 // calls of scan() since the last pause
    std::uint64_t steps_ = 0;               // of theirs
    feed::ReadingBudget reading_;
    base::MemoryBudget* const memory_;
    base::MemoryCharge charge_;
    engine::EventBatch batch_;
    std::span<const feed::Event> whole_batch_;  // its events, once matched; empty if these are more than batch_ has
    AttributeNumbers numbers_;
    feed::TextArena arena_;
    feed::ValueGroups groups_;
    std::vector<engine::Match> matches_, undecided_, matches_of_part_, undecided_of_part_;
    std::span<const feed::Event> part_;  // the events being matched
    bool on_device_ = false;
    bool times_extraction_ = false;
    ScanCost::Clock::duration extraction_time_{0};
    ScanCost cost_;
    operators::OperatorWork work_;
};

}  // namespace sluice::broker
