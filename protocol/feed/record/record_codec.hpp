// The bytes of one append to a log of events: one document's record and the records of its events; the text is stored
// once. A log that appends several documents at once writes one such group for each document, all of them in one frame
// of its own. Pure functions; any thread.
//
// Version 1.1, or 1.2 if it has the field `erased`. Numbers are little-endian, without padding; texts are their bytes,
// without a NUL.
//
//   offset  bytes
//        0      4  "SLEV"
//        4      1  major version: 1
//        5      1  minor version: 1 or 2
//        6      4  n, the length of the fields; the append is 14 + n bytes long
//       10      n  fields
//   10 + n      4  checksum: the CRC32C of the 10 + n bytes before it (protocol/text/crc32c.hpp)
//
// A field:
//
//        0      2  tag
//        2      4  m, the length of the value
//        6      m  value
//
// Fields stand in ascending order of their tags. A field appears at most once, except for attributes and authors, which
// may repeat.
//
//   tag  field         value                              absent
//     1  text          the document in UTF-8              never
//     2  content_type  text                               empty
//     3  event_path    text                               empty
//     4  context       1 byte: 0 document, 1 item         document
//     5  feed_title    text                               the feed has none
//     6  feed_link     text                               the feed has none
//     7  feed_author   text, at most feed_authors_max     no more authors
//     8  owner         text                               empty
//     9  trace_parent  text                               empty
//    10  trace_state   text                               empty
//    11  repairs       8 bytes                            0
//    12  attribute     k in 4 bytes, k bytes of name,     no more attributes
//                      the rest is the attribute's value
//    13  limits        40 bytes                           never
//    14  events        s in 2 bytes, then events of s     no events
//                      bytes each
//    15  dead_letter   20 bytes, and three texts          it is none
//    16  erased        4 bytes each: ascending indices    none is
//                      of events whose items have been
//                      erased (erase_item.hpp)
//
// Limits that the document was parsed with (FeedLimits):
//
//        0      8  document_bytes_max
//        8      8  depth_max
//       16      8  items_max
//       24      8  item_values_max
//       32      8  values_max
//
// An event, s = 57:
//
//        0      8  id
//        8      8  time, microseconds since 1970-01-01T00:00:00Z, signed (two's complement)
//       16      1  change: 0 added, 1 updated
//       17     16  identity
//       33     16  content
//       49      4  offset of its item's source in the text, in bytes
//       53      4  length of its item's source, in bytes
//
// A dead letter (DeadLetter):
//
//        0      8  id
//        8      4  deliveries
//       12      4  k, the length of the subscription's name
//       16      4  l, the length of the stream's name
//       20      k  the subscription's name
//   20 + k      l  the stream's name; the rest is the reason
//
// **Later versions.** A minor version may add fields with new tags, and bytes at the end of an event (s grows). An
// older reader skips both, so they are lost if it writes the records again. Changes that can't be skipped safely need a
// new major version, which older readers refuse. Version 1.0 had neither checksum nor limits, and was never stored by
// a release: it is refused, too. A reader of 1.1 takes an erased event for a damaged one: it finds no item where that
// event's should be.
//
// Texts are not inspected here; parse_record() checks the document's. Nor are items looked for: find_item()
// (protocol/feed/model/source_range.hpp) tells whether there is one where an event's should be.
#pragma once

#include <boost/system/result.hpp>
#include <boost/throw_exception.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/feed/model/record.hpp"

namespace sluice::feed {

// Why bytes are not an append of records, or why records can't be written as one.
struct RecordError {
    enum class Kind : std::uint8_t {
        truncated,  // the bytes end too early
        damaged,    // the checksum does not fit the bytes
        malformed,  // the bytes are something else, or were written wrongly
        version,    // a version that this program does not know
        limit,      // RecordLimits are exceeded
    };

    Kind kind = Kind::malformed;
    std::string message;     // one sentence
    std::size_t offset = 0;  // bytes from the start of the append to the fault, 0-based
};

// Called by result<…>::value() on an error; the code base tests results instead.
[[noreturn]] inline void throw_exception_from_error(const RecordError& error, const boost::source_location&) {
    throw std::runtime_error(error.message);
}

// For writing and for reading, so that everything written can be read.
struct RecordLimits {
    std::size_t bytes_max = 64u << 20;  // of an append; never more than 2^32 - 1
    std::size_t events_max = 100'000;
    std::size_t attributes_max = 1'000;
};

// Events of one document, in the order in which they are appended.
struct RecordAppend {
    DocumentRecordPtr document;
    std::vector<EventRecord> events;  // each refers to this document
};

// The document of each event is `document`; EventRecord::document is not read. Error: a limit is exceeded.
boost::system::result<std::string, RecordError> encode_append(const DocumentRecord& document,
                                                              std::span<const EventRecord> events,
                                                              const RecordLimits& limits = {});

// How many bytes of the append say which of these events are erased; no other bytes are more or fewer for that.
std::size_t erased_field_bytes(std::span<const EventHead> events);

// `bytes` must be exactly one append. Allocates at most a small multiple of their number, whatever lengths they claim.
boost::system::result<RecordAppend, RecordError> decode_append(std::string_view bytes, const RecordLimits& limits = {});

}  // namespace sluice::feed
