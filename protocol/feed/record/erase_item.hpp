// Takes items out of records for good: their bytes in the text are overwritten, and all else stays where it is, so that
// the other events of the record are found, and replayed, as before. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "protocol/feed/model/record.hpp"

namespace sluice::feed {

// Overwrites the item of the event with this index in the record of its document, and marks the event as erased;
// likewise those events whose items are inside of it. `record` becomes another one; `events` are all of it. In XML the
// item becomes spaces, or an empty element of its name where the event path finds the others by that; in JSON `null`
// and spaces (of fewer than four bytes: 0 and spaces); in lines empty lines. A reader finds no such item, or one that
// says nothing.
void erase_item(DocumentRecordPtr& record, std::span<EventHead> events, std::size_t event);

// Overwrites items with exactly these bytes that are not events of this record, or are inside of one: items that were
// published before, for example, beside new ones. Returns whether there were any. `may_nest`: also where the bytes are
// inside the one item of a record of XML (RecordContext::item), whose parts are no items of its own.
bool erase_copies(DocumentRecordPtr& record, std::span<const EventHead> events, std::string_view item, bool may_nest);

}  // namespace sluice::feed
