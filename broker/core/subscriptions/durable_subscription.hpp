// A durable subscription: its options, its ledger, and while anybody consumes it, its feed, which is a subscriber like
// any other whose mailbox the consumers share. Any thread; none waits for the disk.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/auth/user.hpp"
#include "broker/base/metric.hpp"
#include "broker/core/delivery/subscriber.hpp"
#include "broker/core/ingest/streams.hpp"
#include "broker/core/subscription_counters.hpp"
#include "broker/core/subscriptions/acknowledgement.hpp"
#include "broker/core/subscriptions/ledger.hpp"
#include "broker/core/subscriptions/subscription_context.hpp"
#include "broker/core/subscriptions/subscription_key.hpp"
#include "broker/store/event_log.hpp"
#include "config/subscription_options.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::broker {

struct SubscriptionCounts {
    std::uint64_t delivered = 0, redelivered = 0, acknowledged = 0, expired = 0, rejected = 0, dead_letters = 0;
    std::uint64_t gaps = 0, resets = 0, withdrawn = 0;  // events; withdrawn: no longer matched when delivered again
};

class DurableSubscription : public std::enable_shared_from_this<DurableSubscription> {
public:
    // The time after which the feed of a consumer that pulls ends, if nobody pulls again.
    static constexpr std::chrono::seconds feed_idle{30};

    // `text`: the options as they are kept.
    DurableSubscription(const SubscriptionContext& context, SubscriptionKey key, config::SubscriptionOptions options,
                        std::string text, Ledger ledger);
    DurableSubscription(const DurableSubscription&) = delete;
    DurableSubscription& operator=(const DurableSubscription&) = delete;

    static Ledger::Settings ledger_settings(const config::SubscriptionOptions& options);

    struct State {
        SubscriptionKey key;
        config::SubscriptionOptions options;
        std::uint64_t version = 0;  // of the options: another one if they are others
        std::uint64_t cursor = 0;   // everything up to it is done
        std::uint64_t next = 0;     // the log has been read for it up to here
        std::size_t outstanding = 0, consumers = 0;
        SubscriptionCounts counts{};
    };
    State state() const;
    // What its streams are to keep for it; bytes 0: nothing.
    store::Hold hold() const;
    // What metrics are made of. Costs little, whatever its options are.
    struct Figures {
        std::shared_ptr<const text::StreamSelection> streams;  // never null; another one after each change
        std::uint64_t cursor = 0;
        std::size_t outstanding = 0, consumers = 0;
        SubscriptionCounts counts{};
    };
    Figures figures() const;
    const SubscriptionKey& key() const { return key_; }
    const std::string& owner() const { return key_.owner; }  // "": nobody

    // From now on these hold, for what is not yet delivered, and what is delivered again. False: it is deleted, or its
    // version is not the one expected.
    bool set_options(const config::SubscriptionOptions& options, std::string text,
                     std::optional<std::uint64_t> expected, Stored stored);
    // Ends its consumers. False: likewise.
    bool erase(std::optional<std::uint64_t> expected, Stored stored);
    // Has just been made: keeps that. `told_drops`: StreamExtent::drops of which its first feed need not tell.
    void begin(std::uint64_t told_drops, Stored stored);
    // Goes on at `next`, and forgets what is outstanding.
    void seek(std::uint64_t next, Stored stored);

    // What consumers say; `stored`: when that is as durable as configured.
    Acknowledged acknowledge(const Acknowledgement& what, Stored stored);

    // Consumers. Each has a number, and `wake` is called by any thread when it should take().

    enum class ConsumerKind : std::uint8_t {
        connected,  // what is with it is due again as soon as it leaves
        pulling,    // what is with it is due after ack_wait, whether it comes back or not
    };
    // How a feed's deliveries are written, and for whom.
    struct Format {
        const Framer* framer = nullptr;
        bool has_alignments = false;
        // Whose rights decide what it gets, if the subscription is nobody's: then consumers may have different ones.
        // Null: its owner's.
        std::shared_ptr<const auth::User> account{};

        friend bool operator==(const Format&, const Format&) = default;
    };
    struct Attached {
        Ledger::Consumer consumer = 0;  // 0: others consume it, and
        bool differs = false;           // in another format; else it is not shared
    };
    // `takes_over`: ends the others if it is not shared.
    Attached attach(ConsumerKind kind, const Format& format, bool takes_over, std::function<void()> wake);
    void leave(Ledger::Consumer consumer) noexcept;

    enum class ConsumerState : std::uint8_t { open, needs_feed, taken_over, deleted };
    struct Taken {
        ConsumerState state = ConsumerState::open;
        std::vector<Delivery> deliveries{};
        std::shared_ptr<Subscriber> feed{};  // from whose mailbox they are
        bool is_caught_up = false;           // there is nothing more now
        bool can_wait = false;               // as in Mailbox::Taken
    };
    // Up to `most` deliveries for the consumer, which must pass them to written() or unwritten() afterwards.
    // needs_feed: it should make one, unless another consumer is about to.
    Taken take(Ledger::Consumer consumer, std::size_t most);
    void written(const Taken& taken);
    // These of what was taken are not written: events are due again when the consumer leaves, if it is connected.
    void unwritten(const Taken& taken, std::span<const Delivery> deliveries);
    // The consumer has taken everything, and nothing live up to `decided` will come any more. Returns the id up to
    // which everything has been handed out; none: more has come, or something is to be delivered again.
    std::optional<std::uint64_t> note_decided(Ledger::Consumer consumer, std::uint64_t decided);
    // The feed. Who is given a plan makes a subscriber with its options, and calls one of the functions below. None:
    // there is a feed, or somebody makes it.
    struct FeedPlan {
        std::uint64_t number = 0;
        config::SubscriptionOptions options;
        Format format;
    };
    std::optional<FeedPlan> plan_feed();
    // Sets where it begins. Call before its filters are added to the registry.
    bool prepare_feed(const FeedPlan& plan, Subscriber& feed);
    // Its filters are in place. False: the plan is out of date, and the feed has to end.
    bool set_feed(const FeedPlan& plan, std::shared_ptr<Subscriber> feed);
    void abandon_feed(const FeedPlan& plan) noexcept;
    // Ends it, if there is one, so that it is made again: what its owner may see has changed.
    void renew_feed();
    // Ends one that has been made.
    void end_feed(const std::shared_ptr<Subscriber>& feed) const noexcept;
    void wake_consumers();  // its mailbox's `wake`
    // The daemon ends: ends the feed that waits for a consumer who pulls, and keeps what has been delivered.
    void end_unused_feed();
    // The rest of the broker ends: whoever still holds this object finds nothing in it.
    void close();

    // Does what has become due, and says when to call it again.
    std::optional<Ledger::Time> look(Ledger::Time now);

private:
    struct Place {
        ConsumerKind kind;
        std::function<void()> wake;
        ConsumerState state = ConsumerState::open;
        bool is_starved = false;  // it waits for acknowledgements
    };
    using Feed = std::shared_ptr<Subscriber>;

    void store_ledger(Stored stored);
    void put(std::vector<store::NamedValue> values, Stored stored);
    void ask_mark(std::uint64_t id);
    void note_mark(std::uint64_t mark, bool is_stored);
    void wake_all();
    void wake_starved();
    std::size_t credit_of(Ledger::Consumer consumer) const;
    void end_consumers(ConsumerState state);
    Feed take_feed();
    void take_again(Ledger::Consumer consumer, std::size_t most, Taken& taken, std::vector<Delivery>& unused);
    void take_new(Ledger::Consumer consumer, std::size_t most, Taken& taken, std::vector<Delivery>& unused);
    static void tally(std::uint64_t& own, base::Counter& total, std::uint64_t n = 1) {
        own += n;
        total.add(n);
    }
    void tally_notice(const Delivery& delivery);
    void tally_expired();
    void ask_due(Ledger::Time now);
    void schedule();
    std::optional<Ledger::Time> next_look(Ledger::Time now) const;
    void hold_streams();
    struct Burial;
    Burial plan_burial() const;
    void bury(const Ledger::Spent& spent);
    void note_buried(std::uint64_t id, Stream& stream, const store::AppendResult& result);

    const SubscriptionContext& context_;
    SubscriptionCounters& totals_;
    const SubscriptionKey key_;

    mutable std::mutex mutex_;
    config::SubscriptionOptions options_;
    std::shared_ptr<const text::StreamSelection> selection_;  // of options_
    std::string text_;
    std::uint64_t version_;
    Ledger ledger_;
    SubscriptionCounts counts_;
    bool is_deleted_ = false;
    std::vector<StreamHold> holds_;  // of its streams: what they have must not make room for others
    static constexpr std::uint64_t none_told = ~std::uint64_t{0};  // a log counts anew when it is opened
    std::uint64_t told_drops_ = none_told;
    Ledger::Consumer last_consumer_ = 0;
    std::map<Ledger::Consumer, Place> consumers_;
    Format format_;               // of the feed, and of all consumers
    Feed feed_;                   // null: there is none
    std::uint64_t plan_ = 0;      // number of the last feed that was planned, or of the last change
    bool is_planned_ = false;     // somebody makes a feed
    std::vector<Delivery> held_;  // taken from the feed's mailbox; the mark is not stored yet
    std::uint64_t stored_mark_ = 0, asked_mark_ = 0;
    std::size_t fetching_ = 0;   // events asked for again that have not come
    Ledger::Time idle_since_{};  // the feed has no consumers
    std::optional<Ledger::Time> scheduled_{};
};

using DurableSubscriptionPtr = std::shared_ptr<DurableSubscription>;

}  // namespace sluice::broker
