// The keys and values of the store, format 1. Numbers in keys are big-endian, so that keys are in their order; in
// values they are little-endian. Each table of the database (Family):
//
//   state        "format"           "1"
//                "log"              LogRecord
//                "s", stream (4)    StreamRecord
//                "d", stream (4)    the stream's definition, a text
//                "v", name          the value of that name, any bytes (DurableState::put)
//                "e", stream (4),   until an event has been erased: the keys of all events that are written anew for it
//                id (8)
//   events       first id (8)       what is kept of one append, or one of its items alone: a header of 21 bytes, then
//                                   bytes of protocol/feed/record/record_codec.hpp
//                                        0      1  version of the header: 1
//                                        1      4  stream
//                                        5      4  number of events
//                                        9      8  their time
//                                       17      4  CRC32C of the key and the 17 bytes before
//   index        stream (4),        number of events (4), bytes in `events` (4), time (8)
//                first id (8)
//   identities   stream (4),        when the item was last published (8), its content (16)
//                identity (16)
//   replies      attempt (16)       its time (8), StoredReply
//
// A stream is a number, which is given once: what is found of a number without a StreamRecord belongs to a stream that
// has been deleted. Times are microseconds since 1970-01-01T00:00:00Z. Pure functions; any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/store/durable_state.hpp"
#include "broker/store/event_log.hpp"

namespace sluice::store {

inline constexpr std::string_view format_key = "format", format = "1", log_key = "log";
inline constexpr char stream_mark = 's', definition_mark = 'd', value_mark = 'v', erased_mark = 'e';

std::string stream_key(char mark, std::uint32_t stream);
std::string event_key(std::uint64_t first_id);
std::string index_key(std::uint32_t stream, std::uint64_t first_id);
std::string identity_key(std::uint32_t stream, const text::Digest& identity);
std::string reply_key(const AttemptId& attempt);
std::string value_key(std::string_view name);
std::string erased_key(std::uint32_t stream, std::uint64_t id);

// Of keys of the right length, such as the database has.
std::uint32_t stream_of_state_key(std::string_view key);
std::uint32_t stream_of_key(std::string_view key);  // of an index or identity key
std::uint64_t id_of_event_key(std::string_view key);
std::uint64_t id_of_index_key(std::string_view key);
std::uint64_t id_of_erased_key(std::string_view key);

// The newest of what is no longer retained; 0: nothing was dropped.
struct Dropped {
    std::uint64_t id = 0;
    feed::RecordTime time = 0;

    void add(const Dropped& other) { *this = {std::max(id, other.id), std::max(time, other.time)}; }
    friend bool operator==(const Dropped&, const Dropped&) = default;
};

struct LogRecord {
    std::string epoch;
    feed::RecordTime begun_at = 0;
    std::uint64_t ids_end = 0;      // ids up to here may have been given
    std::uint32_t streams_end = 0;  // numbers of streams up to here may have been given
    Dropped forgotten;              // of deleted streams

    friend bool operator==(const LogRecord&, const LogRecord&) = default;
};
std::string encode(const LogRecord& record);
std::optional<LogRecord> decode_log_record(std::string_view bytes);

// What is known of a stream's events without a look at them.
struct StoredExtent {
    std::uint64_t last_id = 0;  // of the newest event ever; 0: none
    feed::RecordTime last_time = 0;
    std::uint64_t first_id = 0;  // of the oldest that is retained, and its time; 0: none is
    feed::RecordTime oldest = 0;
    std::uint64_t first_key = 0;          // what it is kept under: the first id of its append
    std::uint64_t events = 0, bytes = 0;  // retained
    Dropped dropped;                      // in the midst of what is retained if that could not be read
    bool has_seen = false;                // there may be identities
    bool may_have_dead_letters = true;    // among all its events ever

    // No event with an id up to this one is retained.
    std::uint64_t lost_id() const { return events == 0 ? dropped.id : first_id - 1; }
};

struct StreamRecord {
    std::string name;
    StoredExtent extent;
};
std::string encode(std::string_view name, const StoredExtent& extent);
std::optional<StreamRecord> decode_stream_record(std::string_view bytes);

struct IndexEntry {
    std::uint32_t events = 0, bytes = 0;
    feed::RecordTime time = 0;
};
std::string encode(const IndexEntry& entry);
std::optional<IndexEntry> decode_index_entry(std::string_view bytes);

// Whether this may be the entry of an event that is being erased.
bool is_erased_entry(std::string_view key, std::string_view value);

std::string encode_seen(const text::Digest& content, feed::RecordTime seen_at);
std::optional<SeenItem> decode_seen(std::string_view bytes);  // without its identity

std::string encode_reply(const StoredReply& reply, feed::RecordTime time);
std::optional<StoredReply> decode_reply(std::string_view bytes);
// Of the value of an identity or a reply.
std::optional<feed::RecordTime> time_of_value(std::string_view bytes);

struct EventHeader {
    std::uint32_t stream = 0, events = 0;
    feed::RecordTime time = 0;
};
inline constexpr std::size_t event_header_bytes = 21;
std::string encode(const EventHeader& header, std::string_view key);
// None: the value is not what was written under this key.
std::optional<EventHeader> decode_event_header(std::string_view key, std::string_view value);

}  // namespace sluice::store
