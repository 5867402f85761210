// Maps the engine's subscriptions to subscribers. Equal filters of many subscribers share one engine subscription; its
// matches are fanned out here. Changed by the registry's thread, read by the matching threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "broker/core/counters.hpp"
#include "broker/core/delivery/event_memory.hpp"
#include "broker/core/delivery/subscriber.hpp"
#include "broker/core/matching/prepared_batch.hpp"
#include "config/options.hpp"
#include "gpu/api/matcher.hpp"
#include "protocol/feed/model/event.hpp"

namespace sluice::broker {

struct Target {
    std::shared_ptr<Subscriber> subscriber;
    std::uint32_t filter = 0;  // index among the subscriber's filters
};

class Fanout {
public:
    // `memory` may be null: deliveries are then not charged.
    explicit Fanout(Counters& counters, config::UndecidedPolicy undecided = config::UndecidedPolicy::gap,
                    EventMemory* memory = nullptr)
        : counters_(counters), undecided_(undecided), memory_(memory) {}

    // A change is applied atomically, in this order: adds `gained`, then drops the targets of `lost` whose subscriber
    // is gone.
    struct Change {
        std::vector<std::pair<engine::SubscriptionId, Target>> gained;
        std::vector<engine::SubscriptionId> lost;
    };
    void apply(Change&& change);
    // Like a change with only `id` lost. Allocates nothing.
    void lose(engine::SubscriptionId id);

    // The result of matching a batch.
    struct Outcome {
        std::span<const feed::Event> events;
        std::span<const engine::Match> matches;
        std::span<const engine::Match> undecided;  // over budget
        MatchedValues values = {};      // of these events, if they are there: else annotations read them again
        RowPermission* rows = nullptr;  // decides whether users with row filters are told of what is undecided
    };

    // Prepares the batch's deliveries for the matched subscribers: each event at most once, in the order of the batch.
    // If a filter left an event undecided, its subscriber gets a gap in its place or is ended, as configured. Ignores
    // matches of subscriptions removed meanwhile, and for each subscriber events before its first one, which a newer
    // program may match. Any thread, in any order; the events and values must outlive the delivery. Throws TooManyFound
    // for several events that so many filters accept that each should be prepared alone.
    PreparedBatch prepare(const Outcome& outcome);

    struct TooManyFound : std::exception {
        const char* what() const noexcept override { return "too many filters accept the events of a batch"; }
    };
    static constexpr std::size_t found_bytes_max = 16u << 20;

    // Puts the deliveries into the mailboxes of the remaining subscribers. Any thread; calls with events of the same
    // stream must be serialised. All events of other streams up to `decided_id` have been delivered. A subscriber to
    // which delivery fails goes on with a replay, or is ended with an error. Throws the last failure after serving all
    // subscribers.
    void deliver(PreparedBatch& batch, std::uint64_t decided_id = ~std::uint64_t{0});

    // Filters of subscribers: an event is delivered at most so often.
    std::size_t targets() const { return targets_.load(std::memory_order_relaxed); }

    // Whether any subscriber may get the events of all streams.
    bool serves_all_streams() const { return serves_all_streams_; }

    // All subscribers that could get an event of the stream go on with a replay, or are ended as `undelivered`, because
    // it is lost. Allocates nothing.
    void end_undelivered(const std::string& stream) noexcept;
    // The daemon shuts down: from now on those who might get a lost event are ended.
    void end_replays() { replays_end_ = true; }

private:
    struct Slot {
        std::uint32_t generation = 0;
        std::vector<Target> targets;
    };

    Slot* find(engine::SubscriptionId id);
    void lose_locked(engine::SubscriptionId id);
    Collected collect(const Outcome& outcome);
    void deliver_to(Subscriber& subscriber, PreparedBatch::Made made, std::uint64_t decided_id);
    void name_undecided(const Subscriber& subscriber, const PreparedBatch::Made& made) noexcept;
    void name_undecided(const Subscriber& subscriber, std::uint32_t filter, std::uint64_t events);

    Counters& counters_;
    const config::UndecidedPolicy undecided_;
    EventMemory* const memory_;
    std::mutex mutex_;
    std::vector<Slot> slots_;  // by SubscriptionId::slot
    void lose(Subscriber& subscriber) const noexcept;

    std::atomic<bool> serves_all_streams_{false}, replays_end_{false};
    std::atomic<std::size_t> targets_{0};  // in all slots; changed under the lock
    std::uint64_t last_batch_ = 0;         // number of the last batch collected
};

}  // namespace sluice::broker
