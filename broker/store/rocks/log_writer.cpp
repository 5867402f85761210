#include "broker/store/rocks/log_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <exception>
#include <new>
#include <span>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/base/thread_name.hpp"
#include "broker/store/rocks/record_limits.hpp"
#include "gpu/check/check.hpp"
#include "protocol/feed/record/record_codec.hpp"

namespace sluice::store {

namespace {

using Condition = LogState::Condition;

constexpr std::size_t group_bytes = 8u << 20;     // of the documents of one group, unless the first is larger
constexpr std::uint64_t ids_block = 65'536;       // ids are taken from blocks that have been stored
constexpr std::chrono::seconds lazy{1};           // what nobody waits for is written after this time
constexpr std::uint64_t unsynced_share = 64;      // of store.bytes, likewise
constexpr std::chrono::seconds retry{1};          // between tries to open it again, or looks for free space
constexpr std::uint64_t reserve_max = 64u << 20;  // bytes that stay free on the disk, for compactions
constexpr std::uint64_t reserve_share = 20;       // but no more than this part of it

std::size_t bytes_of(const Appends& appends) {
    std::size_t bytes = 0;
    for (const Append& append : appends) {
        if (append.items.empty()) bytes += append.record->text->size();
        for (const feed::ItemRecord& item : append.items) bytes += item.document.text->size();
    }
    return bytes;
}

text::Digest digest_of(const feed::RecordDigest& digest) { return std::bit_cast<text::Digest>(digest); }

void add(StoredExtent& extent, std::uint64_t first_id, std::uint64_t last_id, std::uint64_t bytes,
         feed::RecordTime time) {
    if (extent.events == 0) {
        extent.first_id = extent.first_key = first_id;
        extent.oldest = time;
    }
    extent.events += last_id - first_id + 1;
    extent.bytes += bytes;
    extent.last_id = last_id;
    extent.last_time = time;
}

}  // namespace

LogWriter::LogWriter(RocksSettings settings, std::size_t database_bytes, SharedState& state, base::MemoryBudget& memory,
                     WallClock clock)
    : settings_(std::move(settings)),
      database_bytes_(database_bytes),
      memory_(memory),
      state_(state),
      clock_(std::move(clock)),
      space_(state.database, [this] { return needed(); }) {}

LogWriter::~LogWriter() {
    {
        const std::lock_guard lock(state_.mutex);
        stopping_ = true;
    }
    work_.notify_all();
    if (thread_.joinable()) thread_.join();
    state_.database.close();
}

void LogWriter::observe(ObserveTime group, ObserveTime append) {
    observe_group_ = std::move(group);
    observe_append_ = std::move(append);
}

std::optional<AppendResult> LogWriter::append(const Attempt& attempt, Appends appends, EventLog::Done done) {
    if (appends.empty()) return AppendResult{};
    Waiting waiting{attempt, std::move(appends), {}, std::move(done), 0, Clock::now()};
    waiting.bytes = bytes_of(waiting.appends);
    if (!attempt.values.empty()) {
        check_names(attempt.values);
        waiting.memory = memory_.force_charge(base::MemoryUse::store, bytes_of(attempt.values));
        waiting.bytes += waiting.memory.bytes();
    }
    waiting.streams.reserve(waiting.appends.size());
    const std::lock_guard lock(state_.mutex);
    if (state_.log.condition != Condition::open || stopping_) return AppendResult{error_in(state_.log.condition), {}};
    for (const Append& append : waiting.appends) {
        SLUICE_CHECK(!append.events.empty() && (append.items.empty() || append.items.size() == append.events.size()));
        const feed::DeadLetterPtr& letter = append.record->dead_letter;
        if (letter != nullptr && state_.erased.contains(letter->id)) return AppendResult{AppendError::unknown, {}};
        waiting.streams.push_back(state_.table.find_or_create(*append.stream));
    }
    waiting_.push_back(std::move(waiting));
    waiting_.back().before = std::exchange(values_, {});
    work_.notify_one();
    return std::nullopt;
}

void LogWriter::clear(std::string_view stream) {
    const std::lock_guard lock(state_.mutex);
    state_.table.erase(stream);
    is_urgent_ = true;
    work_.notify_one();
}

void LogWriter::define(const std::string& stream, std::optional<std::string> definition) {
    const std::lock_guard lock(state_.mutex);
    const StreamEntryPtr found = state_.table.find_or_create(stream);
    state_.table.set_definition(*found, std::move(definition));
    state_.table.note_changed(found);
    is_urgent_ = true;
    work_.notify_one();
}

void LogWriter::note_seen(const std::string& stream, const std::vector<SeenItem>& items) {
    constexpr std::size_t seen_max = 100'000;
    const std::lock_guard lock(state_.mutex);
    const StreamEntryPtr found = state_.table.find(stream);
    if (found == nullptr || seen_.size() >= seen_max) return;
    for (const SeenItem& item : items) seen_.push_back({found, item});
}

std::optional<AppendError> LogWriter::sync() {
    Sync mine;
    std::unique_lock lock(state_.mutex);
    if (state_.log.condition != Condition::open || stopping_) return error_in(state_.log.condition);
    syncs_.push_back(&mine);
    work_.notify_one();
    synced_.wait(lock, [&] { return mine.is_done; });
    return mine.error;
}

// Returns false at the end.
bool LogWriter::wait_for_work() {
    std::unique_lock lock(state_.mutex);
    const auto is_wanted = [this] {
        return stopping_ || !waiting_.empty() || !syncs_.empty() || !to_keep_.empty() || !purges_.empty() ||
               is_urgent_ || reported_;
    };
    if (state_.log.condition == Condition::open)
        work_.wait_for(lock, lazy, is_wanted);
    else
        work_.wait_until(lock, next_try_, [this] { return stopping_ || values_.is_waited_for(); });
    const bool has_work = !waiting_.empty() || !syncs_.empty() || !values_.is_empty() || state_.table.has_changes();
    return !stopping_ || (has_work && state_.log.condition == Condition::open);
}

void LogWriter::pass(std::string_view point) const {
    if (settings_.at_point) settings_.at_point(point);
}

void LogWriter::run() {
    base::name_thread("sluiced store");
    while (wait_for_work()) {
        try {
            take_report();
            if (Clock::now() >= next_try_ && state_.log.condition != Condition::open) check_space();
            if (state_.log.condition == Condition::open)
                write_next();
            else
                refuse_values();
        } catch (const std::exception& error) {  // without memory for what nobody waits for
            base::log_failure("the store can't be looked after for now", error.what());
        }
    }
    close();
}

void LogWriter::take(Group& group) {
    const std::lock_guard lock(state_.mutex);
    std::size_t n = 0, bytes = 0;
    while (n < waiting_.size() && (n == 0 || bytes + waiting_[n].bytes <= group_bytes)) bytes += waiting_[n++].bytes;
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(n);
    group.appends.assign(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    if (waiting_.empty()) group.values = std::exchange(values_, {});
    group.changed = state_.table.take_changed();
    group.changes.reserve(group.changed.size());
    for (const StreamEntryPtr& stream : group.changed) {
        Change change{stream, stream->is_definition_changed};
        if (change.has_definition) change.definition = stream->definition;
        group.changes.push_back(std::move(change));
        stream->is_definition_changed = false;
    }
    group.dead = state_.table.dead();
    group.is_last = stopping_;
    group.seen.swap(seen_);
    group.syncs.swap(syncs_);
    is_urgent_ = false;
}

void LogWriter::log_group(const Group& group, std::size_t bytes, Clock::duration took) {
    base::log_trace("group stored",
                    {{"publications", group.appends.size()},
                     {"bytes", bytes},
                     {"synced", group.is_synced},
                     {"microseconds", std::chrono::duration_cast<std::chrono::microseconds>(took).count()}});
}

void LogWriter::write_next() {
    Group group;
    std::optional<AppendError> error;
    try {
        do_purges();
        take(group);
        std::size_t bytes = 0;
        for (const Waiting& waiting : group.appends) bytes += waiting.bytes;
        if ((!group.appends.empty() || !group.values.is_empty()) && !has_space(bytes)) {
            put_back(group);
            return fail(group, AppendError::no_space);
        }
        if (!group.is_empty()) pass("store.write");
        const auto begun = Clock::now();
        const auto fault = group.is_empty() ? std::nullopt : write(group);
        if (observe_group_ && !group.appends.empty()) observe_group_(Clock::now() - begun);
        if (!fault && !group.appends.empty())
            base::log_at(config::LogLevel::trace, [&] { log_group(group, bytes, Clock::now() - begun); });
        if (fault) {
            note_fault(*fault);
            if (!group.appends.empty()) group.id_in_doubt = group.appends.front().appends.front().events.front().id;
            error = AppendError::unknown;
        }
    } catch (const std::bad_alloc&) {  // nothing has been written
        error = AppendError::no_memory;
    }
    if (error) {
        put_back(group);
        return fail(group, *error);
    }
    if (!group.is_empty()) pass("store.written");
    end(group);
    if (!group.is_empty()) pass("store.told");
    keep_retention(group);
}

// Which ids its events have, and when they happened.
void LogWriter::assign_ids(Group& group) {
    group.time = newest_ = std::max(newest_, clock_());
    for (Waiting& waiting : group.appends) {
        for (Append& append : waiting.appends) {
            for (feed::EventHead& event : append.events) {
                event.id = ++given_id_;
                event.time = group.time;
            }
        }
    }
}

LogRecord LogWriter::log_record() const {
    return {state_.epoch, state_.begun_at, ids_end_, state_.table.numbers_given(), state_.table.forgotten()};
}

// What somebody waits for is as durable as configured. What files may lose once it has been written is synced in any
// case, but not too often.
bool LogWriter::must_sync(const Group& group) const {
    if (settings_.sync) return true;  // all groups, as check_logs() needs
    const bool has_changes = !group.changes.empty() || !group.dead.empty();
    const bool is_due = Clock::now() - last_sync_ >= lazy || unsynced_ > bytes_max_ / unsynced_share;
    return has_changes && (!group.syncs.empty() || group.is_last || is_due);
}

std::optional<Fault> LogWriter::write(Group& group) {
    const auto database = state_.database.get();
    Batch batch = database->batch();
    std::uint64_t events = 0;
    for (const Waiting& waiting : group.appends)
        for (const Append& append : waiting.appends) events += append.events.size();
    const bool needs_ids = given_id_ + events > ids_end_;
    if (needs_ids) ids_end_ = given_id_ + std::max(events, ids_block);
    LogRecord record;
    {
        const std::lock_guard lock(state_.mutex);
        record = log_record();
    }
    if (record != written_) batch.put(Family::state, log_key, encode(record));
    if (needs_ids && !settings_.sync) {  // no id is given twice, whatever a failure takes back
        if (auto fault = database->write(batch, true)) return fault;
        batch = database->batch();
    }
    // Before the appends, which may change the same items.
    for (const Seen& seen : group.seen)
        batch.put(Family::identities, identity_key(seen.stream->number, seen.item.identity),
                  encode_seen(seen.item.content, seen.item.seen_at));
    assign_ids(group);
    for (Waiting& waiting : group.appends) add_to(batch, group, waiting);
    put_values(batch, group);
    for (const Change& change : group.changes) {
        group.extents.try_emplace(change.stream.get(), change.stream->extent);
        if (!change.has_definition) continue;
        const std::string key = stream_key(definition_mark, change.stream->number);
        if (change.definition)
            batch.put(Family::state, key, *change.definition);
        else
            batch.erase(Family::state, key);
    }
    {
        const std::lock_guard lock(state_.mutex);
        for (const auto& [stream, extent] : group.extents)
            if (!stream->is_erased)
                batch.put(Family::state, stream_key(stream_mark, stream->number), encode(*stream->name, extent));
    }
    for (const std::uint32_t stream : group.dead) {
        batch.erase(Family::state, stream_key(stream_mark, stream));
        batch.erase(Family::state, stream_key(definition_mark, stream));
    }
    group.is_synced = must_sync(group);
    if (auto fault = database->write(batch, group.is_synced)) return fault;
    written_ = std::move(record);
    std::uint64_t bytes = 0;
    for (const Added& added : group.added) bytes += added.bytes;
    unsynced_ = group.is_synced ? 0 : unsynced_ + bytes;
    if (group.is_synced) last_sync_ = Clock::now();
    space_.note_written(bytes);
    return std::nullopt;
}

void LogWriter::add_to(Batch& batch, Group& group, Waiting& waiting) {
    for (std::size_t a = 0; a < waiting.appends.size(); ++a) {
        const Append& append = waiting.appends[a];
        StoredStreamEntry& stream = *waiting.streams[a];
        Added added{append.events.front().id, append.events.back().id};
        added.has_dead_letters = append.record->dead_letter != nullptr;
        if (append.items.empty()) put_events(batch, stream, *append.record, append.events, added);
        for (std::size_t i = 0; i < append.items.size(); ++i) {
            feed::EventHead event = append.events[i];
            event.item = append.items[i].item;
            put_events(batch, stream, append.items[i].document, std::span(&event, 1), added);
        }
        for (const feed::EventHead& event : append.events) {
            if (event.identity == feed::RecordDigest{}) continue;
            added.has_identities = true;
            batch.put(Family::identities, identity_key(stream.number, digest_of(event.identity)),
                      encode_seen(digest_of(event.content), event.time));
        }
        StoredExtent& extent = group.extents.try_emplace(&stream, stream.extent).first->second;
        add(extent, added.first_id, added.last_id, added.bytes, group.time);
        extent.has_seen = extent.has_seen || added.has_identities;
        extent.may_have_dead_letters = extent.may_have_dead_letters || added.has_dead_letters;
        group.added.push_back(added);
    }
    if (waiting.attempt.reply == nullptr) return;
    StoredReply reply = *waiting.attempt.reply;
    reply.first_id = waiting.appends.front().events.front().id;
    reply.last_id = waiting.appends.front().events.back().id;
    batch.put(Family::replies, reply_key(waiting.attempt.id), encode_reply(reply, group.time));
}

void LogWriter::put_events(Batch& batch, const StoredStreamEntry& stream, const feed::DocumentRecord& document,
                           std::span<const feed::EventHead> events, Added& added) {
    const std::uint32_t bytes = put_kept(batch, stream.number, document, events);
    const auto n = static_cast<std::uint32_t>(events.size());
    batch.put(Family::index, index_key(stream.number, events.front().id),
              encode(IndexEntry{n, bytes, events.front().time}));
    added.bytes += bytes;
}

// The group is on disk. Its events can be read, and go to the listener, one append after the other.
void LogWriter::end(Group& group) {
    auto added = group.added.begin();
    for (Waiting& waiting : group.appends) {
        for (std::size_t a = 0; a < waiting.appends.size(); ++a, ++added) {
            StoredStreamEntry& stream = *waiting.streams[a];
            const std::lock_guard lock(state_.mutex);
            StoredExtent extent = stream.extent;
            add(extent, added->first_id, added->last_id, added->bytes, group.time);
            extent.has_seen = extent.has_seen || added->has_identities;
            extent.may_have_dead_letters = extent.may_have_dead_letters || added->has_dead_letters;
            state_.table.set_extent(stream, extent);
            if (stream.within) add(*stream.within, added->first_id, added->last_id, added->bytes, group.time);
            state_.last_id = added->last_id;
            if (listener_) listener_(waiting.appends[a]);
        }
    }
    const auto now = Clock::now();
    for (Waiting& waiting : group.appends) {
        waiting.before.end(std::nullopt);
        AppendResult result;
        for (const Append& append : waiting.appends) result.first_ids.push_back(append.events.front().id);
        tell(waiting, result);
        if (observe_append_) observe_append_(now - waiting.since);
    }
    group.values.end(std::nullopt);
    const std::lock_guard lock(state_.mutex);
    bool has_dropped = group.is_synced && !group.dead.empty();
    for (const auto& [stream, extent] : group.extents) {
        if (!group.is_synced || stream->safely_dropped == extent.lost_id()) continue;
        stream->safely_dropped = extent.lost_id();
        has_dropped = true;
    }
    if (has_dropped) space_.note_dropped();
    if (group.is_synced) state_.table.forget_dead(group.dead.size());  // else they are deleted again
    for (Sync* sync : group.syncs) sync->is_done = true;
    synced_.notify_all();
}

// Nobody has been told of the group; what it would have changed of streams is written with the next one.
void LogWriter::put_back(const Group& group) {
    const std::lock_guard lock(state_.mutex);
    for (const Change& change : group.changes) change.stream->is_definition_changed |= change.has_definition;
    for (const StreamEntryPtr& stream : group.changed) state_.table.note_changed(stream);
}

// Everything that has been appended meanwhile fails with it, since the log promises that.
void LogWriter::fail(Group& group, AppendError error) {
    std::vector<Waiting> more;
    std::vector<DurableState::Done> last;
    {
        const std::lock_guard lock(state_.mutex);
        more.swap(waiting_);
        last = values_.take_done();
        put_back_values(group, more);
        group.syncs.insert(group.syncs.end(), syncs_.begin(), syncs_.end());
        syncs_.clear();
        for (Purge* purge : purges_) group.syncs.push_back(&purge->stored);
        purges_.clear();
        for (Sync* sync : group.syncs) {
            sync->error = error;
            sync->is_done = true;
        }
        synced_.notify_all();
    }
    const auto end_all = [error](std::vector<Waiting>& all) {
        for (Waiting& waiting : all) {
            waiting.before.end(error);
            tell(waiting, AppendResult{error, {}});
        }
    };
    end_all(group.appends);
    group.values.end(error);
    end_all(more);
    for (const DurableState::Done& done : last) done(error);
}

void LogWriter::tell(const Waiting& waiting, const AppendResult& result) noexcept {
    try {
        if (waiting.done) waiting.done(result);
    } catch (const std::exception& error) {
        base::log_failure("a publisher can't be told what became of its document", error.what());
    }
}

void LogWriter::report(const Fault& fault) {
    const std::lock_guard lock(state_.mutex);
    reported_ = fault;
    work_.notify_one();
}

void LogWriter::take_report() {
    std::optional<Fault> fault;
    {
        const std::lock_guard lock(state_.mutex);
        fault = std::exchange(reported_, std::nullopt);
    }
    if (!fault || state_.log.condition != Condition::open) return;
    note_fault(*fault);
    Group none;
    fail(none, AppendError::unknown);
}

void LogWriter::note_fault(const Fault& fault) {
    const bool is_full = fault.kind == Fault::Kind::no_space;
    if (fault.kind == Fault::Kind::damaged) compacts_ = false;  // one has met it, and would again
    {
        const std::lock_guard lock(state_.mutex);
        state_.log.condition = is_full ? Condition::full : Condition::failed;
        state_.log.reason = fault.what;
        must_reopen_ = true;
    }
    next_try_ = is_full ? Clock::now() + retry : Clock::now();
    base::log_error("the store can't be written, publishing is refused until it has been opened again",
                    {{"path", settings_.path}, {"fault", fault.what}});
}

// Also sets the condition to full if there is none. Once it is, a little more must be free.
bool LogWriter::has_space(std::size_t bytes) {
    const auto space = space_of(settings_.path, settings_.files);
    if (!space) return true;
    const std::uint64_t reserve = std::min(reserve_max, space->total / reserve_share);
    const std::uint64_t more = state_.log.condition == Condition::full ? reserve / 4 : 2 * bytes;
    if (space->free >= reserve + more) return true;
    const std::string reason = std::to_string(space->free) + " bytes are free on the disk, " + std::to_string(reserve) +
                               " of them are kept for the store's own work";
    bool is_news = false;
    {
        const std::lock_guard lock(state_.mutex);
        is_news = state_.log.condition == Condition::open;
        state_.log.condition = Condition::full;
        if (is_news) state_.log.reason = reason;
    }
    next_try_ = Clock::now() + retry;
    if (is_news)
        base::log_error("the disk is full, publishing is refused until there is space", {{"path", settings_.path}});
    return false;
}

// Not open: looks whether it can go on.
void LogWriter::check_space() {
    next_try_ = Clock::now() + retry;
    if (state_.log.condition == Condition::full && !has_space(0)) return;
    if (must_reopen_ && !reopen()) return;
    {
        const std::lock_guard lock(state_.mutex);
        state_.log.condition = Condition::open;
        state_.log.reason.clear();
        must_reopen_ = false;
        is_urgent_ = true;
    }
    base::log_info("the store can be written again", {{"path", settings_.path}});
}

}  // namespace sluice::store
