// The event log: one log for all streams. Events in it have been accepted; matching and replay read from it. An event's
// id is its position in the whole log, so ids rise in each stream, with holes. Any thread.
//
// The interface must fit three kinds of logs:
// * memory (memory_log.hpp): appends complete at once, and nothing outlives the process.
// * the disk (rocks/rocks_log.hpp): publications that wait at the same time share one sync, so an append completes
//   later, on the log's thread, which assigns ids and times. If a write or sync fails, every append in progress fails
//   with it, and later ones are refused until the log has been opened again; what it then has beyond what listeners
//   have had, they get. What it keeps beside events is durable_state.hpp.
// * NATS JetStream: the server assigns one sequence number per message, and answers later. It has no atomic batches, so
//   what is appended at once is one message, however many events it holds. Their ids derive from its sequence number:
//   sequence × 16,384 + index, with at most 10,000 items per document. So ids increase by one within an append, but not
//   always between appends. Others append to the same stream, so consumers of events must ask the log (listen), not the
//   publisher. If the connection breaks, it is unknown whether a message was appended: append() may be repeated with
//   the same AttemptId, which is sent as Nats-Msg-Id.
#pragma once

#include <boost/container/small_vector.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "broker/store/append_error.hpp"
#include "broker/store/attempt_id.hpp"
#include "broker/store/durable_state.hpp"
#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/record.hpp"
#include "protocol/feed/record/record_item.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::store {

// How much of a stream is retained. Events are dropped as soon as one of the bounds is exceeded, the oldest first.
struct Retention {
    std::chrono::microseconds age = std::chrono::microseconds::max();
    std::size_t events = ~std::size_t{0};
    std::size_t bytes = ~std::size_t{0};  // of memory or disk
    // Of a published item's identity on disk, since it was last seen. Events come and go without it.
    std::chrono::microseconds identities = std::chrono::microseconds::max();

    friend bool operator==(const Retention&, const Retention&) = default;
};

// What is kept although the stream's retention would drop it: its events from `first_id` on, while those that retention
// alone would have dropped take at most `bytes`. If they take more, the oldest are dropped.
struct Hold {
    std::uint64_t first_id = 0;
    std::size_t bytes = 0;  // of memory or disk; 0: nothing is held

    bool holds(std::uint64_t id) const { return bytes != 0 && id >= first_id; }
    friend bool operator==(const Hold&, const Hold&) = default;
};

// The events of one published document, in document order, at least one.
struct Append {
    std::shared_ptr<const std::string> stream;
    feed::DocumentRecordPtr record;       // of the document
    std::vector<feed::EventHead> events;  // the log assigns ids and times
    // From a publisher in this process; null from the log's bytes, for which feed::parse_record() makes it. The log
    // drops it when the listener has had it.
    feed::DocumentPtr document;
    std::vector<feed::ItemRecord> items{};  // what to keep instead of the whole document, by event; empty: the whole
};

// What names an append, and what is kept with its events in the same step.
struct Attempt {
    Attempt(const AttemptId& of, std::shared_ptr<const StoredReply> with = nullptr) : id(of), reply(std::move(with)) {}

    AttemptId id;
    // Of a publication with an Idempotency-Key; the log sets its ids. Where a log keeps none, it is ignored.
    std::shared_ptr<const StoredReply> reply;
    // Put with the events (DurableState::put), or not at all if the append fails; where a log keeps none, ignored.
    std::vector<NamedValue> values{};
};

using Appends = boost::container::small_vector<Append, 1>;  // nearly always one

// What an append outlives once it has ended.
enum class Durability : std::uint8_t {
    memory,   // nothing
    written,  // the process
    synced,   // the machine
};

struct AppendResult {
    std::optional<AppendError> error;
    boost::container::small_vector<std::uint64_t, 1> first_ids{};  // by append; its event i has first_id + i
};

// What the log retains of one append: events of one document in the order of their ids, at least one, and the record of
// their document. Immutable. If an append keeps its items alone, each is one of these.
struct Kept {
    std::shared_ptr<const std::string> stream;
    feed::DocumentRecordPtr record;
    std::vector<feed::EventHead> events;  // with ids and times
};

// Some of its events, which it keeps alive.
struct KeptEvents {
    std::shared_ptr<const Kept> of;
    std::span<const feed::EventHead> events;  // at least one
};

// The stream that stands for all streams in read(), first_id_since() and extent().
inline constexpr std::string_view all_streams = "*";

// The part of a stream, or of the whole log, that is retained.
struct StreamExtent {
    std::uint64_t first_id = 0;  // of the oldest retained event; without any, the log's last id + 1
    std::uint64_t last_id = 0;   // of the newest retained event; 0: there is none
    std::size_t events = 0;
    std::size_t bytes = 0;  // of memory or disk
    feed::RecordTime oldest = 0;
    // Of the newest event that is no longer retained, for whatever reason; 0: there is none. What was dropped from a
    // stream that the log has forgotten counts for every stream that is new since then.
    std::uint64_t dropped_id = 0;
    feed::RecordTime dropped_time = 0;
    std::uint64_t drops = 0;  // how often anything has been dropped from any stream
    // How many streams the log has forgotten that have had events, if dropped_id is of these; else 0.
    std::uint64_t forgotten = 0;
};

// What read() returns.
struct Slice {
    std::vector<KeptEvents> kept;  // in the order of ids
    std::uint64_t next_id = 0;     // where to read on: what is retained below it, from the beginning on, is in `kept`
    bool at_end = false;           // next_id is the log's last id + 1
    // The last of the ids from `from` on, and below next_id, whose events are damaged, so that they can't be read; 0:
    // none.
    std::uint64_t damaged_id = 0;
    std::uint64_t erased_id = 0;   // the first of these ids whose event has been erased; 0: none
    std::uint64_t dropped_id = 0;  // as in StreamExtent
    std::uint64_t oldest_id = 0;   // StreamExtent::first_id
    std::uint64_t drops = 0;       // likewise
};

// What became of purge().
struct Purged {
    std::optional<AppendError> error;  // why it is not known to be stored
    std::uint64_t events = 0;          // dropped
    std::uint64_t first_id = 0;        // StreamExtent::first_id
};

// What became of erase().
struct Erased {
    bool is_found = false;               // the stream retains such an event, and it was not erased before
    std::optional<AppendError> error{};  // why it is not known whether its bytes are gone
};

// What can't be read of a log on disk.
struct Damage {
    std::uint64_t first_id = 0, last_id = 0;
    std::vector<std::string> streams;  // which have events among these ids, as far as that is known
    std::string what;                  // the fault, with its file
};

// What a log takes of the disk.
struct DiskUse {
    std::uint64_t bytes = 0;       // tables and write-ahead log
    std::uint64_t dead_bytes = 0;  // of these, about, what is no longer needed, and will be given back
    std::uint64_t bytes_max = 0;
    bool is_short = false;  // events are dropped because of bytes_max, or will be soon
};

struct LogState {
    static constexpr std::size_t damage_max = 1'000;  // listed

    enum class Condition : std::uint8_t {
        open,
        full,    // of the disk: appends are refused until there is space, all else goes on
        failed,  // appends are refused until it has been opened again, which is tried again and again
    };

    Condition condition = Condition::open;
    std::string reason{};  // why it is not open
    std::vector<Damage> damage{};
    std::optional<DiskUse> disk{};  // of a log on disk
};

class EventLog {
public:
    using Done = std::function<void(const AppendResult&)>;
    using Listener = std::function<void(const Append&)>;

    virtual ~EventLog() = default;

    // Sets the listener, which is called for every append, by any appender, once it is as durable as configured. For
    // one stream the calls are serialised, in the order of ids, each before the append's `done`. The listener must not
    // throw or append. Call once, before the first append.
    virtual void listen(Listener listener) = 0;

    // Appends all events of all appends, at least one, or none; several may be to one stream. Returns the result if it
    // is known at once; otherwise another thread passes it to `done`, once. Calls complete in the order in which they
    // began if they append to the same stream, and if one fails, so do all to its streams that began before the failure
    // was reported. If it throws std::bad_alloc, nothing has been appended.
    virtual std::optional<AppendResult> append(const Attempt& attempt, Appends appends, Done done) = 0;
    virtual Durability durability() const { return Durability::memory; }
    // Whether append() always returns the result: it needs no `done` then.
    virtual bool appends_at_once() const { return false; }

    // What it keeps beside events; null: nothing.
    virtual DurableState* durable_state() { return nullptr; }
    virtual LogState state() { return {}; }

    // Differs from that of every other log, and of this one before it lost its events or ids (a restart in memory):
    // letters and digits, at most 11.
    virtual const std::string& epoch() const = 0;
    virtual std::uint64_t last_id() = 0;            // the last one given; 0: none
    virtual feed::RecordTime begun_at() const = 0;  // the beginning of its epoch

    // Reads from the first event with an id of at least `from`, in the order of ids, within the limits. Returns at
    // least one event if there is any, however large, unless `events_max` is 0. Like first_id_since(), it may wait for
    // the disk.
    virtual Slice read(std::string_view stream, std::uint64_t from, std::size_t events_max, std::size_t bytes_max) = 0;
    // The id of the stream's first retained event at `time` or later; without any, the log's last id + 1, which no
    // event has yet. No event's time is below that of an earlier one.
    virtual std::uint64_t first_id_since(std::string_view stream, feed::RecordTime time) = 0;
    virtual StreamExtent extent(std::string_view stream) = 0;
    // The extents of several selected streams at one moment, in no order: of each that is named, and of each that has a
    // prefix. With prefixes there is one more, without events: what was dropped from streams that the log has
    // forgotten, which may have had a prefix. Takes time linear in the streams of the log where prefixes are selected.
    virtual std::vector<StreamExtent> extents(const text::StreamSelection& streams) = 0;

    // Sets a stream's retention. Events beyond it are dropped and can no longer be read: at once, or, where that takes
    // a look at the disk, soon.
    virtual void retain(const std::string& stream, const Retention& retention) = 0;
    // Sets what is held of the stream; {}: nothing. What is no longer held is dropped likewise. Holds are not stored:
    // if the log has just been opened, call it before retain(). The bound of all streams together beats them.
    virtual void hold(const std::string& stream, const Hold& hold) = 0;
    // Drops all events of the stream, and forgets it with its retention, hold and all durable state.
    virtual void clear(std::string_view stream) = 0;

    // Drops the stream's events with lower ids, whatever is retained or held of it; it stays all the same, with all
    // else that is kept of it. Returns when that is as durable as configured: it may wait for the disk.
    virtual Purged purge(std::string_view stream, std::uint64_t before) = 0;
    // Erases one event: it is not read any more, and none of its item's bytes are left in the log, nor in dead letters
    // made of it, nor in documents that the log keeps whole because of other items. Its id becomes a hole, which counts
    // as a retained event until it is dropped. What identifies the item stays, so it does not come back when it is
    // published again. Waits for the disk, perhaps long. If it fails, call it again.
    virtual Erased erase(std::string_view stream, std::uint64_t id) = 0;

    // Called when memory is short, to free what can be freed.
    virtual void relieve_memory() = 0;
};

}  // namespace sluice::store
