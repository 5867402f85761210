#include "broker/store/rocks/event_reader.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/store/add_events.hpp"
#include "broker/store/rocks/skip_damage.hpp"

namespace sluice::store {

namespace {

struct ById {
    bool operator()(const feed::EventHead& event, std::uint64_t id) const { return event.id < id; }
};

struct Wanted {
    std::uint64_t from = 0, last_id = 0;
    std::size_t events_max = 0, bytes_max = 0;
};

// One call of read(). A slice with damage has no events: what is readable before it comes first.
//
// Meanwhile events are dropped. Of one stream everything is read that was retained when the cursor had just been made,
// and what had been dropped then is told. Of all streams it is told at the end, so that nothing is left out silently.
class Reading {
public:
    Reading(SharedState& state, const Database& database, const Wanted& wanted, Slice& slice)
        : state_(state), database_(database), wanted_(wanted), slice_(slice) {}

    void read_stream(std::string_view name, const StreamEntryPtr& stream);
    // Events of one stream, or of all if it is null, from an id on.
    void scan(const StreamEntryPtr& only, std::uint64_t from);
    // Something was dropped before it could be read.
    bool must_repeat() const { return must_repeat_; }

private:
    // Where the index says that events are: ids from `id` on and below `end`.
    struct Place {
        std::uint64_t id, end;
        StreamEntryPtr stream;
    };

    bool add_indexed(const Place& place);
    bool reach(std::string_view key);
    template <typename Take>
    bool with_index(Cursor& index, const StreamEntryPtr& stream, std::uint64_t from, const Take& take) const;
    bool read_by_index(std::uint64_t from);
    std::uint64_t retained_now(const StoredStreamEntry& stream) const;
    std::uint64_t retained_from(const StoredStreamEntry& stream) const {
        return first_id_ ? *first_id_ : retained_now(stream);
    }
    bool add(const std::shared_ptr<Kept>& kept, const StoredStreamEntry& stream, std::size_t bytes);
    bool add_stored(std::string_view key, std::string_view value, const StoredStreamEntry& stream);
    bool add_damage(std::uint64_t first_id, std::uint64_t last_id, const std::string& what,
                    const StoredStreamEntry* stream = nullptr);
    bool stop_at(std::uint64_t id);

    SharedState& state_;
    const Database& database_;
    Wanted wanted_;
    Slice& slice_;
    std::size_t bytes_ = 0;
    std::optional<std::uint64_t> first_id_;  // of the one stream that is read
    std::optional<Cursor> ahead_;            // over events, once a second one is read by the index
    bool has_read_one_ = false;
    bool must_repeat_ = false;
};

// The id of the oldest event that the stream retains; the highest of all: none.
std::uint64_t Reading::retained_now(const StoredStreamEntry& stream) const {
    const std::lock_guard lock(state_.mutex);
    return stream.is_erased || stream.extent.events == 0 ? ~std::uint64_t{0} : stream.extent.first_id;
}

// The slice ends before this id. Returns false, as those below do when it has ended.
bool Reading::stop_at(std::uint64_t id) {
    slice_.next_id = id;
    slice_.at_end = false;
    return false;
}

bool Reading::add(const std::shared_ptr<Kept>& kept, const StoredStreamEntry& stream, std::size_t bytes) {
    const std::span<const feed::EventHead> events = kept->events;
    const std::uint64_t from = std::max(wanted_.from, retained_from(stream));
    const auto wanted = events.subspan(
        static_cast<std::size_t>(std::lower_bound(events.begin(), events.end(), from, ById()) - events.begin()));
    if (wanted.empty()) return true;
    const bool is_full =
        wanted_.events_max == 0 || (!slice_.kept.empty() && bytes_ >= wanted_.bytes_max) || slice_.damaged_id != 0;
    if (is_full) return stop_at(wanted.front().id);
    kept->stream = stream.name;
    const auto rest = add_events(slice_, kept, wanted, wanted_.events_max);
    bytes_ += bytes;
    return !rest || stop_at(*rest);
}

bool Reading::add_damage(std::uint64_t first_id, std::uint64_t last_id, const std::string& what,
                         const StoredStreamEntry* stream) {
    if (last_id < wanted_.from) return true;
    note_damage(state_, first_id, last_id, what, stream);
    if (!slice_.kept.empty()) return stop_at(std::max(first_id, wanted_.from));
    slice_.damaged_id = last_id;
    return true;
}

bool Reading::add_stored(std::string_view key, std::string_view value, const StoredStreamEntry& stream) {
    const StoredKept stored = decode_kept(key, value);
    if (stored.kept && stored.stream == stream.number) return add(stored.kept, stream, value.size());
    const std::uint64_t first_id = id_of_event_key(key);
    const auto header = decode_event_header(key, value);
    const std::uint64_t last_id = first_id + (header ? header->events : 1) - 1;
    return add_damage(first_id, last_id, stored.damage.empty() ? "stored events are of another stream" : stored.damage,
                      &stream);
}

// Moves `ahead_` to this key, which is mostly near, so that it is cheaper than a look-up. Returns false if it is not
// there: whether it is missing or damaged is left to the look-up.
bool Reading::reach(std::string_view key) {
    constexpr int steps_max = 4;  // over events of other streams
    if (!ahead_) {
        if (!std::exchange(has_read_one_, true)) return false;
        ahead_.emplace(database_.cursor(Family::events));
    }
    for (int steps = 0; steps < steps_max && !ahead_->is_at_end() && ahead_->key() < key; ++steps) ahead_->next();
    if (ahead_->is_at_end() || ahead_->key() < key) ahead_->seek(key);
    return !ahead_->is_at_end() && ahead_->key() == key;
}

// Returns false when the slice has ended.
bool Reading::add_indexed(const Place& place) {
    const std::string key = event_key(place.id);
    if (reach(key)) return add_stored(key, ahead_->value(), *place.stream);
    const Database::Found found = database_.get(Family::events, key);
    if (found.value) return add_stored(key, *found.value, *place.stream);
    if (place.end <= retained_now(*place.stream)) {
        if (!slice_.kept.empty()) return stop_at(place.id);
        must_repeat_ = true;
        return false;
    }
    return add_damage(place.id, place.end - 1, found.fault ? found.fault->what : "stored events are missing",
                      place.stream.get());
}

// Passes what the index has of the stream from an id on, until `take` returns false. Returns false if the index can't
// be read.
template <typename Take>
bool Reading::with_index(Cursor& index, const StreamEntryPtr& stream, std::uint64_t from, const Take& take) const {
    from = std::max(from, retained_from(*stream));
    if (from > wanted_.last_id) return true;
    const auto is_of_stream = [&] { return !index.is_at_end() && stream_of_key(index.key()) == stream->number; };
    index.seek_before(index_key(stream->number, from));  // it may reach beyond
    if (index.fault()) return false;
    if (!is_of_stream()) index.seek(index_key(stream->number, from));
    for (; is_of_stream(); index.next()) {
        const std::uint64_t id = id_of_index_key(index.key());
        const auto entry = decode_index_entry(index.value());
        if (!entry) return false;
        if (id > wanted_.last_id) return true;
        if (id + entry->events > from && !take(Place{id, id + entry->events, stream})) return true;
    }
    return !index.fault();
}

void Reading::read_stream(std::string_view name, const StreamEntryPtr& stream) {
    Cursor index = database_.cursor(Family::index, index_key(stream->number + 1, 0));
    {
        const std::lock_guard lock(state_.mutex);
        state_.table.describe(name, wanted_.last_id, slice_);
        first_id_ = stream->is_erased || stream->extent.events == 0 ? ~std::uint64_t{0} : stream->extent.first_id;
    }
    std::uint64_t next = wanted_.from;
    const bool is_whole = with_index(index, stream, wanted_.from, [&](const Place& place) {
        if (!add_indexed(place)) return false;
        next = place.end;
        return true;
    });
    if (!is_whole) scan(stream, next);  // the index only says where the events are
}

// As scan() of all streams, but event by event. Returns false if the index can't be read.
bool Reading::read_by_index(std::uint64_t from) {
    std::vector<StreamEntryPtr> streams;
    {
        const std::lock_guard lock(state_.mutex);
        for (const auto& [number, stream] : state_.table.all()) streams.push_back(stream);
    }
    const std::size_t enough = std::min<std::size_t>(wanted_.events_max, 1'000) + 1;
    std::uint64_t complete_before = wanted_.last_id + 1;  // of all streams
    std::vector<Place> places;
    Cursor index = database_.cursor(Family::index);
    for (const StreamEntryPtr& stream : streams) {
        std::size_t n = 0;
        const bool is_whole = with_index(index, stream, from, [&](const Place& place) {
            places.push_back(place);
            if (++n < enough) return true;
            complete_before = std::min(complete_before, place.end);
            return false;
        });
        if (!is_whole) return false;
    }
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.id < b.id; });
    for (const Place& place : places) {
        if (place.id >= complete_before) break;
        if (!add_indexed(place)) return true;
    }
    if (complete_before <= wanted_.last_id) stop_at(complete_before);
    return true;
}

void Reading::scan(const StreamEntryPtr& only, std::uint64_t from) {
    if (from > wanted_.last_id) return;
    Cursor cursor = database_.cursor(Family::events, event_key(wanted_.last_id + 1));
    cursor.seek_before(event_key(from));  // it may reach beyond
    if (cursor.is_at_end() && !cursor.fault()) cursor.seek(event_key(from));
    for (std::uint64_t next = from; next <= wanted_.last_id;) {
        if (cursor.is_at_end()) {
            const auto fault = cursor.fault();
            if (!fault || (only == nullptr && read_by_index(next))) return;
            const std::uint64_t after = skip_damage(cursor, next, wanted_.last_id + 1);
            if (!add_damage(next, after - 1, fault->what)) return;
            next = after;
            continue;
        }
        const std::uint64_t id = id_of_event_key(cursor.key());
        const auto header = decode_event_header(cursor.key(), cursor.value());
        if (!header && !add_damage(id, id, "the header of stored events is damaged")) return;
        next = std::max(next, id + (header ? header->events : 1));
        StreamEntryPtr stream;
        if (header) {
            const std::lock_guard lock(state_.mutex);
            stream = state_.table.find(header->stream);
        }
        if (stream && (only == nullptr || stream == only) && !add_stored(cursor.key(), cursor.value(), *stream)) return;
        cursor.next();
    }
}

// The first place from `first_id` on for which `is_late` holds, which then does for all later ones; `end`: none.
template <typename IsLate>
std::uint64_t first_late(std::uint64_t first_id, std::uint64_t end, const IsLate& is_late) {
    while (first_id < end) {
        const std::uint64_t middle = first_id + (end - first_id) / 2;
        if (is_late(middle))
            end = middle;
        else
            first_id = middle + 1;
    }
    return end;
}

}  // namespace

Slice EventReader::read(std::string_view name, std::uint64_t from, std::size_t events_max,
                        std::size_t bytes_max) const {
    constexpr std::chrono::milliseconds pause{100};
    for (;;) {
        Slice slice;
        Wanted wanted{from, 0, events_max, bytes_max};
        StreamEntryPtr stream;
        {
            const std::lock_guard lock(state_.mutex);
            wanted.last_id = state_.last_id;
            stream = state_.table.find(name);
            state_.table.describe(name, wanted.last_id, slice);
        }
        slice.next_id = wanted.last_id + 1;
        slice.at_end = true;
        if (stream == nullptr && name != all_streams) return slice;
        const auto database = state_.database.wait(pause);
        if (database == nullptr) {  // the caller tries again
            slice.next_id = from;
            slice.at_end = false;
            return slice;
        }
        Reading reading(state_, *database, wanted, slice);
        if (stream != nullptr) {
            reading.read_stream(name, stream);
        } else {
            reading.scan(nullptr, std::max(from, slice.oldest_id));
            const std::lock_guard lock(state_.mutex);
            state_.table.describe(name, wanted.last_id, slice);
        }
        if (!reading.must_repeat()) return slice;
    }
}

std::uint64_t EventReader::first_id_since(std::string_view name, feed::RecordTime time) const {
    const bool is_of_all = name == all_streams;
    std::uint64_t last_id = 0, first_id = 0;
    StreamEntryPtr stream;
    {
        const std::lock_guard lock(state_.mutex);
        last_id = state_.last_id;
        const StreamExtent extent = state_.table.extent(name, last_id);
        stream = state_.table.find(name);
        first_id = extent.first_id;
        if (extent.events == 0 || extent.oldest >= time) return first_id;
    }
    const auto database = state_.database.get();
    if (database == nullptr) return first_id;
    Cursor cursor = is_of_all ? database->cursor(Family::events, event_key(last_id + 1))
                              : database->cursor(Family::index, index_key(stream->number, last_id + 1));
    const auto seek = [&](std::uint64_t id) {
        cursor.seek(is_of_all ? event_key(id) : index_key(stream->number, id));
        return !cursor.is_at_end();
    };
    const auto time_here = [&] {
        if (is_of_all) {
            const auto header = decode_event_header(cursor.key(), cursor.value());
            return header ? header->time : 0;
        }
        const auto entry = decode_index_entry(cursor.value());
        return entry ? entry->time : 0;
    };
    const std::uint64_t id =
        first_late(first_id, last_id + 1, [&](std::uint64_t at) { return !seek(at) || time_here() >= time; });
    if (id > last_id || !seek(id)) return last_id + 1;
    if (!is_of_all) return id_of_index_key(cursor.key());
    return read(all_streams, id_of_event_key(cursor.key()), 0, 0).next_id;  // where an event is that is retained
}

}  // namespace sluice::store
