#include "broker/match/batch_limits.hpp"

namespace sluice::broker {

// The cost of an honest condition grows with the document. One that is slow even for a short document is slow for every
// event, so shorter documents get a smaller budget.
constexpr std::size_t full_budget_bytes = 200'000;

BatchLimits batch_limits(const config::LimitOptions& options, base::MemoryBudget* memory, const ScanOwners* owners,
                         const ScanOwners* computed_owners) {
    BatchLimits limits;
    limits.condition_time = options.condition_time;
    limits.event_time = options.event_time;
    limits.document_time = options.document_time;
    limits.scan.condition_steps_max = options.condition_steps;
    limits.scan.owner_steps_max = options.subscriber_steps;
    limits.scan.document_steps_max = options.document_steps;
    limits.scan.full_budget_bytes = full_budget_bytes;
    limits.owners = owners;
    limits.computed_owners = computed_owners;
    limits.memory = memory;
    return limits;
}

}  // namespace sluice::broker
