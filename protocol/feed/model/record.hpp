// Events as they are stored and sent, without their parsed tree. A published document is stored once, however many of
// its items are events, so each of them still has its neighbours and ancestors when it is read again. Plain values;
// record_codec.hpp defines their bytes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/source_range.hpp"

namespace sluice::feed {

using RecordTime = std::int64_t;  // microseconds since 1970-01-01T00:00:00Z
using RecordDigest = std::array<std::uint8_t, 16>;

// How much of the document is kept.
enum class RecordContext : std::uint8_t {
    document,  // all of it
    item,      // one item with its ancestors and their attributes, without siblings; the feed's title and link apart
};

struct DocumentRecord {
    std::shared_ptr<const std::string> text;  // in UTF-8, never null
    std::string content_type;                 // describes `text`: its charset, if any, is utf-8
    std::string event_path;                   // DocumentOptions::event_path
    FeedLimits limits;                        // those it was parsed with: which items it has may depend on them
    RecordContext context = RecordContext::document;
    FeedFields feed_fields;                 // the feed's own texts, if the context is item; else empty
    std::string owner;                      // the publisher; empty: unknown
    std::string trace_parent, trace_state;  // those of Document::trace(); empty: none
    DeadLetterPtr dead_letter;              // Document::dead_letter()
    // The envelope's attributes by name, such as those of CloudEvents. Attributes unknown to this version are kept.
    std::vector<std::pair<std::string, std::string>> attributes;
    std::uint64_t repairs = 0;  // places that were not well-formed and have been repaired
};

using DocumentRecordPtr = std::shared_ptr<const DocumentRecord>;

// An event apart from its document.
struct EventHead {
    enum class Change : std::uint8_t { added, updated };

    std::uint64_t id = 0;  // in the stream; increasing, not always by one
    RecordTime time = 0;   // when it was appended
    Change change = Change::added;
    RecordDigest identity{};  // which item it is, for deduplication
    RecordDigest content{};   // what the item says, for deduplication; both all zero: takes no part in it
    SourceRange item;         // the item's place in the document's text; find_item() finds it there
    bool is_erased = false;   // nothing of the item is there any more
};

struct EventRecord : EventHead {
    DocumentRecordPtr document;
};

}  // namespace sluice::feed
