// One event: an item of a published document, with its stream and its position there. Copies are cheap and share the
// document, which lives as long as any of its events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/record.hpp"

namespace sluice::feed {

struct Event {
    DocumentPtr document;
    std::size_t index = 0;                      // of document->items()
    std::shared_ptr<const std::string> stream;  // never null
    std::uint64_t id = 0;                       // position in the log, from 1
    RecordTime time = 0;                        // when it was appended; 0: it was not, as when a filter is tried
    EventHead::Change change = EventRecord::Change::added;

    const Item& item() const { return document->items()[index]; }
};

}  // namespace sluice::feed
