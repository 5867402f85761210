// Why the broker ended a subscription. A plain value, which the framer of the session turns into text. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace sluice::broker {

struct EndReason {
    enum class Kind : std::uint8_t {
        slow_consumer,  // it has lost events because it reads too slowly
        undelivered,    // it has lost events that could not be matched or delivered, mostly for lack of memory
        slow_filter,    // a condition of one of its filters exceeded its budget for an event
        revoked,        // the rights of its user are gone or have changed
    };

    Kind kind;
    // For slow_filter: the filter's index, and the event.
    std::uint32_t filter = 0;
    std::shared_ptr<const std::string> stream = nullptr;
    std::uint64_t id = 0;
};

}  // namespace sluice::broker
