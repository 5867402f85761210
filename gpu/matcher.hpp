// The seam of the matching engine: subscriptions in, programs out, matches from batches.
//
// A SubscriptionSet is changed by one thread at a time (the caller serialises). Every compile() gives an immutable
// Program that any number of threads may match with, while the set goes on changing; readers never wait for writers.
// Every backend gives the same matches; the naive one defines them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/event_batch.hpp"
#include "gpu/predicate.hpp"

namespace sluice {

// A slot is reused after a removal, its generation then differs: a stale id never names a newer subscription. Slots are
// dense, so a caller may keep per-subscription data in a vector.
struct SubscriptionId {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;

    friend bool operator==(const SubscriptionId&, const SubscriptionId&) = default;
};

// Bit b of `accepted` says that the subscription holds for event 32 * word + b of the batch. Never 0.
struct Match {
    SubscriptionId subscription;
    std::uint32_t word = 0;
    std::uint32_t accepted = 0;

    friend bool operator==(const Match&, const Match&) = default;
};

// Names by id. Ids are dense and stay what they are from one program to the next (the list only grows, until a
// compaction gives a new `epoch`), so that a caller can extend what it keeps per name instead of making it anew.
struct Dictionary {
    std::uint64_t epoch = 0;
    std::vector<std::string> names;
};

class Program {
public:
    virtual ~Program() = default;

    // The attributes that some predicate reads, and the keys of the scanned predicates. Never null. The same pointer as
    // the previous program's where nothing was added.
    virtual const std::shared_ptr<const Dictionary>& attributes() const = 0;
    virtual const std::shared_ptr<const Dictionary>& scanned() const = 0;

    // Appends the matches of the batch to `matches`: at most one per (subscription, word), in no particular order. The
    // batch must have been filled with the attribute ids of this program.
    virtual void match(const EventBatch& batch, std::vector<Match>& matches) const = 0;
};

class SubscriptionSet {
public:
    virtual ~SubscriptionSet() = default;

    virtual SubscriptionId add(const Disjunction& filter) = 0;
    virtual bool remove(SubscriptionId id) = 0;  // false: no such subscription (any more)
    virtual std::size_t size() const = 0;

    // A program that holds every change made before the call. Cheap after a small change, however large the set. What
    // other threads have done for the set meanwhile (merged it, chosen better access to it) takes effect here, too.
    virtual std::shared_ptr<const Program> compile() = 0;

    // How often work that only makes matching cheaper (merging, choosing better access) has failed so far, for lack of
    // memory, say. It is tried again; answers are right meanwhile.
    virtual std::uint64_t background_failures() const { return 0; }
};

enum class Backend : std::uint8_t { naive, cpu };

std::unique_ptr<SubscriptionSet> make_subscription_set(Backend backend);

}  // namespace sluice
