// All mailboxes, so that the largest can be ended when the memory budget is full. Outlives them. Any thread.
#pragma once

#include <cstddef>
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

private:
    std::mutex mutex_;
    std::unordered_set<Mailbox*> mailboxes_;
};

}  // namespace sluice::broker
