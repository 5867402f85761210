#include "broker/store/offline/verify.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "broker/store/offline/opened_store.hpp"
#include "broker/store/offline/walk.hpp"
#include "broker/store/rocks/database/database.hpp"
#include "broker/store/rocks/database/table_check.hpp"
#include "broker/store/rocks/database/write_ahead_log.hpp"
#include "broker/store/rocks/layout.hpp"
#include "broker/store/rocks/log_state.hpp"
#include "broker/store/rocks/store_lock.hpp"

namespace sluice::store {

namespace {

constexpr std::size_t damage_max = 1'000;  // what is listed

constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t number) {
    hash = (hash ^ number) * 0x9E37'79B9'7F4A'7C15u;
    return hash ^ hash >> 32;
}

// Of what the index says of an append. Sums of these are the same whatever the order.
std::uint64_t digest_of(std::uint64_t id, const IndexEntry& entry) {
    std::uint64_t hash = mixed(mixed(0, id), entry.events);
    hash = mixed(mixed(hash, entry.bytes), static_cast<std::uint64_t>(entry.time));
    return mixed(hash, hash >> 29);
}

class Verification {
public:
    explicit Verification(const std::string& path) : path_(path), lock_(path) {}

    Verified run();

private:
    struct Stream {
        StreamRecord record;
        // Of what is retained and can be read:
        std::uint64_t events = 0, bytes = 0, first_key = 0, last_id = 0;
        feed::RecordTime oldest = 0;
        std::uint64_t of_events = 0, of_index = 0;  // sums of digests
        bool is_damaged = false;                    // which has been said
        bool has_identities = false;
    };
    // Events of one stream with the same fault.
    struct Apart {
        std::uint64_t first_id = 0, last_id = 0, events = 0;

        void add(std::uint64_t id, std::uint32_t n) {
            if (events == 0) first_id = id;
            last_id = id + n - 1;
            events += n;
        }
    };
    using Range = std::pair<std::uint64_t, std::uint64_t>;  // ids, the last one included

    void add(Damage damage);
    void add(const std::string& what) { add(Damage{0, 0, {}, what}); }
    void check_logs();
    void check_tables();
    void read_state();
    void read_entry_of_state(std::string_view key, std::string_view value);
    void read_events();
    void read_event(std::string_view key, std::string_view value);
    void read_by_index(std::uint64_t from, std::uint64_t end, const std::string& what);
    bool read_by_index(std::uint32_t number, std::uint64_t from, std::uint64_t end);
    void note_lost(Stream& stream, const Range& ids, const std::string& what);
    void note_lost(std::uint64_t first_id, std::uint64_t last_id, const std::string& what);
    void read_index();
    void compare_index();
    void find_missing_events(std::uint32_t number, Stream& stream);
    void find_missing_entries(const std::set<std::uint32_t>& numbers);
    void compare_records();
    void read_others(Family family, std::uint64_t& count, const char* what, const char* whole,
                     const std::function<bool(std::string_view key, std::string_view value)>& is_sound);
    Stream* retained(std::uint32_t number, std::uint64_t id, std::uint64_t events);
    bool is_lost(std::uint64_t id) const;

    const std::string path_;
    const StoreLock lock_;
    std::unique_ptr<Database> database_;
    Verified report_;
    std::optional<LogRecord> log_;
    bool is_state_whole_ = true, is_index_whole_ = true;
    std::map<std::uint32_t, Stream> streams_;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> erasing_;  // streams and ids
    std::vector<Range> lost_;                                       // ids that can't be read
};

Verified Verification::run() {
    check_logs();
    std::optional<Fault> passed_over;
    const bool are_logs_whole = report_.damage.empty() && report_.notes.empty();
    try {
        database_ = open_to_read(path_, false, &passed_over);
    } catch (const std::runtime_error& error) {
        add(error.what());
        return std::move(report_);
    }
    if (passed_over && are_logs_whole) add(passed_over->what);
    check_tables();
    read_state();
    read_events();
    read_index();
    compare_index();
    read_others(Family::identities, report_.identities, "identities of items", "an identity of an item is damaged",
                [this](std::string_view key, std::string_view value) {
                    if (key.size() != identity_key(0, {}).size() || !decode_seen(value)) return false;
                    const auto stream = streams_.find(stream_of_key(key));
                    if (stream != streams_.end()) stream->second.has_identities = true;
                    return true;
                });
    read_others(Family::replies, report_.replies, "replies to publications", "a reply to a publication is damaged",
                [](std::string_view key, std::string_view value) {
                    return key.size() == reply_key({}).size() && decode_reply(value);
                });
    compare_records();
    report_.streams = streams_.size();
    return std::move(report_);
}

void Verification::add(Damage damage) {
    std::vector<Damage>& all = report_.damage;
    const auto is_same = [&](const Damage& other) {
        return other.first_id == damage.first_id && other.last_id == damage.last_id && other.what == damage.what;
    };
    if (std::any_of(all.begin(), all.end(), is_same)) return;
    if (all.size() < damage_max)
        all.push_back(std::move(damage));
    else
        ++report_.more;
}

// Both are written in the same way. A group of the write-ahead log may have been cut short; the manifest not, since
// each of its records is synced before files depend on it.
void Verification::check_logs() {
    const auto place = [](const LogDamage& damage) {
        return " (" + damage.file + ", offset " + std::to_string(damage.offset) + ")";
    };
    const LogCheck manifest = check_manifest(path_);
    if (!manifest.failure.empty()) add("the manifest can't be read: " + manifest.failure);
    if (manifest.damage) add("the manifest is damaged" + place(*manifest.damage));
    const LogCheck logs = store::check_logs(path_);
    if (!logs.failure.empty()) add("the write-ahead log can't be read: " + logs.failure);
    if (!logs.damage) return;
    if (logs.damage->is_followed)
        add("the write-ahead log is damaged" + place(*logs.damage));
    else
        report_.notes.push_back("the last group of the write-ahead log was cut short" + place(*logs.damage) +
                                "; the next start cuts it off");
}

void Verification::check_tables() {
    for (const TableFile& table : database_->files())
        if (const auto fault = check_table(path_ + '/' + table.name)) add(fault->what);
}

void Verification::read_entry_of_state(std::string_view key, std::string_view value) {
    if (key == format_key && value != format)
        throw std::runtime_error("it has format " + std::string(value) + ", not " + std::string(format));
    if (key == log_key) {
        log_ = decode_log_record(value);
        return;
    }
    if (key.starts_with(value_mark)) {
        ++report_.values;
        if (key.size() > 1 + value_name_max) add("the name of a value is too long");
        return;
    }
    if (key.starts_with(erased_mark)) {
        if (!is_erased_entry(key, value)) return add("the mark of an event that was to be erased is damaged");
        erasing_.emplace_back(stream_of_state_key(key), id_of_erased_key(key));
        return;
    }
    if (key.size() != stream_key(stream_mark, 0).size() || key.front() != stream_mark) return;
    if (auto record = decode_stream_record(value)) {
        streams_[stream_of_state_key(key)].record = std::move(*record);
        return;
    }
    is_state_whole_ = false;
    add("the record of a stream is damaged");
}

void Verification::read_state() {
    walk(
        *database_, Family::state,
        [this](std::string_view key, std::string_view value) { read_entry_of_state(key, value); },
        [this](auto, auto, const std::string& what) {
            is_state_whole_ = false;
            add("names or definitions of streams, or durable subscriptions, can't be read: " + what);
        });
    if (!log_) {
        is_state_whole_ = false;
        add("the record of the store's epoch and ids is missing or damaged");
    }
    for (const auto& [number, id] : erasing_)
        if (const auto stream = streams_.find(number); stream != streams_.end())
            report_.notes.push_back("the event " + std::to_string(id) + " of the stream " + stream->second.record.name +
                                    " is not erased from all files yet; a start of the broker completes that");
    std::set<std::string_view> names;
    for (const auto& [number, stream] : streams_)
        if (!names.insert(stream.record.name).second) add("two streams have the name " + stream.record.name);
}

Verification::Stream* Verification::retained(std::uint32_t number, std::uint64_t id, std::uint64_t events) {
    const auto found = streams_.find(number);
    if (found == streams_.end()) return nullptr;
    const StoredExtent& extent = found->second.record.extent;
    return extent.events != 0 && id + events > extent.first_id ? &found->second : nullptr;
}

bool Verification::is_lost(std::uint64_t id) const {
    return std::any_of(lost_.begin(), lost_.end(),
                       [id](const Range& range) { return range.first <= id && id <= range.second; });
}

void Verification::note_lost(std::uint64_t first_id, std::uint64_t last_id, const std::string& what) {
    Damage damage{first_id, last_id, {}, what};
    for (auto& [number, stream] : streams_) {
        const StoredExtent& extent = stream.record.extent;
        if (extent.events == 0 || extent.first_id > last_id || first_id > extent.last_id) continue;
        damage.streams.push_back(stream.record.name);
        stream.is_damaged = true;
    }
    lost_.emplace_back(first_id, last_id);
    if (damage.streams.empty() && is_state_whole_) return;  // no stream retains anything there
    add(std::move(damage));
}

void Verification::read_event(std::string_view key, std::string_view value) {
    if (key.size() != event_key(0).size()) return add("an event has a key of " + std::to_string(key.size()) + " bytes");
    const std::uint64_t id = id_of_event_key(key);
    const auto header = decode_event_header(key, value);
    const StoredKept stored = decode_kept(key, value);
    if (!stored.kept) return note_lost(id, id + (header ? header->events : 1) - 1, stored.damage);
    const std::uint64_t end = id + header->events;
    if (log_ && end - 1 > log_->ids_end) add({id, end - 1, {}, "events have ids above those that may have been given"});
    if (log_ && is_state_whole_ && !streams_.contains(stored.stream) && stored.stream > log_->streams_end)
        add({id, end - 1, {}, "events are of a stream that never was"});
    Stream* const stream = retained(stored.stream, id, header->events);
    if (stream == nullptr) return;
    const std::uint64_t first_id = std::max(id, stream->record.extent.first_id);
    if (stream->events == 0) {
        stream->first_key = id;
        stream->oldest = header->time;
    }
    stream->events += end - first_id;
    stream->bytes += stored.bytes;
    stream->last_id = end - 1;
    stream->of_events += digest_of(id, {header->events, stored.bytes, header->time});
    report_.events += end - first_id;
}

void Verification::read_events() {
    std::uint64_t highest = log_ ? 0 : ~std::uint64_t{0};
    for (const auto& [number, stream] : streams_) highest = std::max(highest, stream.record.extent.last_id);
    walk(
        *database_, Family::events, [&](std::string_view key, std::string_view value) { read_event(key, value); },
        [&](std::uint64_t from, std::uint64_t end, const std::string& what) {
            read_by_index(from, std::max(from, std::min(end - 1, highest)) + 1, what);
        });
}

// What a cursor can't reach, since a table is missing, say, may still be read event by event.
void Verification::read_by_index(std::uint64_t from, std::uint64_t end, const std::string& what) {
    for (const auto& [number, stream] : streams_)
        if (!read_by_index(number, from, end)) return note_lost(from, end - 1, what);
    if (!is_state_whole_) note_lost(from, end - 1, what);
}

// Returns false, having read nothing, if the index can't be read.
bool Verification::read_by_index(std::uint32_t number, std::uint64_t from, std::uint64_t end) {
    Stream& stream = streams_[number];
    Cursor index = database_->cursor(Family::index, index_key(number, end));
    std::vector<Range> places;
    for (index.seek(index_key(number, from)); !index.is_at_end(); index.next()) {
        const std::uint64_t id = id_of_index_key(index.key());
        const auto entry = decode_index_entry(index.value());
        if (!entry) return false;
        if (retained(number, id, entry->events) != nullptr) places.emplace_back(id, id + entry->events - 1);
    }
    if (index.fault()) return false;
    std::optional<Range> lost;
    std::string why;
    const auto end_lost = [&] {
        if (lost) note_lost(stream, *lost, why);
        lost.reset();
    };
    for (const Range& place : places) {
        const std::string key = event_key(place.first);
        const Database::Found found = database_->get(Family::events, key);
        if (found.value) {
            end_lost();
            read_event(key, *found.value);
            continue;
        }
        const std::string fault = found.fault ? found.fault->what : "the events are missing";
        if (lost && why != fault) end_lost();
        lost = Range{lost ? lost->first : place.first, place.second};
        why = fault;
    }
    end_lost();
    return true;
}

void Verification::note_lost(Stream& stream, const Range& ids, const std::string& what) {
    stream.is_damaged = true;
    lost_.push_back(ids);
    add({ids.first, ids.second, {stream.record.name}, what});
}

void Verification::read_index() {
    walk(
        *database_, Family::index,
        [this](std::string_view key, std::string_view value) {
            const auto entry = decode_index_entry(value);
            if (!entry || key.size() != index_key(0, 0).size()) {
                is_index_whole_ = false;
                return add("an entry of the index is damaged");
            }
            const std::uint64_t id = id_of_index_key(key);
            if (Stream* const stream = retained(stream_of_key(key), id, entry->events))
                stream->of_index += digest_of(id, *entry);
        },
        [this](auto, auto, const std::string& what) {
            is_index_whole_ = false;
            add("the index of events can't be read, and nothing is lost by that: " + what);
        });
}

// Event by event only where the sums say that something is wrong.
void Verification::compare_index() {
    std::set<std::uint32_t> unequal;
    for (auto& [number, stream] : streams_)
        if (stream.of_events != stream.of_index) unequal.insert(number);
    if (unequal.empty()) return;
    for (const std::uint32_t number : unequal) find_missing_events(number, streams_[number]);
    if (is_index_whole_) find_missing_entries(unequal);
}

void Verification::find_missing_events(std::uint32_t number, Stream& stream) {
    Apart missing, other;
    Cursor index = database_->cursor(Family::index, index_key(number + 1, 0));
    for (index.seek(index_key(number, 0)); !index.is_at_end(); index.next()) {
        const std::uint64_t id = id_of_index_key(index.key());
        const auto entry = decode_index_entry(index.value());
        if (!entry || retained(number, id, entry->events) == nullptr || is_lost(id)) continue;
        const std::string key = event_key(id);
        const Database::Found found = database_->get(Family::events, key);
        if (found.fault) continue;  // which has been said
        const auto header = found.value ? decode_event_header(key, *found.value) : std::nullopt;
        if (!found.value)
            missing.add(id, entry->events);
        else if (!header || header->stream != number || header->events != entry->events ||
                 header->time != entry->time || decode_kept(key, *found.value).bytes != entry->bytes)
            other.add(id, entry->events);
    }
    stream.is_damaged = stream.is_damaged || missing.events != 0;
    const std::vector<std::string> names{stream.record.name};
    if (missing.events != 0)
        add({missing.first_id, missing.last_id, names,
             std::to_string(missing.events) + " of these events are in the index, but they are missing"});
    if (other.events != 0)
        add({other.first_id, other.last_id, names,
             std::to_string(other.events) + " of these events are not as the index has them"});
}

void Verification::find_missing_entries(const std::set<std::uint32_t>& numbers) {
    std::map<std::uint32_t, Apart> missing;
    walk(
        *database_, Family::events,
        [&](std::string_view key, std::string_view value) {
            const auto header = decode_event_header(key, value);
            if (!header || !numbers.contains(header->stream)) return;
            const std::uint64_t id = id_of_event_key(key);
            if (retained(header->stream, id, header->events) == nullptr) return;
            const Database::Found found = database_->get(Family::index, index_key(header->stream, id));
            if (!found.value && !found.fault) missing[header->stream].add(id, header->events);
        },
        [](auto...) {});
    for (const auto& [number, apart] : missing)
        add({apart.first_id,
             apart.last_id,
             {streams_[number].record.name},
             std::to_string(apart.events) + " of these events are missing in the index"});
}

void Verification::compare_records() {
    for (auto& [number, stream] : streams_) {
        const StoredExtent& extent = stream.record.extent;
        const std::vector<std::string> names{stream.record.name};
        if (stream.has_identities && !extent.has_seen)
            add({0, 0, names, "the stream's record says that there are no identities of items, and there are"});
        if (stream.is_damaged) continue;
        if (stream.events != extent.events || stream.bytes != extent.bytes)
            add({0, 0, names,
                 "the stream's record says " + std::to_string(extent.events) + " events in " +
                     std::to_string(extent.bytes) + " bytes, and there are " + std::to_string(stream.events) + " in " +
                     std::to_string(stream.bytes)});
        else if (extent.events != 0 && (stream.first_key != extent.first_key || stream.last_id != extent.last_id ||
                                        stream.oldest != extent.oldest))
            add({0, 0, names, "the stream's record names other events as its oldest or newest than there are"});
        if (log_ && extent.last_id > log_->ids_end)
            add({0, 0, names, "the stream's record has ids above those that may have been given"});
    }
}

void Verification::read_others(Family family, std::uint64_t& count, const char* what, const char* whole,
                               const std::function<bool(std::string_view key, std::string_view value)>& is_sound) {
    walk(
        *database_, family,
        [&](std::string_view key, std::string_view value) {
            if (is_sound(key, value))
                ++count;
            else
                add(whole);
        },
        [&](auto, auto, const std::string& fault) { add(std::string("some ") + what + " can't be read: " + fault); });
}

}  // namespace

Verified verify_store(const std::string& given) {
    const std::string path = store_folder_of(given);
    require_store(path);
    return Verification(path).run();
}

}  // namespace sluice::store
