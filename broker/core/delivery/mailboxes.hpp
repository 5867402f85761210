// All mailboxes, so that the largest can be ended when the memory budget is full. Outlives them. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_set>

#include "broker/core/delivery/mailbox.hpp"

namespace sluice::broker {

class Mailboxes {
public:
    void add(Mailbox& mailbox);
    void remove(Mailbox& mailbox) noexcept;

    // Returns false if all open mailboxes are empty.
    bool end_largest();

    struct Totals {
        std::size_t events = 0, bytes = 0;                 // as Mailbox::events() and bytes()
        std::size_t longest = 0;                           // events of one mailbox
        std::size_t replaying = 0;                         // mailboxes in a replay,
        std::uint64_t first_replayed = ~std::uint64_t{0};  // and the lowest next_id() of these
    };
    Totals totals() const;

private:
    mutable std::mutex mutex_;
    std::unordered_set<Mailbox*> mailboxes_;
};

}  // namespace sluice::broker
