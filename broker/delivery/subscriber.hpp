// One connection that receives events, as the matching side sees it. Shared by the connection and the fan-out; `wanted`
// belongs to the thread that delivers.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "broker/delivery/annotator.hpp"
#include "broker/delivery/mailbox.hpp"

namespace sluice {

enum class EventFormat : std::uint8_t { json, xml };

struct Subscriber {
    Subscriber(MailboxLimits limits, std::function<void()> wake, EventFormat event_format, bool tell_filters,
               std::unique_ptr<const Annotator> with = nullptr)
        : mailbox(limits, std::move(wake)),
          format(event_format),
          tells_filters(tell_filters),
          annotator(std::move(with)) {}

    Mailbox mailbox;
    const EventFormat format;
    const bool tells_filters;                          // whether an event says which of the connection's filters hold
    const std::unique_ptr<const Annotator> annotator;  // null: alignments are not wanted
    std::atomic<bool> gone{false};                     // its subscriptions are being removed
    std::uint64_t first_program = 0;  // the number of the first program that has all of them; set before fan-out

    // (event << 32 | filter) for every event of the batch that one of the filters accepts.
    std::vector<std::uint64_t> wanted;
};

}  // namespace sluice
