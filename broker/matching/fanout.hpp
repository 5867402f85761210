// Who gets what a subscription of the engine accepts. Many subscribers that ask for the same share one engine
// subscription; here it is fanned out again. Changed by the registry's thread, read by the delivering one.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "broker/base/counters.hpp"
#include "broker/delivery/subscriber.hpp"
#include "gpu/matcher.hpp"
#include "protocol/feed/event.hpp"

namespace sluice {

struct Target {
    std::shared_ptr<Subscriber> subscriber;
    std::uint32_t filter = 0;  // which of the subscriber's filters this is
};

class Fanout {
public:
    explicit Fanout(Counters& counters) : counters_(counters) {}

    // Applied together, in this order: `gained` are added, then `lost` drop the targets whose subscriber is gone.
    struct Change {
        std::vector<std::pair<SubscriptionId, Target>> gained;
        std::vector<SubscriptionId> lost;
    };
    void apply(Change&& change);

    // What came of matching a batch.
    struct Outcome {
        std::span<const Event> events;
        std::span<const Match> matches;
        std::span<const Match> undecided;  // the subscriptions end there
        std::uint64_t program_number = 0;
    };

    // Puts the events of a batch into the mailboxes of those that the matches name, each at most once and in the order
    // of the batch; then ends, with an error, those that wanted to know what was not decided. Matches of subscriptions
    // that have been removed meanwhile are ignored, and so are subscribers that came after the program that matched: it
    // has those of their subscriptions only that others had before them. One thread at a time. Throws the last failure
    // when all are done; whoever could not be delivered to is ended with an error.
    void deliver(const Outcome& outcome);

private:
    struct Slot {
        std::uint32_t generation = 0;
        std::vector<Target> targets;
    };

    Slot* find(SubscriptionId id);
    struct Touched;

    // Fills their `wanted`.
    void collect(std::span<const Match> matches, std::uint64_t program_number, Touched& touched);
    void end_undecided(const Outcome& outcome);

    Counters& counters_;
    std::mutex mutex_;
    std::vector<Slot> slots_;  // by SubscriptionId::slot
};

}  // namespace sluice
