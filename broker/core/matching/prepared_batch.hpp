// The deliveries of a batch with their texts and annotations, prepared before the batch's turn. In its turn they only
// need to be put into mailboxes. Created by Fanout::prepare, consumed by Fanout::deliver. Belongs to the thread that
// matched the batch.
//
// The batch may wait long for earlier ones, while subscribers come and go. New subscribers are not in it: they get only
// events that the queue gets later. Subscribers that leave stay alive until the turn, but their mailboxes are closed
// and accept nothing.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <span>
#include <vector>

#include "broker/core/delivery/shared_events.hpp"
#include "broker/core/matching/collected.hpp"
#include "config/options.hpp"

namespace sluice::broker {

class PreparedBatch {
public:
    // The events and their values must outlive it. `memory` may be null: nothing is then charged.
    PreparedBatch(std::span<const feed::Event> events, MatchedValues values, Collected&& collected,
                  config::UndecidedPolicy undecided, EventMemory* memory);

    std::size_t size() const { return collected_.size(); }  // subscribers
    Subscriber& subscriber(std::size_t s) const { return collected_.subscriber(s); }

    // What one subscriber receives.
    struct Made {
        std::vector<Delivery> deliveries;
        std::size_t undecided = 0;     // events that its gaps stand for
        std::optional<EndReason> end;  // after the deliveries
        bool is_wide = false;          // many others receive each of the events, too
        std::exception_ptr failure;    // null, or why there are no deliveries
    };
    // Call once per subscriber; throws its failure, if any. Deliveries beyond the memory limit are made only now.
    Made take(std::size_t s);

private:
    void make_ahead();
    Made make(std::size_t s);
    // By filter: the number of its last gap since the last event that was delivered, from 1; 0: it has none.
    using GapPlaces = std::vector<std::size_t>;
    void make_deliveries(const Subscriber& subscriber, std::span<const Wanted> of_event, GapPlaces& gap_of, Made& made);
    Delivery make_event(const Subscriber& subscriber, std::uint32_t event);
    void add_gap(Wanted wanted, std::vector<Delivery>& made, GapPlaces& gap_of);

    std::span<const feed::Event> events_;
    config::UndecidedPolicy undecided_;
    EventMemory* memory_;
    Collected collected_;
    SharedEvents shared_;
    std::optional<BatchFindings> findings_;  // has views of data owned by the subscribers; none: all is made
    std::vector<std::uint32_t> filters_;     // of the event being made: those that accept it
    std::vector<Made> made_;                 // for the first subscribers, possibly all
    base::MemoryCharge charge_;  // for the unshared parts of the deliveries, until they are in the mailboxes
};

}  // namespace sluice::broker
