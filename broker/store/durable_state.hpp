// What a log on disk keeps beside its events, so that a restart changes nothing: the definitions of streams, which
// items have been published, the replies to publications with an Idempotency-Key, and values of others by name, such as
// those of durable subscriptions. Identities and replies are kept in one step with the events of their append
// (EventLog::append), and so may values be. Any thread, but find_seen(), find_reply(), values(), sync() and backup()
// wait for the disk: no I/O thread may call them, and nobody who holds a lock that one takes.
#pragma once

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "broker/store/append_error.hpp"
#include "broker/store/attempt_id.hpp"
#include "protocol/feed/model/record.hpp"
#include "protocol/text/digest.hpp"

namespace sluice::store {

struct StoredStream {
    std::string name;
    std::optional<std::string> definition;  // as given to define()
};

// An item that has been published.
struct SeenItem {
    text::Digest identity;
    text::Digest content;        // what it said when it was last new or changed
    feed::RecordTime seen_at{};  // when it was last published, to a day; changed or not
};

struct StoredReply {
    text::Digest request{};  // of what was to be published
    std::uint64_t received = 0, added = 0, updated = 0, unchanged = 0;
    std::uint64_t first_id = 0, last_id = 0;
    std::string faults{};  // what the reply said of refused items and of repairs
};

// A copy of all that a log has on disk, in a folder of its own.
struct Backup {
    std::string path, epoch;
    std::uint64_t bytes = 0, last_id = 0;  // of the newest event that it has; 0: it has none
};

struct BackupRefusal {
    enum class Reason : std::uint8_t {
        path,      // is not one that is allowed
        exists,    // there is something at the path
        busy,      // another backup is being made, or the log is not open
        no_space,  // on the disk; nothing is left of it
        failed,    // likewise
    };

    Reason reason = Reason::failed;
    std::string what{};
};
[[noreturn]] inline void throw_exception_from_error(const BackupRefusal& refusal, const boost::source_location&) {
    throw std::runtime_error(refusal.what);
}

inline constexpr std::size_t value_name_max = 1'024;  // bytes, which may be any

// A value by a name of up to value_name_max bytes. None: there is none any more.
struct NamedValue {
    std::string name;
    std::optional<std::string> value;
};

class DurableState {
public:
    using Done = std::function<void(std::optional<AppendError>)>;

    virtual ~DurableState() = default;

    // All streams with events, identities or a definition, those whose last append is longest ago first. Call when the
    // log has just been opened.
    virtual std::vector<StoredStream> streams() = 0;

    // Sets the definition of a stream; none: it has none any more. Others may read it when sync() has returned, and
    // until then only the process that made it knows it. It is written as soon as that is possible, whatever fails
    // meanwhile.
    virtual void define(const std::string& stream, std::optional<std::string> definition) = 0;
    // Waits until all that was changed before (define, EventLog::clear) is as durable as configured. Returns what
    // prevents that now.
    virtual std::optional<AppendError> sync() = 0;

    // Whether nothing is known of any item of the stream: find_seen() would find none. Does not wait.
    virtual bool has_seen_none(std::string_view stream) = 0;
    // What is known of these identities of the stream, by their index; none: nothing. What can't be read counts as
    // unknown.
    virtual std::vector<std::optional<SeenItem>> find_seen(std::string_view stream,
                                                           std::span<const text::Digest> identities) = 0;
    // These items have been published again, and are unchanged. Not synced: it may be lost.
    virtual void note_seen(const std::string& stream, std::vector<SeenItem> items) = 0;

    // All values, by name, as they are on disk: what has been put and waits to be written is not among them. Throws
    // std::runtime_error if they can't be read.
    virtual std::vector<NamedValue> values() = 0;
    // Sets values, as define() sets a definition. Of several for a name, the last one is written, also if an append
    // has one of them. `done` is called on the log's thread once they are as durable as configured, or with what
    // prevents that now: then they are written as soon as that is possible, unless others have been put. It must not
    // throw. Without `done` they are written soon, with others.
    virtual void put(std::vector<NamedValue> values, Done done) = 0;

    // The reply of the append with this id, if it was given one not too long ago.
    virtual std::optional<StoredReply> find_reply(const AttemptId& attempt) = 0;

    // Copies everything, as it was at some moment of this call, to a folder of this name among the backups; it must not
    // exist, and is there only once it is complete and synced. What was told before the call is in it. Others go on
    // meanwhile. A log that is opened from it begins a new epoch.
    virtual boost::system::result<Backup, BackupRefusal> backup(const std::string& name) = 0;
};

}  // namespace sluice::store
