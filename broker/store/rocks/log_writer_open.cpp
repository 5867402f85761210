// Opening and closing: what LogWriter does beside writing.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/store/epoch.hpp"
#include "broker/store/rocks/backup.hpp"
#include "broker/store/rocks/log_writer.hpp"
#include "broker/store/rocks/store_lock.hpp"

namespace sluice::store {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw std::runtime_error("the store in " + path + " can't be opened: " + why);
}

std::string described(const std::string& path, const Fault& fault) {
    // To ask whose the lock is would end this process's own.
    const bool is_own = fault.what.find("lock hold") != std::string::npos;
    if (is_own || fault.what.find("While lock file") != std::string::npos)
        return (is_own ? "this process" : user_of_store(path).value_or("another process")) +
               " has it open, and only one may";
    if (fault.what.find("olumn famil") != std::string::npos)
        return "it was written by a newer version of Sluice (" + fault.what + ")";
    if (fault.kind == Fault::Kind::damaged)
        return fault.what + "; `sluice store repair` drops what can't be read, and says what";
    return fault.what;
}

}  // namespace

Database::Settings LogWriter::database_settings() {
    Database::Settings settings;
    settings.path = settings_.path;
    settings.memory = database_bytes_;
    settings.bytes_max = bytes_max_;
    settings.is_synced = settings_.sync;
    settings.compacts = compacts_;
    settings.files = settings_.files;
    settings.begin_compaction = [this] { return begin_compaction(); };
    settings.place_of = place_of;
    settings.progress = &progress_;
    return settings;
}

// What a compaction may leave out, and files that are removed. Files are not lost with a failure as the newest records
// of streams may be, so only what has been synced counts.
Needed LogWriter::needed() const {
    const feed::RecordTime now = clock_();
    std::vector<Needed::Stream> streams;
    std::uint32_t numbers_given = 0;
    {
        const std::lock_guard lock(state_.mutex);
        numbers_given = state_.table.numbers_given();
        streams.reserve(state_.table.all().size() + state_.table.dead().size());
        for (const auto& [number, stream] : state_.table.all()) {
            const feed::RecordTime age = stream->retention.identities.count();
            streams.push_back({number, stream->safely_dropped, age > now ? 0 : now - age});
        }
        for (const std::uint32_t number : state_.table.dead()) streams.push_back({number});
    }
    return {std::move(streams), numbers_given, now - settings_.replies_window.count()};
}

Database::IsDead LogWriter::begin_compaction() {
    return [needed = std::make_shared<const Needed>(needed())](Family family, std::string_view key,
                                                               std::string_view value) {
        const auto place = place_of(family, key, value);
        return place && !needed->needs(family, *place);
    };
}

// The folder may not exist yet.
std::uint64_t LogWriter::share_of_disk() const {
    constexpr std::uint64_t most = std::uint64_t{10} << 30, share = 10;
    std::string path = settings_.path;
    auto space = space_of(path, settings_.files);
    while (!space && path.find('/', 1) != std::string::npos) {
        path.resize(path.find_last_of('/'));
        space = space_of(path, settings_.files);
    }
    return space ? std::min(most, space->total / share) : most;
}

void LogWriter::open() {
    if (settings_.path.empty()) refuse("\"\"", "store.path is empty");
    bytes_max_ = settings_.bytes_max.value_or(share_of_disk());
    Database::Opened opened = Database::open(database_settings());
    if (opened.fault) refuse(settings_.path, described(settings_.path, *opened.fault));
    load(*opened.database);
    if (is_backup(settings_.files, settings_.path)) begin_epoch(*opened.database);
    {
        const std::lock_guard lock(state_.mutex);
        state_.last_id = given_id_;
    }
    state_.database.set(std::move(opened.database));
    progress_ = 1;
    space_.start(bytes_max_);
    thread_ = std::thread([this] { run(); });
}

// Reads the state; of a new database, writes it.
void LogWriter::load(Database& database) {
    const auto stored_format = database.get(Family::state, format_key);
    if (stored_format.fault) refuse(settings_.path, described(settings_.path, *stored_format.fault));
    Cursor cursor = database.cursor(Family::state);
    cursor.seek("");
    if (!stored_format.value && cursor.is_at_end() && !cursor.fault()) {
        state_.epoch = random_epoch();
        state_.begun_at = clock_();
        Batch batch = database.batch();
        batch.put(Family::state, format_key, format);
        batch.put(Family::state, log_key, encode(log_record()));
        if (const auto fault = database.write(batch, true)) refuse(settings_.path, described(settings_.path, *fault));
        return;
    }
    if (stored_format.value && *stored_format.value != format)
        refuse(settings_.path, "it has format " + *stored_format.value + ", and this version of Sluice reads format " +
                                   std::string(format) + " only");
    const auto stored_log = database.get(Family::state, log_key);
    const auto log = stored_log.value ? decode_log_record(*stored_log.value) : std::nullopt;
    if (!stored_format.value || !log) refuse(settings_.path, "it is no store of Sluice, or its state is damaged");

    std::unordered_map<std::uint32_t, std::string> definitions;
    const std::lock_guard lock(state_.mutex);
    if (state_.epoch.empty()) {  // else it is the same, and others read it
        state_.epoch = log->epoch;
        state_.begun_at = log->begun_at;
    }
    state_.table.set_numbers_given(log->streams_end);
    state_.table.set_forgotten(log->forgotten);
    ids_end_ = log->ids_end;
    given_id_ = std::max(given_id_, ids_end_);
    newest_ = std::max(newest_, log->forgotten.time);
    for (; !cursor.is_at_end(); cursor.next()) {
        const std::string_view key = cursor.key();
        if (key.size() != stream_key(stream_mark, 0).size()) continue;
        const std::uint32_t number = stream_of_state_key(key);
        if (key.front() == definition_mark) definitions[number] = cursor.value();
        if (key.front() != stream_mark) continue;
        const auto record = decode_stream_record(cursor.value());
        if (!record) refuse(settings_.path, "the record of a stream is damaged");
        std::optional<std::string> definition;
        if (const auto found = definitions.find(number); found != definitions.end()) definition = found->second;
        state_.table.load(number, *record, std::move(definition));
        newest_ = std::max(newest_, record->extent.last_time);
    }
    if (const auto fault = cursor.fault()) refuse(settings_.path, described(settings_.path, *fault));
}

// Of a backup: what was published after it is not there, and its ids go to others. The mark goes last, so that a start
// that is cut short begins yet another epoch rather than none.
void LogWriter::begin_epoch(Database& database) {
    Batch batch = database.batch();
    {
        const std::lock_guard lock(state_.mutex);
        state_.epoch = random_epoch();
        state_.begun_at = std::max(newest_, clock_());
        batch.put(Family::state, log_key, encode(log_record()));
    }
    if (const auto fault = database.write(batch, true)) refuse(settings_.path, described(settings_.path, *fault));
    if (const auto fault = remove_mark(settings_.files, settings_.path))
        refuse(settings_.path, described(settings_.path, *fault));
    base::log_info("the store is a backup, so a new epoch begins", {{"epoch", state_.epoch}});
}

// After a fault. What the store holds now beyond what the listener has had, it gets.
bool LogWriter::reopen() {
    state_.database.close();
    try {
        Database::Opened opened = Database::open(database_settings());
        if (opened.fault) refuse(settings_.path, described(settings_.path, *opened.fault));
        load(*opened.database);
        written_.reset();  // it may be lost
        end_doubt(*opened.database);
        Database& database = *opened.database;
        state_.database.set(std::move(opened.database));
        dispatch_rest(database);
        return true;
    } catch (const std::exception& error) {
        base::log_error("the store can't be opened again, which is tried until it succeeds",
                        {{"path", settings_.path}, {"fault", error.what()}});
        const std::lock_guard lock(state_.mutex);
        state_.log.condition = LogState::Condition::failed;
        state_.log.reason = error.what();
        return false;
    }
}

void LogWriter::dispatch_rest(Database& database) {
    const std::uint64_t from = state_.last_id + 1;
    Cursor cursor = database.cursor(Family::events);
    for (cursor.seek(event_key(from)); !cursor.is_at_end(); cursor.next()) {
        const std::uint64_t id = id_of_event_key(cursor.key());
        StoredKept stored = decode_kept(cursor.key(), cursor.value());
        if (!stored.kept) {
            note_damage(state_, id, id, stored.damage);
            continue;
        }
        const std::lock_guard lock(state_.mutex);
        const StreamEntryPtr stream = state_.table.find(stored.stream);
        state_.last_id = stored.kept->events.back().id;
        if (stream == nullptr || !listener_) continue;
        listener_(Append{stream->name, stored.kept->record, stored.kept->events, nullptr});
    }
    if (const auto fault = cursor.fault()) note_damage(state_, from, given_id_, fault->what);
}

// At the end: the next start then goes on with the next id.
void LogWriter::close() {
    Group rest;
    fail(rest, AppendError::unknown);  // there is something only if it could not be written
    const auto database = state_.database.get();
    if (database == nullptr || state_.log.condition != LogState::Condition::open) return;
    ids_end_ = given_id_;
    Batch batch = database->batch();
    {
        const std::lock_guard lock(state_.mutex);
        batch.put(Family::state, log_key, encode(log_record()));
    }
    if (const auto fault = database->write(batch, true))
        base::log_error("the store can't be written at the end", {{"fault", fault->what}});
}

}  // namespace sluice::store
