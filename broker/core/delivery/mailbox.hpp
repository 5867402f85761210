// The queue of deliveries for one subscriber's session. Bounded in events and bytes. Deliveries taken but not yet
// settled do not count: one large delivery that is being written does not make a reader slow. When it would overflow,
// it is emptied and refuses everything from then on. An empty queue accepts any batch. Its memory, except the events
// that subscribers share, is charged to the memory budget. Filled by the matching threads, emptied by the session's
// thread; never blocks.
#pragma once

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
};

class Mailbox {
public:
    enum class State : std::uint8_t { open, finished, overflowed };

    // Any thread may call `wake`: at most once per empty take(), and once more when the state changes from open.
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

    // Takes the oldest queued deliveries, up to `deliveries_max`: a session's credit, or what it writes at once.
    // Returns none only if none are queued; `wake` will be called later. A session without credit must not call this.
    struct Taken {
        std::vector<Delivery> deliveries;
        State state = State::open;
        bool can_wait = false;  // holds for all queued deliveries
    };
    Taken take(std::size_t deliveries_max = std::numeric_limits<std::size_t>::max());

    // Call after taken deliveries have been written or, if the protocol has acknowledgements, acknowledged. In any
    // order, each once.
    void settled(std::span<const Delivery> deliveries);

    // Ends it as if it had overflowed, to make room for others: undelivered.
    void overflow();

    // Accepts no more deliveries; queued ones can still be taken. No reason: the subscriber wished it.
    void finish(std::optional<EndReason> reason = std::nullopt);
    // The reason to send to the subscriber after the last delivery, if any. The first reason given counts.
    std::optional<EndReason> end_reason() const;

    // The session is gone: nothing more will be taken. Releases the queue, even if others still hold the mailbox.
    // Returns the number of deliveries accepted and never settled, including those lost in an overflow.
    std::size_t close();

    State state() const;
    std::size_t events() const;  // queued, or taken and not settled
    std::size_t bytes() const;   // of those

private:
    bool overflow_locked(EndReason::Kind reason, std::vector<Delivery>& dropped);
    std::size_t queued() const { return queue_.size() - first_; }

    const MailboxLimits limits_;
    const std::function<void()> wake_;
    mutable std::mutex mutex_;
    std::vector<Delivery> queue_;
    std::size_t first_ = 0;  // index of the oldest queued delivery; those before it have been taken
    std::size_t events_ = 0;
    std::size_t bytes_ = 0;
    std::size_t queued_bytes_ = 0;
    std::size_t dropped_ = 0;    // deliveries lost in an overflow
    base::MemoryCharge memory_;  // of all deliveries except their shared events
    State state_ = State::open;
    std::optional<EndReason> end_reason_;
    bool waiting_ = false;
    bool can_wait_ = true;  // holds for all queued deliveries
};

}  // namespace sluice::broker
