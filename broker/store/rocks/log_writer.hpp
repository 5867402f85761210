// Writes a store: what waits at the same time is one batch, with one sync. Has a thread of its own, which also calls
// the log's listener, keeps the streams within their retention, and opens the database again after a fault. All
// functions are as in EventLog and DurableState.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "broker/store/event_log.hpp"
#include "broker/store/rocks/drop_events.hpp"
#include "broker/store/rocks/log_state.hpp"
#include "broker/store/rocks/needed.hpp"
#include "broker/store/rocks/rocks_settings.hpp"
#include "broker/store/rocks/space_collector.hpp"
#include "broker/store/rocks/waiting_values.hpp"
#include "broker/store/wall_clock.hpp"

namespace sluice::store {

class LogWriter {
public:
    // `database_bytes`: of memory for the database. What waits is charged to `memory`.
    LogWriter(RocksSettings settings, std::size_t database_bytes, SharedState& state, base::MemoryBudget& memory,
              WallClock clock);
    ~LogWriter();  // writes what waits, and closes the database
    LogWriter(const LogWriter&) = delete;
    LogWriter& operator=(const LogWriter&) = delete;

    void listen(EventLog::Listener listener) { listener_ = std::move(listener); }
    void observe(ObserveTime group, ObserveTime append);
    void open();
    double progress() const { return progress_; }

    std::optional<AppendResult> append(const Attempt& attempt, Appends appends, EventLog::Done done);
    void retain(const std::string& stream, const Retention& retention);
    void hold(const std::string& stream, const Hold& hold);
    void clear(std::string_view stream);
    void define(const std::string& stream, std::optional<std::string> definition);
    void note_seen(const std::string& stream, const std::vector<SeenItem>& items);
    void put(std::vector<NamedValue> values, DurableState::Done done);
    std::optional<AppendError> sync();
    DiskUse disk() const;
    void collect_space();
    Purged purge(std::string_view stream, std::uint64_t before);
    // Of a write by another thread: the database is opened again.
    void report(const Fault& fault);

private:
    using Clock = std::chrono::steady_clock;

    struct Waiting {
        Attempt attempt;
        Appends appends;
        std::vector<StreamEntryPtr> streams;  // of the appends
        EventLog::Done done;
        std::size_t bytes;
        Clock::time_point since;
        WaitingValues before{};          // put after the append before this one
        base::MemoryCharge memory = {};  // of the attempt's values
    };
    struct Seen {
        StreamEntryPtr stream;
        SeenItem item;
    };
    struct Sync {
        std::optional<AppendError> error{};
        bool is_done = false;
    };
    struct Purge {
        StreamEntryPtr stream;
        std::uint64_t before = 0;
        std::uint64_t events = 0;  // dropped
        Sync stored{};
    };
    struct Change {
        StreamEntryPtr stream;
        bool has_definition = false;  // to be written
        std::optional<std::string> definition{};
    };
    // What one append adds to its stream's extent.
    struct Added {
        std::uint64_t first_id = 0, last_id = 0;
        std::uint64_t bytes = 0;
        bool has_identities = false, has_dead_letters = false;
    };
    struct Group {
        std::vector<Waiting> appends;
        std::vector<StreamEntryPtr> changed;
        std::vector<Change> changes;  // of these streams
        std::vector<std::uint32_t> dead;
        std::vector<Seen> seen;
        std::vector<Sync*> syncs;
        WaitingValues values{};  // put after all appends
        // For the batch:
        std::vector<Added> added;  // by append, in order
        std::unordered_map<StoredStreamEntry*, StoredExtent> extents;
        feed::RecordTime time = 0;

        bool is_last = false;
        bool is_synced = false;
        std::uint64_t id_in_doubt = 0;  // its first one, if it may be on disk or not

        bool is_empty() const {
            return appends.empty() && changes.empty() && dead.empty() && seen.empty() && values.is_empty();
        }
    };

    void run();
    bool wait_for_work();
    void take(Group& group);
    void write_next();
    static void log_group(const Group& group, std::size_t bytes, Clock::duration took);
    std::optional<Fault> write(Group& group);
    bool must_sync(const Group& group) const;
    void assign_ids(Group& group);
    void add_to(Batch& batch, Group& group, Waiting& waiting);
    void put_events(Batch& batch, const StoredStreamEntry& stream, const feed::DocumentRecord& document,
                    std::span<const feed::EventHead> events, Added& added);
    static void put_values(Batch& batch, const Group& group);
    LogRecord log_record() const;
    void end(Group& group);
    void fail(Group& group, AppendError error);
    void put_back(const Group& group);
    void put_back_values(Group& group, std::vector<Waiting>& more);
    void refuse_values();
    void note_fault(const Fault& fault);
    void take_report();
    void end_doubt(const Database& database);
    void pass(std::string_view point) const;

    bool has_space(std::size_t bytes);
    static void tell(const Waiting& waiting, const AppendResult& result) noexcept;
    void check_space();

    Database::Settings database_settings();
    Database::IsDead begin_compaction();
    Needed needed() const;
    std::uint64_t share_of_disk() const;
    void load(Database& database);
    void begin_epoch(Database& database);
    bool reopen();
    void dispatch_rest(Database& database);
    void close();

    void do_purges();
    void keep_retention(const Group& group);
    void keep(const Database& database, const StreamEntryPtr& stream, feed::RecordTime now);
    StoredExtent keep_within(const Database& database, const StreamEntryPtr& stream, feed::RecordTime now);
    void drop(const Database& database, const StreamEntryPtr& stream, const Bounds& bounds);
    void drop_for_room(const Database& database);

    const RocksSettings settings_;
    const std::size_t database_bytes_;
    base::MemoryBudget& memory_;
    SharedState& state_;  // its mutex also guards what is marked with *
    const WallClock clock_;
    EventLog::Listener listener_;
    ObserveTime observe_group_, observe_append_;
    std::atomic<double> progress_{0};
    std::uint64_t bytes_max_ = 0;

    std::condition_variable work_, synced_;
    std::vector<Waiting> waiting_;         // *
    WaitingValues values_;                 // * put after the last one that waits
    std::vector<Seen> seen_;               // *
    std::vector<Sync*> syncs_;             // *
    std::vector<Purge*> purges_;           // *
    std::vector<StreamEntryPtr> to_keep_;  // * whose retention has changed
    std::vector<StreamEntryPtr> held_;     // * whose hold has changed
    bool is_urgent_ = false;               // * there are changes that somebody may wait for
    bool must_reopen_ = false;             // *
    std::optional<Fault> reported_;        // * by another thread
    bool stopping_ = false;                // *

    // Of the thread:
    std::uint64_t given_id_ = 0, ids_end_ = 0;
    std::optional<LogRecord> written_;  // what is known to be on disk
    std::uint64_t id_in_doubt_ = 0;     // the first one of a group that may be on disk; 0: there is none
    Clock::time_point last_sync_{};
    feed::RecordTime newest_ = 0;
    feed::RecordTime next_expiry_ = 0;
    std::uint64_t unsynced_ = 0;  // bytes since the last sync
    Clock::time_point next_try_{};
    Clock::time_point next_look_{};  // at all streams
    bool compacts_ = true;
    std::atomic<bool> is_short_{false};  // of room for events
    std::thread thread_;
    SpaceCollector space_;  // which ends first
};

}  // namespace sluice::store
