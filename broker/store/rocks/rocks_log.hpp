// An event log on disk, in a RocksDB database: decisions/store.md. Appends that wait at the same time are one write,
// with one sync, by the log's own thread, which also assigns ids and calls the listener; so `done` is called on that
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/store/event_log.hpp"
#include "broker/store/rocks/rocks_settings.hpp"
#include "broker/store/wall_clock.hpp"

namespace sluice::store {

class RocksLog final : public EventLog, public DurableState {
public:
    using EventLog::Done;

    // The database's buffers are charged to `memory`.
    RocksLog(RocksSettings settings, base::MemoryBudget& memory, WallClock clock = wall_time);
    ~RocksLog() override;  // all that was appended before has been written then
    RocksLog(const RocksLog&) = delete;
    RocksLog& operator=(const RocksLog&) = delete;

    // Opens the store or creates it, and starts the log's thread. Call once, after listen() and before all else but
    // progress(). Throws std::runtime_error, which says what to do, if it can't be opened: another process has it open,
    // it is of another format, it is damaged.
    void open();
    // How much of what open() must read has been read, from 0 to 1.
    double progress() const;

    // Of the disk: how long each group took to write and sync, and each append from append() to its end.
    void observe(ObserveTime group, ObserveTime append);  // call before open()
    // Gives back now the disk space that is given back from time to time: all that can be, of what has been dropped.
    void collect_space();

    void listen(Listener listener) override;
    std::optional<AppendResult> append(const Attempt& attempt, Appends appends, Done done) override;
    Durability durability() const override;
    DurableState* durable_state() override { return this; }
    LogState state() override;
    const std::string& epoch() const override;
    std::uint64_t last_id() override;
    feed::RecordTime begun_at() const override;
    Slice read(std::string_view stream, std::uint64_t from, std::size_t events_max, std::size_t bytes_max) override;
    std::uint64_t first_id_since(std::string_view stream, feed::RecordTime time) override;
    StreamExtent extent(std::string_view stream) override;
    std::vector<StreamExtent> extents(const text::StreamSelection& streams) override;
    void retain(const std::string& stream, const Retention& retention) override;
    void hold(const std::string& stream, const Hold& hold) override;
    void clear(std::string_view stream) override;
    Purged purge(std::string_view stream, std::uint64_t before) override;
    Erased erase(std::string_view stream, std::uint64_t id) override;
    void relieve_memory() override {}

    std::vector<StoredStream> streams() override;
    void define(const std::string& stream, std::optional<std::string> definition) override;
    std::optional<AppendError> sync() override;
    bool has_seen_none(std::string_view stream) override;
    std::vector<std::optional<SeenItem>> find_seen(std::string_view stream,
                                                   std::span<const text::Digest> identities) override;
    void note_seen(const std::string& stream, std::vector<SeenItem> items) override;
    std::vector<NamedValue> values() override;
    void put(std::vector<NamedValue> values, DurableState::Done done) override;
    std::optional<StoredReply> find_reply(const AttemptId& attempt) override;
    boost::system::result<Backup, BackupRefusal> backup(const std::string& name) override;

private:
    class Parts;

    const std::unique_ptr<Parts> parts_;
};

}  // namespace sluice::store
