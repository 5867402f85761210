#include "broker/core/delivery/mailboxes.hpp"

#include <algorithm>

namespace sluice::broker {

void Mailboxes::add(Mailbox& mailbox) {
    const std::lock_guard lock(mutex_);
    mailboxes_.insert(&mailbox);
}

void Mailboxes::remove(Mailbox& mailbox) noexcept {
    const std::lock_guard lock(mutex_);
    mailboxes_.erase(&mailbox);
}

Mailboxes::Totals Mailboxes::totals() const {
    Totals totals;
    const std::lock_guard lock(mutex_);
    for (const Mailbox* mailbox : mailboxes_) {
        const std::size_t events = mailbox->events();
        totals.events += events;
        totals.bytes += mailbox->bytes();
        totals.longest = std::max(totals.longest, events);
        if (!mailbox->is_replaying()) continue;
        ++totals.replaying;
        totals.first_replayed = std::min(totals.first_replayed, mailbox->next_id());
    }
    return totals;
}

// Skips mailboxes that have ended: they may still hold deliveries being written, but can release nothing more.
bool Mailboxes::end_largest() {
    const std::lock_guard lock(mutex_);
    Mailbox* largest = nullptr;
    std::size_t bytes = 0;
    for (Mailbox* mailbox : mailboxes_) {
        if (mailbox->state() != Mailbox::State::open || mailbox->releasable_bytes() <= bytes) continue;
        largest = mailbox;
        bytes = mailbox->releasable_bytes();
    }
    if (largest != nullptr) largest->overflow();
    return largest != nullptr;
}

}  // namespace sluice::broker
