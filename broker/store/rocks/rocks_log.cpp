#include "broker/store/rocks/rocks_log.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "broker/store/rocks/backup.hpp"
#include "broker/store/rocks/eraser.hpp"
#include "broker/store/rocks/event_reader.hpp"
#include "broker/store/rocks/log_state.hpp"
#include "broker/store/rocks/log_writer.hpp"

namespace sluice::store {

namespace {

constexpr std::chrono::seconds reopening_patience{5};

// For the database's buffers and caches.
std::size_t database_memory(const base::MemoryBudget& memory) {
    constexpr std::size_t share = 8, least = 8u << 20, most = 512u << 20;
    return std::clamp(memory.bytes_max() / share, least, most);
}

std::string backups_beside(std::string path) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return path + ".backups";
}

}  // namespace

class RocksLog::Parts {
public:
    Parts(RocksSettings settings, base::MemoryBudget& memory, WallClock clock)
        : is_synced(settings.sync),
          files(settings.files),
          backups(settings.backups.empty() ? backups_beside(settings.path) : settings.backups),
          buffers(memory.force_charge(base::MemoryUse::store, database_memory(memory))),
          state(memory),
          reader(state),
          writer(std::move(settings), buffers.bytes(), state, memory, std::move(clock)),
          eraser(state, {[this] { return writer.sync(); }, [this](const Fault& fault) { writer.report(fault); }}) {}

    const bool is_synced;
    const std::shared_ptr<rocksdb::FileSystem> files;
    const std::string backups;
    std::mutex backing_up;
    const base::MemoryCharge buffers;
    SharedState state;
    EventReader reader;
    LogWriter writer;
    Eraser eraser;
};

RocksLog::RocksLog(RocksSettings settings, base::MemoryBudget& memory, WallClock clock)
    : parts_(std::make_unique<Parts>(std::move(settings), memory, std::move(clock))) {}
RocksLog::~RocksLog() = default;

void RocksLog::open() {
    parts_->writer.open();
    parts_->eraser.complete();
}
double RocksLog::progress() const { return parts_->writer.progress(); }
void RocksLog::observe(ObserveTime group, ObserveTime append) {
    parts_->writer.observe(std::move(group), std::move(append));
}
void RocksLog::listen(Listener listener) { parts_->writer.listen(std::move(listener)); }

void RocksLog::collect_space() { parts_->writer.collect_space(); }

std::optional<AppendResult> RocksLog::append(const Attempt& attempt, Appends appends, Done done) {
    return parts_->writer.append(attempt, std::move(appends), std::move(done));
}

Durability RocksLog::durability() const { return parts_->is_synced ? Durability::synced : Durability::written; }

LogState RocksLog::state() {
    const DiskUse disk = parts_->writer.disk();
    const std::lock_guard lock(parts_->state.mutex);
    LogState state = parts_->state.log;
    state.disk = disk;
    return state;
}

const std::string& RocksLog::epoch() const { return parts_->state.epoch; }
feed::RecordTime RocksLog::begun_at() const { return parts_->state.begun_at; }

std::uint64_t RocksLog::last_id() {
    const std::lock_guard lock(parts_->state.mutex);
    return parts_->state.last_id;
}

Slice RocksLog::read(std::string_view stream, std::uint64_t from, std::size_t events_max, std::size_t bytes_max) {
    return parts_->reader.read(stream, from, events_max, bytes_max);
}

std::uint64_t RocksLog::first_id_since(std::string_view stream, feed::RecordTime time) {
    return parts_->reader.first_id_since(stream, time);
}

StreamExtent RocksLog::extent(std::string_view stream) {
    const std::lock_guard lock(parts_->state.mutex);
    return parts_->state.table.extent(stream, parts_->state.last_id);
}

std::vector<StreamExtent> RocksLog::extents(const text::StreamSelection& streams) {
    const std::lock_guard lock(parts_->state.mutex);
    return parts_->state.table.extents(streams, parts_->state.last_id);
}

void RocksLog::retain(const std::string& stream, const Retention& retention) {
    parts_->writer.retain(stream, retention);
}

void RocksLog::hold(const std::string& stream, const Hold& hold) { parts_->writer.hold(stream, hold); }

Purged RocksLog::purge(std::string_view stream, std::uint64_t before) { return parts_->writer.purge(stream, before); }

Erased RocksLog::erase(std::string_view stream, std::uint64_t id) { return parts_->eraser.erase(stream, id); }

void RocksLog::clear(std::string_view stream) { parts_->writer.clear(stream); }

std::vector<StoredStream> RocksLog::streams() {
    std::vector<StreamEntryPtr> all;
    std::vector<StoredStream> streams;
    const std::lock_guard lock(parts_->state.mutex);
    for (const auto& [number, stream] : parts_->state.table.all()) all.push_back(stream);
    std::sort(all.begin(), all.end(), [](const StreamEntryPtr& a, const StreamEntryPtr& b) {
        return std::pair(a->extent.last_time, a->number) < std::pair(b->extent.last_time, b->number);
    });
    streams.reserve(all.size());
    for (const StreamEntryPtr& stream : all) streams.push_back({*stream->name, stream->definition});
    return streams;
}

void RocksLog::define(const std::string& stream, std::optional<std::string> definition) {
    parts_->writer.define(stream, std::move(definition));
}

std::optional<AppendError> RocksLog::sync() { return parts_->writer.sync(); }

bool RocksLog::has_seen_none(std::string_view stream) {
    const std::lock_guard lock(parts_->state.mutex);
    const StreamEntryPtr found = parts_->state.table.find(stream);
    return found == nullptr || !found->extent.has_seen;
}

std::vector<std::optional<SeenItem>> RocksLog::find_seen(std::string_view stream,
                                                         std::span<const text::Digest> identities) {
    std::vector<std::optional<SeenItem>> seen(identities.size());
    std::vector<std::string> keys;
    {
        const std::lock_guard lock(parts_->state.mutex);
        const StreamEntryPtr found = parts_->state.table.find(stream);
        if (found == nullptr) return seen;
        for (const text::Digest& identity : identities) keys.push_back(identity_key(found->number, identity));
    }
    const auto database = parts_->state.database.wait(reopening_patience);
    if (database == nullptr) return seen;  // nothing can be appended then
    const auto found = database->get(Family::identities, keys);
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!found[i].value) continue;
        seen[i] = decode_seen(*found[i].value);
        if (seen[i]) seen[i]->identity = identities[i];
    }
    return seen;
}

void RocksLog::note_seen(const std::string& stream, std::vector<SeenItem> items) {
    parts_->writer.note_seen(stream, items);
}

std::vector<NamedValue> RocksLog::values() {
    const auto database = parts_->state.database.wait(reopening_patience);
    if (database == nullptr) throw std::runtime_error("the store's values can't be read: it is not open");
    std::vector<NamedValue> values;
    Cursor cursor = database->cursor(Family::state, std::string(1, value_mark + 1));
    for (cursor.seek(value_key("")); !cursor.is_at_end(); cursor.next())
        values.push_back({std::string(cursor.key().substr(1)), std::string(cursor.value())});
    if (const auto fault = cursor.fault()) throw std::runtime_error("the store's values can't be read: " + fault->what);
    return values;
}

void RocksLog::put(std::vector<NamedValue> values, DurableState::Done done) {
    parts_->writer.put(std::move(values), std::move(done));
}

std::optional<StoredReply> RocksLog::find_reply(const AttemptId& attempt) {
    const auto database = parts_->state.database.wait(reopening_patience);
    if (database == nullptr) return std::nullopt;
    const auto found = database->get(Family::replies, reply_key(attempt));
    return found.value ? decode_reply(*found.value) : std::nullopt;
}

boost::system::result<Backup, BackupRefusal> RocksLog::backup(const std::string& name) {
    using Reason = BackupRefusal::Reason;
    const std::unique_lock one_at_a_time(parts_->backing_up, std::try_to_lock);
    if (!one_at_a_time) return BackupRefusal{Reason::busy, "another backup is being made"};
    const auto database = parts_->state.database.wait(reopening_patience);
    if (database == nullptr) return BackupRefusal{Reason::busy, "the event log failed, and is being opened again"};
    const auto folder = backup_folder(parts_->backups, name);
    return folder ? make_backup(*database, parts_->files, *folder) : folder.error();
}

}  // namespace sluice::store
