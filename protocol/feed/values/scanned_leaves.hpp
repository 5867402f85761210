// Evaluates the scanned leaves of filters within budgets: for one leaf on one document (all its items together), for
// all leaves of an owner, and for all leaves. For as long as a document lives, keeps its index, the steps spent on it,
// and the answers that its items share. Belongs to one matching thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gpu/api/predicate.hpp"
#include "protocol/feed/model/event.hpp"
#include "protocol/feed/values/scan_limits.hpp"

namespace sluice::feed {

class ScannedLeaves {
public:
    // Who asks for the leaves. Without `of`, or for a leaf without owners, no owner's budget applies. `count` returns
    // how many there are of all leaves together: half of a document's budget is for whoever comes first, the other half
    // is theirs in equal shares. Without it, nothing is set aside. `version` changes whenever another call of `of`
    // might return something else; without it, each batch asks again.
    struct Owners {
        std::function<std::span<const ScanOwner>(std::size_t leaf)> of;
        std::function<std::size_t()> count;
        std::function<std::uint64_t()> version;
    };

    // `pause` is called every so many steps of an evaluation, about a tenth of a millisecond. An exception from it ends
    // the evaluation and propagates out of holds().
    static constexpr std::uint64_t steps_per_pause = 100'000;
    explicit ScannedLeaves(const ScanLimits& limits = {}, std::function<void()> pause = {}, Owners owners = {});
    ~ScannedLeaves();
    ScannedLeaves(ScannedLeaves&&) noexcept;
    ScannedLeaves& operator=(ScannedLeaves&&) noexcept;

    // Makes index i stand for conditions[i], and ends the previous batch. A condition that is null, or not an
    // xpath::Condition, never holds. A null pointer: there are no conditions.
    using Conditions = std::vector<std::shared_ptr<const engine::ScannedCondition>>;
    void assign(std::shared_ptr<const Conditions> conditions);
    void assign(Conditions conditions) { assign(std::make_shared<const Conditions>(std::move(conditions))); }

    // No value: over budget. Nothing is evaluated, and no steps are spent, for a leaf that its owners or the document's
    // budget can't pay for, nor for an answer that is known. Once a leaf exceeds its budget for a document, it has no
    // further values for that document, except those already found. The same holds for a leaf whose owners have all
    // spent their budgets on the document. When the first half of a document's budget is spent, an owner is served
    // until all that it has spent is its share. The steps spent do not depend on other leaves, with two exceptions. The
    // document's index is charged to the document. Parts that are the same for many nodes are evaluated, and charged,
    // again if bytes_max did not allow keeping them. Each owner of a leaf is charged in full.
    std::optional<bool> holds(std::size_t leaf, const Event& event);

    void begin_batch();  // asks for the owners again, if they may be others
    void end_batch();    // forgets the event, and documents that nobody holds any more

    // Of the last call of holds(), without the document's index. 0: it evaluated nothing.
    std::uint64_t last_steps() const;

    // Memory kept for documents. When they are gone, the memory of one index (a few megabytes at most) stays for the
    // next one.
    std::size_t bytes() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace sluice::feed
