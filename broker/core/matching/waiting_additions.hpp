// The subscribers whose subscriptions are to be added. Their owners take turns, so that one with thousands of filters
// does not hold up the others. So do the subscribers of one owner, since many clients may share an address. Belongs to
// one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <vector>

#include "broker/core/delivery/subscriber.hpp"
#include "broker/core/matching/fanout.hpp"
#include "broker/core/matching/subscription.hpp"

namespace sluice::broker {

struct Addition {
    std::shared_ptr<Subscriber> subscriber;
    std::vector<Subscription> subscriptions;
    std::function<void()> done;
    std::size_t operators = 0;   // of all subscriptions
    std::size_t placed = 0;      // the first so many are in the engine
    Fanout::Change change = {};  // of the fan-out, when all are
};

class WaitingAdditions {
public:
    using Additions = std::list<Addition>;

    bool empty() const { return owners_.empty(); }

    // Moves the first element behind the others of its owner. If it throws, the element stays where it is.
    void take_first(Additions& from) {
        Additions& queue = owners_[owner_of(*from.front().subscriber)];
        queue.splice(queue.end(), from, from.begin());
    }

    // The next owner's turn, in a fixed order of owners: its first one. Requires that there is one.
    Addition& begin_turn() {
        turn_ = owners_.upper_bound(last_);
        if (turn_ == owners_.end()) turn_ = owners_.begin();
        last_ = turn_->first;
        return turn_->second.front();
    }
    // It has had a part of its turn's work; the owner's next turn begins with another one.
    void put_off_first() noexcept {
        Additions& queue = turn_->second;
        queue.splice(queue.end(), queue, queue.begin());
    }
    // Moves it to the list `to`. Returns the owner's next one, or null if it has no more.
    Addition* end_first(Additions& to) noexcept {
        Additions& queue = turn_->second;
        to.splice(to.end(), queue, queue.begin());
        if (!queue.empty()) return &queue.front();
        owners_.erase(turn_);
        return nullptr;
    }

private:
    using Owner = const void*;
    using Owners = std::map<Owner, Additions, std::less<>>;  // none has an empty list, except in take_first()

    static Owner owner_of(const Subscriber& subscriber) {
        return subscriber.owner != nullptr ? subscriber.owner : &subscriber;
    }

    Owners owners_;
    Owners::iterator turn_;
    Owner last_ = nullptr;
};

}  // namespace sluice::broker
