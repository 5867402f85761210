#include "broker/store/rocks/eraser.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <new>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/base/thread_name.hpp"
#include "broker/store/rocks/layout.hpp"

namespace sluice::store {

namespace {

constexpr std::chrono::seconds reopening_time{5};  // until the store has been opened again

AppendError error_of(const Fault& fault) {
    return fault.kind == Fault::Kind::no_space ? AppendError::no_space : AppendError::unknown;
}

}  // namespace

struct Eraser::Work {
    std::shared_ptr<Database> database;
    std::map<std::string, Record> changed{};  // by key
    std::set<std::string> keys{};             // to be written anew
    std::vector<std::string> marks{};         // keys, of the events of the requests
    std::optional<Fault> fault{};
};

Eraser::~Eraser() {
    if (completing_.joinable()) completing_.join();
}

void Eraser::complete() {
    const auto database = state_.database.get();
    if (database == nullptr || !database->compacts()) return;  // damage must be repaired first
    std::vector<std::pair<std::string, std::uint64_t>> left;   // streams and ids
    Cursor cursor = database->cursor(Family::state, std::string(1, erased_mark + 1));
    for (cursor.seek(std::string(1, erased_mark)); !cursor.is_at_end(); cursor.next()) {
        if (!is_erased_entry(cursor.key(), cursor.value())) continue;
        const std::lock_guard lock(state_.mutex);
        const auto stream = state_.table.all().find(stream_of_state_key(cursor.key()));
        if (stream != state_.table.all().end())
            left.emplace_back(*stream->second->name, id_of_erased_key(cursor.key()));
    }
    if (left.empty()) return;
    base::log_info("erasing what was not erased from all files before", {{"events", std::to_string(left.size())}});
    completing_ = std::thread([this, left = std::move(left)] {
        base::name_thread("sluiced erase");
        for (const auto& [stream, id] : left)
            if (erase(stream, id).error) return;
    });
}

Erased Eraser::erase(std::string_view stream, std::uint64_t id) {
    Request mine{std::string(stream), id};
    std::unique_lock lock(mutex_);
    waiting_.push_back(&mine);
    changed_.wait(lock, [&] { return mine.is_done || !is_busy_; });
    if (mine.is_done) return mine.result;
    const std::vector<Request*> requests = std::exchange(waiting_, {});
    is_busy_ = true;
    lock.unlock();
    try {
        erase_all(requests);
    } catch (const std::exception& error) {
        base::log_failure("events can't be erased", error.what());
        const bool is_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
        for (Request* each : requests) each->result = {true, is_memory ? AppendError::no_memory : AppendError::unknown};
    }
    lock.lock();
    for (Request* each : requests) each->is_done = true;
    is_busy_ = false;
    changed_.notify_all();
    return mine.result;
}

void Eraser::erase_all(const std::vector<Request*>& requests) {
    const auto fail = [&](AppendError error) {
        forget_unfound(requests);
        for (Request* each : requests) each->result = {true, error};
    };
    {
        const std::lock_guard lock(state_.mutex);
        for (Request* each : requests) each->is_new = state_.erased.insert(each->id).second;
    }
    // Dead letters that were made before are on disk then.
    if (const auto error = writer_.sync()) return fail(*error);
    Work work{state_.database.wait(reopening_time)};
    if (work.database == nullptr) return fail(AppendError::unknown);
    for (Request* each : requests) begin(work, *each);
    forget_unfound(requests);
    if (!work.fault && work.marks.empty()) return;
    if (!work.fault) {
        Batch batch = work.database->batch();
        const std::vector<std::string> keys(work.keys.begin(), work.keys.end());
        std::string all;
        for (const std::string& key : keys) all += key;
        for (const auto& [key, changed] : work.changed)
            put_kept(batch, changed.stream, *changed.kept.record, changed.kept.events);
        for (const std::string& mark : work.marks) batch.put(Family::state, mark, all);
        work.fault = work.database->replace(batch, Family::events, keys);
    }
    if (!work.fault) {
        Batch batch = work.database->batch();
        for (const std::string& mark : work.marks) batch.erase(Family::state, mark);
        work.fault = work.database->write(batch, true);
    }
    if (!work.fault) return;
    const AppendError error = error_of(*work.fault);
    for (Request* each : requests)
        if (each->result.is_found) each->result.error = error;
    base::log_error("events can't be erased", {{"fault", work.fault->what}});
    work.database.reset();  // the log may close it now
    writer_.report(*work.fault);
}

// Of an event that is not there, or stands in another stream, dead letters may still be appended.
void Eraser::forget_unfound(const std::vector<Request*>& requests) {
    const std::lock_guard lock(state_.mutex);
    for (const Request* each : requests)
        if (each->is_new && !each->result.is_found) state_.erased.erase(each->id);
}

// Finds the event, and what else must go with it.
void Eraser::begin(Work& work, Request& request) {
    StreamEntryPtr stream;
    bool is_retained = false;
    {
        const std::lock_guard lock(state_.mutex);
        stream = state_.table.find(request.stream);
        is_retained = stream != nullptr && stream->extent.events != 0 && request.id >= stream->extent.first_id &&
                      request.id <= state_.last_id;
    }
    request.result.is_found = stream != nullptr;  // until it is known
    if (stream == nullptr || work.fault) return;
    const std::string mark_key = erased_key(stream->number, request.id);
    const Database::Found mark = work.database->get(Family::state, mark_key);
    work.fault = mark.fault;
    if (work.fault) return;
    request.result.is_found = mark.value || is_retained;
    if (mark.value) {  // by an attempt that was not completed
        for (std::size_t at = 0; at + event_key(0).size() <= mark.value->size(); at += event_key(0).size())
            work.keys.insert(mark.value->substr(at, event_key(0).size()));
        work.marks.push_back(mark_key);
        return;
    }
    if (!is_retained) return;
    Cursor index = work.database->cursor(Family::index, index_key(stream->number + 1, 0));
    index.seek_before(index_key(stream->number, request.id));
    work.fault = index.fault();
    if (work.fault) return;
    request.result.is_found = false;
    if (index.is_at_end() || stream_of_key(index.key()) != stream->number) return;
    const std::string key = event_key(id_of_index_key(index.key()));
    auto record = read(work, key, stream);
    auto erasure = record ? Erasure::begin(record->kept, request.id) : std::nullopt;
    if (!erasure) return;
    request.result.is_found = true;
    note(work, key, std::move(*record));
    work.marks.push_back(mark_key);
    erase_copies(work, *erasure, stream);
}

// In the stream, where the same item may have been published before, too; in streams of dead letters later ones, and
// those of these.
void Eraser::erase_copies(Work& work, Erasure& erasure, const StreamEntryPtr& stream) {
    erase_copies_in(work, erasure, stream, 0);
    std::vector<StreamEntryPtr> others;
    {
        const std::lock_guard lock(state_.mutex);
        for (const auto& [number, each] : state_.table.all())
            if (each != stream && each->extent.may_have_dead_letters) others.push_back(each);
    }
    for (std::size_t known = 0; known != erasure.ids().size() && !work.fault;) {
        known = erasure.ids().size();
        for (const StreamEntryPtr& each : others) erase_copies_in(work, erasure, each, erasure.id());
    }
}

void Eraser::erase_copies_in(Work& work, Erasure& erasure, const StreamEntryPtr& stream, std::uint64_t from) {
    Cursor index = work.database->cursor(Family::index, index_key(stream->number + 1, 0));
    for (index.seek(index_key(stream->number, from)); !index.is_at_end() && !work.fault; index.next()) {
        const std::string key = event_key(id_of_index_key(index.key()));
        if (auto record = read(work, key, stream); record && erasure.erase_from(record->kept))
            note(work, key, std::move(*record));
    }
    if (!work.fault) work.fault = index.fault();
}

// What is kept at a key, as this erasure leaves it so far. None: nothing that can be read.
std::optional<Eraser::Record> Eraser::read(Work& work, const std::string& key, const StreamEntryPtr& stream) {
    if (const auto found = work.changed.find(key); found != work.changed.end()) return found->second;
    const Database::Found found = work.database->get(Family::events, key);
    if (found.fault && found.fault->kind != Fault::Kind::damaged) work.fault = found.fault;
    if (!found.value) return std::nullopt;
    StoredKept stored = decode_kept(key, *found.value);
    if (stored.kept == nullptr || stored.stream != stream->number) return std::nullopt;
    stored.kept->stream = stream->name;
    return Record{stored.stream, std::move(*stored.kept)};
}

void Eraser::note(Work& work, const std::string& key, Record record) {
    work.keys.insert(key);
    work.changed.insert_or_assign(key, std::move(record));
}

}  // namespace sluice::store
