// The queue of deliveries for one subscriber's session. Bounded in events and bytes. Deliveries taken but not yet
// settled do not count: one large delivery that is being written does not make a reader slow. Neither do those that a
// session leaves until its turn. When it would overflow, it is emptied and refuses everything from then on. A queue
// with nothing that counts accepts any batch. Its memory, except the events that subscribers share, is charged to the
// memory budget. Filled by the matching threads, emptied by the session's thread; never blocks.
//
// **Replay.** A mailbox may get events from the log instead: those that were published before its subscriber came, or,
// with MailboxLimits::replays, those it has no room for. In that phase live deliveries are refused, and a replay pushes
// what it finds in the log, a little ahead of what the session takes. When it has caught up it joins: the mailbox
// accepts live deliveries from `first_id` on, but hands them out only after the replay has pushed everything before
// that id.
//
// **Again.** A durable subscription may ask for events that it has had. A replay finds them in the log, in whatever
// phase the mailbox is, and they are taken by themselves.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/delivery/delivery.hpp"
#include "broker/core/delivery/end_reason.hpp"

namespace sluice::broker {

struct MailboxLimits {
    std::size_t events_max;
    std::size_t bytes_max;  // as written to the connection
    bool replays = false;   // instead of overflowing, goes on with events from the log
};

class Mailbox {
public:
    enum class State : std::uint8_t { open, finished, overflowed };
    enum class Phase : std::uint8_t { live, replaying, joining };

    // Live events below it are not accepted. no_id: the subscriptions are not in place yet; muted: none is accepted.
    static constexpr std::uint64_t no_id = ~std::uint64_t{0}, muted = no_id - 1;
    std::atomic<std::uint64_t> first_id{no_id};

    // Any thread may call `wake`: at most once per empty take(), once more when the state changes from open, and each
    // time that events asked for again have come.
    Mailbox(MailboxLimits limits, std::function<void()> wake, base::MemoryCharge memory = {})
        : limits_(limits), wake_(std::move(wake)), memory_(std::move(memory)) {}

    // `accepted` is false if the mailbox no longer takes deliveries. `overflowed_now` is true only for the call that
    // made it overflow.
    struct Pushed {
        bool accepted = true;
        bool overflowed_now = false;
    };
    // `can_wait`: many subscribers receive these events, so the session may write them after all other work that is
    // ready.
    Pushed push(std::vector<Delivery> deliveries, bool can_wait = false);

    // Live deliveries that take() leaves queued, for a session that takes its turn first and then takes them together
    // with those that have come meanwhile. As many as it would have taken count as taken, until the next take().
    enum class Leave : std::uint8_t { none, waiting, all };  // waiting: if all queued deliveries can wait

    // Takes the oldest queued deliveries, up to `deliveries_max`: a session's credit, or what it writes at once.
    // Returns none only if none are queued, and `wake` will be called later, or if they are left. A session without
    // credit must not call this.
    struct Taken {
        std::vector<Delivery> deliveries;
        State state = State::open;
        bool can_wait = false;                  // holds for all queued deliveries
        bool replaying = false;                 // more comes from the log, if it is asked for
        std::optional<std::size_t> left_bytes;  // of the deliveries that are left and count as taken; none: none are
    };
    Taken take(std::size_t deliveries_max = std::numeric_limits<std::size_t>::max(), Leave leave = Leave::none);

    // Call after taken deliveries have been written, in any order, each once. Once it is closed, this does nothing.
    void settled(std::span<const Delivery> deliveries);

    // Empties it, to make room for others. It goes on with a replay, or ends: undelivered.
    void overflow();
    // An event for it may be lost. It goes on with a replay, or ends: undelivered. Allocates nothing.
    void lose() noexcept;

    // Everything below it has been handed out: where a replay begins.
    std::uint64_t next_id() const;
    // The session has taken everything, and nothing live up to `id` will come any more. Returns the id up to which
    // everything has been handed out, unless a replay has found more. What is queued has not been handed out.
    std::optional<std::uint64_t> note_decided(std::uint64_t id);

    // Begins a replay from this id, before the first delivery.
    void begin_replay(std::uint64_t next_id);
    // What the replay has found below `next_id`. Returns false if the mailbox accepts nothing more from it, as it is no
    // longer open or has been emptied since the replay read its next_id(), `from`.
    bool push_replayed(std::vector<Delivery> deliveries, std::uint64_t from, std::uint64_t next_id);
    bool is_replaying() const;
    bool is_live() const;
    // Whether a replay should find more for it: until so many bytes wait to be taken.
    static constexpr std::size_t replayed_bytes = 64u << 10;
    bool wants_replayed() const;
    // The replay has caught up: accepts live deliveries.
    void begin_joining();
    // The replay has pushed everything before `first_id`. Returns false if it must go on, since the mailbox has
    // overflowed meanwhile.
    bool end_joining();

    // An event that has been delivered, and how often with the delivery to come.
    struct Again {
        std::uint64_t id = 0;
        std::uint32_t deliveries = 0;
    };
    // Asks for events again: a replay then takes what is asked for, and pushes what it finds.
    void ask_again(std::span<const Again> events);
    std::vector<Again> take_asked(std::size_t most);  // nothing unless wants_again()
    bool wants_again() const;  // something is asked for, and less than replayed_bytes of it wait to be taken
    // Returns false if the mailbox is no longer open.
    bool push_again(std::vector<Delivery> deliveries);
    std::vector<Delivery> take_again(std::size_t deliveries_max);

    // Accepts no more deliveries; queued ones can still be taken. No reason: the subscriber wished it.
    void finish(std::optional<EndReason> reason = std::nullopt);
    // The reason to send to the subscriber after the last delivery, if any. The first reason given counts.
    std::optional<EndReason> end_reason() const;

    // The session is gone: nothing more will be taken. Releases the queue, even if others still hold the mailbox.
    // Returns the number of deliveries accepted and never settled, including those lost in an overflow.
    std::size_t close();

    State state() const { return state_.load(std::memory_order_acquire); }

    std::size_t events() const;            // queued, or taken and not settled
    std::size_t bytes() const;             // of those
    std::size_t releasable_bytes() const;  // what overflow() makes free, at once or as the session ends

private:
    // While deliveries come and go, the charge does not change with each: it is shared by all threads.
    static constexpr std::size_t kept_memory = 4u << 10;

    bool overflow_locked(EndReason::Kind reason, std::vector<Delivery>& dropped);
    bool rewind(std::vector<Delivery>& dropped);
    void count_queued(std::span<const Delivery> deliveries);
    void drop_queued(std::vector<Delivery>& dropped);
    void add_memory(std::size_t bytes);
    void release_memory(std::size_t bytes, std::size_t kept);
    std::uint64_t next_id_locked() const;
    bool wants_again_locked() const;
    std::size_t queued() const { return queue_.size() - first_; }
    std::vector<Delivery> take_live(std::size_t deliveries_max);
    std::size_t leave_live(std::size_t deliveries_max);

    const MailboxLimits limits_;
    const std::function<void()> wake_;
    mutable std::mutex mutex_;
    std::vector<Delivery> queue_;
    std::size_t first_ = 0;  // index of the oldest queued delivery; those before it have been taken
    std::size_t events_ = 0;
    std::size_t bytes_ = 0;
    std::size_t queued_bytes_ = 0;
    std::size_t left_ = 0;                   // the oldest queued deliveries, which count as taken
    std::size_t left_bytes_ = 0;             // of those
    std::size_t dropped_ = 0;                // deliveries lost in an overflow
    std::size_t memory_bytes_ = 0;           // of all deliveries except their shared events
    base::MemoryCharge memory_;              // for them, at least; kept_memory more at most
    std::atomic<State> state_{State::open};  // changed under the lock
    std::optional<EndReason> end_reason_;
    bool waiting_ = false;
    bool is_closed_ = false;
    bool can_wait_ = true;  // holds for all queued deliveries
    Phase phase_ = Phase::live;
    std::vector<Delivery> replayed_;  // handed out before the queue
    std::vector<Again> asked_;
    std::vector<Delivery> again_;
    std::uint64_t next_id_ = 0;  // everything below it has been handed out, or is in replayed_
};

}  // namespace sluice::broker
