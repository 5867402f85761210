// Charges the memory of events until they are written: once per event, however many subscribers share it, and until the
// last of them has written it. If there is no room, the subscriber with the largest mailbox is ended; the others still
// receive all accepted events. Any thread.
#pragma once

#include <cstddef>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/delivery/delivery.hpp"
#include "broker/core/delivery/mailboxes.hpp"

namespace sluice::broker {

class EventMemory {
public:
    EventMemory(base::MemoryBudget& memory, Mailboxes& mailboxes, Counters& counters)
        : memory_(memory), mailboxes_(mailboxes), counters_(counters) {}

    SharedEventPtr charged(SharedEvent event);

    // A charge for the subscribers' own parts until they are in the mailboxes; empty at first.
    base::MemoryCharge own() { return memory_.force_charge(base::MemoryUse::mailboxes, 0); }
    // The most bytes of such parts that one batch may hold while it waits for its turn.
    std::size_t own_bytes_max() const { return memory_.bytes_max() / own_share; }

    // Ends the largest mailbox if all mailboxes together use at least their share of the budget. Returns false if no
    // mailbox was ended.
    bool relieve();

private:
    static constexpr std::size_t own_share = 64;

    base::MemoryBudget& memory_;
    Mailboxes& mailboxes_;
    Counters& counters_;
};

}  // namespace sluice::broker
