// Makes dead letters of events that a durable subscription delivered in vain. Any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "broker/store/event_log.hpp"
#include "protocol/feed/model/dead_letter.hpp"
#include "protocol/feed/model/record.hpp"

namespace sluice::broker {

class StoredDocuments;

// What to append to the dead-letter stream `stream` for `event`, which is one of `of`: a new event that takes no part
// in deduplication, with the item's bytes, publisher, attributes and trace. It keeps the item alone, without its
// neighbours; or its whole document where record_items() says that the item alone would be read otherwise, unless it
// `is_always_alone`, since the neighbours may be for fewer eyes than it. `letter` says what became of it; its stream
// and id are filled in here.
//
// None: the log's event can't be read, for which the program's log has the reason if its document can't be parsed; or
// it can't be kept alone. Throws StoredDocuments::NoMemory.
std::optional<store::Append> dead_letter_append(StoredDocuments& documents, const store::Kept& of,
                                                const feed::EventHead& event, feed::DeadLetter letter,
                                                std::shared_ptr<const std::string> stream,
                                                bool is_always_alone = false);

}  // namespace sluice::broker
