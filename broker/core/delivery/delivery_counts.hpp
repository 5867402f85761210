// Counts the events of some deliveries, by stream, too. Made before they are put into a mailbox, which may refuse them.
// Belongs to one thread.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <span>
#include <utility>

#include "broker/core/counters.hpp"
#include "broker/core/delivery/delivery.hpp"
#include "broker/core/delivery/subscriber.hpp"

namespace sluice::broker {

class DeliveryCounts {
public:
    DeliveryCounts(Counters& counters, const Subscriber& subscriber, std::span<const Delivery> deliveries);

    void add() const;  // to the counters

private:
    void of_all_streams(std::span<const Delivery> deliveries);

    Counters& counters_;
    std::size_t events_ = 0;
    boost::container::small_vector<std::pair<StreamCountsPtr, std::size_t>, 1> of_streams_;
};

}  // namespace sluice::broker
