// What an event in a dead-letter stream was before: an event that a durable subscription delivered in vain. Plain
// value.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace sluice::feed {

struct DeadLetter {
    std::string subscription;      // its name
    std::string stream;            // the event's
    std::uint64_t id = 0;          // likewise
    std::uint32_t deliveries = 0;  // how often it was delivered
    std::string reason;            // what became of the last delivery, as text for people

    friend bool operator==(const DeadLetter&, const DeadLetter&) = default;
};

using DeadLetterPtr = std::shared_ptr<const DeadLetter>;

}  // namespace sluice::feed
