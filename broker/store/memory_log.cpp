#include "broker/store/memory_log.hpp"

#include "broker/store/add_events.hpp"
#include "broker/store/erasure.hpp"
#include "broker/store/kept_memory.hpp"
#include "broker/store/selected_extent.hpp"
#include "gpu/check/check.hpp"

namespace sluice::store {

// Holds the lock, and then frees what was dropped meanwhile, which may take long.
class MemoryLog::Lock {
public:
    explicit Lock(MemoryLog& log) : log_(log), lock_(log.mutex_) {}
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() {
        EntryPtr garbage = std::move(log_.garbage_);
        lock_.unlock();
        while (garbage) garbage = std::move(garbage->link);
    }

private:
    MemoryLog& log_;
    std::unique_lock<std::mutex> lock_;
};

MemoryLog::MemoryLog(std::size_t bytes_max, base::MemoryBudget& memory, WallClock clock)
    : bytes_max_(bytes_max),
      clock_(std::move(clock)),
      begun_at_(clock_()),
      budget_(memory),
      memory_(memory.force_charge(base::MemoryUse::store, 0)),
      newest_(begun_at_) {}

MemoryLog::~MemoryLog() {
    const Lock lock(*this);
    for (auto& [name, stream] : streams_) drop_all(stream);
}

// Of a stream without events, with its places in the map and the heap.
std::size_t MemoryLog::stream_bytes(std::string_view name) {
    constexpr std::size_t places = 4 * sizeof(void*) + 2 * allocation_bytes;
    return sizeof(Streams::value_type) + name.size() + places;
}

MemoryLog::Stream& MemoryLog::stream_of(std::string_view name) {
    if (const auto at = streams_.find(name); at != streams_.end()) return at->second;
    if (heap_.capacity() == streams_.size()) heap_.reserve(2 * streams_.size() + 8);
    Stream& stream = streams_.try_emplace(std::string(name)).first->second;
    memory_.force_resize(memory_.bytes() + stream_bytes(name));
    stream.dropped = forgotten_;  // it may have been one of those
    return stream;
}

void MemoryLog::set_expiry(Stream& stream) noexcept {
    if (stream.in_expiries.is_linked()) expiries_.erase(expiries_.iterator_to(stream));
    if (stream.within == stream.kept.end()) return;
    const feed::RecordTime time = stream.within->events.front().time;
    const feed::RecordTime age = stream.retention.age.count();
    stream.expiry = age > Stream::never - time ? Stream::never : time + age;
    expiries_.insert(stream);
}

void MemoryLog::note_dropped(Stream& stream, const feed::EventHead& newest) noexcept {
    stream.dropped.add({newest.id, newest.time});
    dropped_.add(stream.dropped);
    ++drops_;
}

// The oldest entry within the retention is so no longer.
void MemoryLog::only_hold_oldest(Stream& stream) noexcept {
    Entry& oldest = *stream.within++;
    stream.held_events += oldest.events.size() - oldest.within;
    stream.held_bytes += oldest.bytes;
    oldest.within = oldest.events.size();
}

void MemoryLog::only_hold_oldest_event(Stream& stream) noexcept {
    Entry& oldest = *stream.within;
    if (oldest.within + 1 == oldest.events.size()) return only_hold_oldest(stream);
    ++oldest.within;
    ++stream.held_events;
}

void MemoryLog::drop_oldest(Stream& stream) noexcept {
    Entry& oldest = *stream.kept.begin();
    const std::size_t events = oldest.retained().size();
    SLUICE_CHECK(events <= stream.events && oldest.bytes <= stream.bytes && stream.bytes <= bytes_);
    const bool is_within = stream.within == stream.kept.begin();
    if (is_within)
        ++stream.within;
    else
        stream.held_bytes -= oldest.bytes;
    stream.held_events -= oldest.within - oldest.first;
    stream.kept.erase(stream.kept.begin());
    kept_.erase(kept_.iterator_to(oldest));
    stream.events -= events;
    stream.bytes -= oldest.bytes;
    events_ -= events;
    bytes_ -= oldest.bytes;
    memory_.force_resize(memory_.bytes() - oldest.bytes);
    note_dropped(stream, oldest.events.back());
    if (is_within) set_expiry(stream);
    garbage_.swap(oldest.link);  // it now refers to what was dropped before, and is referred to by garbage_
}

void MemoryLog::drop_oldest_event(Stream& stream) noexcept {
    Entry& oldest = *stream.kept.begin();
    if (oldest.retained().size() == 1) return drop_oldest(stream);
    note_dropped(stream, oldest.retained().front());
    ++oldest.first;
    --stream.held_events;
    --stream.events;
    --events_;
}

// What is beyond the retention, and not held either.
void MemoryLog::drop_unheld(Stream& stream) noexcept {
    const auto oldest = [&stream]() -> const Entry& { return *stream.kept.begin(); };
    const auto is_unheld = [&] { return !stream.hold.holds(oldest().events.back().id); };
    while (stream.kept.begin() != stream.within && (stream.held_bytes > stream.hold.bytes || is_unheld()))
        drop_oldest(stream);
    while (!stream.kept.empty() && oldest().first < oldest().within && !stream.hold.holds(oldest().retained()[0].id))
        drop_oldest_event(stream);
}

void MemoryLog::drop_all(Stream& stream) noexcept {
    while (!stream.kept.empty()) drop_oldest(stream);
}

// All events of an append have one time.
void MemoryLog::drop_expired(feed::RecordTime time) noexcept {
    while (!expiries_.empty() && expiries_.begin()->expiry < time) {
        Stream& stream = *expiries_.begin();
        only_hold_oldest(stream);
        set_expiry(stream);
        drop_unheld(stream);
    }
}

void MemoryLog::enforce(Stream& stream) noexcept {
    const auto before = stream.within;
    while (stream.bytes - stream.held_bytes > stream.retention.bytes) only_hold_oldest(stream);
    while (stream.events - stream.held_events > stream.retention.events) only_hold_oldest_event(stream);
    if (stream.within != before) set_expiry(stream);
    drop_unheld(stream);
}

// Drops from the stream with the most bytes, again and again, until so many bytes are free. Of equal streams that with
// the oldest event gives first. Returns how many bytes were freed: fewer if the stream with the most has no events, as
// it is about to get its first.
std::size_t MemoryLog::give_back(std::size_t bytes) noexcept {
    const std::size_t before = bytes_;
    const auto gives_later = [](const Stream* a, const Stream* b) {
        return a->bytes != b->bytes ? a->bytes < b->bytes : a->oldest_id() > b->oldest_id();
    };
    heap_.clear();
    for (auto& [name, stream] : streams_)
        if (stream.bytes != 0) heap_.push_back(&stream);
    std::make_heap(heap_.begin(), heap_.end(), gives_later);
    while (!heap_.empty() && before - bytes_ < bytes && !heap_.front()->kept.empty()) {
        std::pop_heap(heap_.begin(), heap_.end(), gives_later);
        Stream& most = *heap_.back();
        heap_.pop_back();
        do drop_oldest(most);
        while (!most.kept.empty() && before - bytes_ < bytes && (heap_.empty() || gives_later(heap_.front(), &most)));
        if (most.bytes == 0) continue;
        heap_.push_back(&most);
        std::push_heap(heap_.begin(), heap_.end(), gives_later);
    }
    return before - bytes_;
}

// Makes room for an entry of the stream, and charges it. More than needed is freed at once, so that there is nothing to
// free for the next ones. No charge is refused meanwhile: the keeper of the memory would take that for a shortage.
bool MemoryLog::make_room(Stream& stream, std::size_t bytes) noexcept {
    constexpr std::size_t rounds = 32, round_bytes_max = 8u << 20;
    if (bytes > bytes_max_) return false;
    const std::size_t round = std::min(bytes_max_ / rounds, round_bytes_max);
    const std::size_t ceiling = budget_.ceiling(base::MemoryUse::store);
    const auto lacking = [&] {
        const std::size_t here = bytes_ > bytes_max_ ? bytes_ - bytes_max_ : 0, used = budget_.used() + bytes;
        return std::max(here, used > ceiling ? used - ceiling : 0);
    };
    stream.bytes += bytes;  // its share is that with the entry
    bytes_ += bytes;
    for (std::size_t lack = lacking(); lack != 0 && give_back(lack + round) != 0;) lack = lacking();
    const bool has_room = lacking() == 0;
    stream.bytes -= bytes;
    bytes_ -= bytes;
    if (has_room) memory_.force_resize(memory_.bytes() + bytes);
    return has_room;
}

// If there is no room, drops all older events too, so that the stream's newest are retained or none.
void MemoryLog::keep(Stream& stream, EntryPtr entry) noexcept {
    Entry& added = *entry;
    const bool is_wanted = stream.hold.holds(added.events.back().id) ||
                           (stream.retention.events != 0 && added.bytes <= stream.retention.bytes);
    if (!is_wanted || !make_room(stream, added.bytes)) {
        drop_all(stream);
        note_dropped(stream, added.events.back());
        return;
    }
    const auto in_stream = stream.kept.insert(stream.kept.end(), added);
    kept_.insert(kept_.end(), added);
    stream.events += added.events.size();
    stream.bytes += added.bytes;
    events_ += added.events.size();
    bytes_ += added.bytes;
    added.link = std::move(entry);
    if (stream.within == stream.kept.end()) {
        stream.within = in_stream;
        set_expiry(stream);
    }
    enforce(stream);
}

// Allocates all that is needed to retain them, without the lock.
MemoryLog::Additions MemoryLog::additions(Appends& appends, bool may_retain) {
    Additions additions;
    additions.reserve(appends.size());
    for (Append& append : appends) {
        SLUICE_CHECK(!append.events.empty() && (append.items.empty() || append.items.size() == append.events.size()));
        auto& entries = additions.emplace_back(Addition{&append, nullptr, {}}).entries;
        if (!may_retain) continue;
        const auto add = [&](feed::DocumentRecordPtr record, std::vector<feed::EventHead> events) {
            const auto entry = std::make_shared<Entry>();
            entry->stream = append.stream;
            entry->record = std::move(record);
            entry->events = std::move(events);
            entry->bytes = sizeof(Entry) + memory_of(*entry);
            entries.push_back(entry);
        };
        if (append.items.empty()) add(append.record, append.events);
        entries.reserve(append.items.size());
        for (std::size_t i = 0; i < append.items.size(); ++i) {
            std::vector<feed::EventHead> event(1, append.events[i]);
            event.front().item = append.items[i].item;
            add(std::make_shared<const feed::DocumentRecord>(std::move(append.items[i].document)), std::move(event));
        }
    }
    return additions;
}

// Returns the id of the first event.
std::uint64_t MemoryLog::add(Addition& addition, feed::RecordTime time) noexcept {
    std::vector<feed::EventHead>& events = addition.append->events;
    for (feed::EventHead& event : events) {
        event.id = ++last_id_;
        event.time = time;
    }
    auto next = events.begin();
    for (EntryPtr& entry : addition.entries) {
        for (feed::EventHead& event : entry->events) {
            event.id = next++->id;
            event.time = time;
        }
        keep(*addition.stream, std::move(entry));
    }
    if (addition.entries.empty()) note_dropped(*addition.stream, events.back());
    return events.front().id;
}

std::optional<AppendResult> MemoryLog::append(const Attempt&, Appends appends, Done) {
    std::optional<AppendResult> result(std::in_place);
    result->first_ids.reserve(appends.size());
    Additions all = additions(appends, bytes_max_ != 0);
    const Lock lock(*this);
    for (const Append& append : appends)
        if (append.record->dead_letter != nullptr && erased_.contains(append.record->dead_letter->id))
            return AppendResult{AppendError::unknown, {}};
    for (Addition& each : all) each.stream = &stream_of(*each.append->stream);
    const feed::RecordTime time = now();
    drop_expired(time);
    for (Addition& each : all) result->first_ids.push_back(add(each, time));
    if (listener_)
        for (const Append& append : appends) listener_(append);
    return result;
}

std::uint64_t MemoryLog::last_id() {
    const Lock lock(*this);
    return last_id_;
}

// Passes the entries of the stream, or of all; nothing if the log does not know the stream.
template <typename Function>
void MemoryLog::with_entries(std::string_view name, const Function& function) const {
    if (name == all_streams) return function(kept_);
    if (const auto at = streams_.find(name); at != streams_.end()) function(at->second.kept);
}

Slice MemoryLog::read(std::string_view name, std::uint64_t from, std::size_t events_max, std::size_t bytes_max) {
    Slice slice;
    const Lock lock(*this);
    drop_expired(now());
    slice.next_id = last_id_ + 1;
    slice.at_end = true;
    const StreamExtent extent = extent_of(name);
    slice.dropped_id = extent.dropped_id;
    slice.oldest_id = extent.first_id;
    slice.drops = extent.drops;
    std::size_t bytes = 0;
    with_entries(name, [&](const auto& entries) {
        auto each = entries.upper_bound(from, ById());
        if (each != entries.begin()) --each;  // it begins at `from` or before, and may reach beyond
        for (; each != entries.end(); ++each) {
            const auto events = each->retained();
            auto wanted = events.subspan(static_cast<std::size_t>(
                std::lower_bound(events.begin(), events.end(), from, ById()) - events.begin()));
            if (wanted.empty()) continue;
            const bool is_full = events_max == 0 || (!slice.kept.empty() && bytes >= bytes_max);
            if (is_full) events_max = 0;
            const auto rest = add_events(slice, each->link, wanted, events_max);
            bytes += each->bytes;
            if (!rest) continue;
            slice.next_id = *rest;
            slice.at_end = false;
            return;
        }
    });
    return slice;
}

std::uint64_t MemoryLog::first_id_since(std::string_view name, feed::RecordTime time) {
    const Lock lock(*this);
    drop_expired(now());
    std::uint64_t id = last_id_ + 1;
    with_entries(name, [&](const auto& entries) {
        const auto is_earlier = [](const feed::EventHead& event, feed::RecordTime than) { return event.time < than; };
        const auto at = entries.lower_bound(time, is_earlier);
        if (at != entries.end()) id = at->retained().front().id;
    });
    return id;
}

StreamExtent MemoryLog::extent_of(std::string_view name) const {
    StreamExtent extent;
    extent.first_id = last_id_ + 1;
    with_entries(name, [&](const auto& entries) {
        if (entries.empty()) return;
        const feed::EventHead& oldest = entries.begin()->retained().front();
        extent.first_id = oldest.id;
        extent.oldest = oldest.time;
        extent.last_id = entries.rbegin()->events.back().id;
    });
    Dropped dropped = forgotten_;
    if (name == all_streams) {
        extent.events = events_;
        extent.bytes = bytes_;
        dropped = dropped_;
    } else if (const auto at = streams_.find(name); at != streams_.end()) {
        extent.events = at->second.events;
        extent.bytes = at->second.bytes;
        dropped = at->second.dropped;
    }
    extent.dropped_id = dropped.id;
    extent.dropped_time = dropped.time;
    extent.drops = drops_;
    if (dropped.id == forgotten_.id) extent.forgotten = forgotten_streams_;
    return extent;
}

StreamExtent MemoryLog::extent(std::string_view name) {
    const Lock lock(*this);
    drop_expired(now());
    return extent_of(name);
}

std::vector<StreamExtent> MemoryLog::extents(const text::StreamSelection& streams) {
    const Lock lock(*this);
    drop_expired(now());
    std::vector<StreamExtent> extents;
    for (const std::string& name : streams.names()) extents.push_back(extent_of(name));
    if (streams.prefixes().empty()) return extents;
    for (const auto& [name, stream] : streams_)
        if (has_selected_prefix(name, streams)) extents.push_back(extent_of(name));
    extents.push_back(extent_of(""));  // as of a stream that it does not know
    return extents;
}

void MemoryLog::retain(const std::string& name, const Retention& retention) {
    const Lock lock(*this);
    Stream& stream = stream_of(name);
    stream.retention = retention;
    for (Entry& each : stream.kept) {  // what was only held may be within it now
        if (each.within == each.first) break;
        each.within = each.first;
    }
    stream.within = stream.kept.begin();
    stream.held_events = stream.held_bytes = 0;
    set_expiry(stream);
    enforce(stream);
    drop_expired(now());
}

void MemoryLog::hold(const std::string& name, const Hold& hold) {
    const Lock lock(*this);
    if (hold.bytes == 0 && !streams_.contains(name)) return;
    Stream& stream = stream_of(name);
    stream.hold = hold;
    drop_unheld(stream);
}

void MemoryLog::clear(std::string_view name) {
    const Lock lock(*this);
    const auto at = streams_.find(name);
    if (at == streams_.end()) return;
    drop_all(at->second);
    forgotten_.add(at->second.dropped);
    if (at->second.dropped.id != 0) ++forgotten_streams_;
    memory_.force_resize(memory_.bytes() - stream_bytes(name));
    streams_.erase(at);
}

Purged MemoryLog::purge(std::string_view name, std::uint64_t before) {
    const Lock lock(*this);
    drop_expired(now());
    Purged purged;
    if (const auto at = streams_.find(name); at != streams_.end()) {
        Stream& stream = at->second;
        purged.events = stream.events;
        while (!stream.kept.empty() && stream.kept.begin()->events.back().id < before) drop_oldest(stream);
        while (!stream.kept.empty() && stream.kept.begin()->retained().front().id < before) {
            if (Entry& oldest = *stream.kept.begin(); oldest.within == oldest.first) only_hold_oldest_event(stream);
            drop_oldest_event(stream);
        }
        purged.events -= stream.events;
    }
    purged.first_id = extent_of(name).first_id;
    return purged;
}

// The other has the same events.
void MemoryLog::replace(Stream& stream, Entry& before, EntryPtr after) noexcept {
    Entry& added = *after;
    const bool is_within = stream.within == stream.kept.iterator_to(before);
    stream.kept.replace_node(stream.kept.iterator_to(before), added);
    kept_.replace_node(kept_.iterator_to(before), added);
    if (is_within) stream.within = stream.kept.iterator_to(added);
    garbage_.swap(before.link);
    added.link = std::move(after);
}

// All that is retained is looked at, as copies may be anywhere.
Erased MemoryLog::erase(std::string_view name, std::uint64_t id) {
    const Lock lock(*this);
    drop_expired(now());
    const auto at = streams_.find(name);
    if (at == streams_.end()) return {};
    auto found = at->second.kept.upper_bound(id, ById());
    if (found == at->second.kept.begin() || id < (--found)->retained().front().id) return {};
    const auto changed_of = [](const Entry& entry) {
        auto changed = std::make_shared<Entry>();
        static_cast<Kept&>(*changed) = entry;
        changed->bytes = entry.bytes;
        changed->first = entry.first;
        changed->within = entry.within;
        return changed;
    };
    try {
        const EntryPtr changed = changed_of(*found);
        auto erasure = Erasure::begin(*changed, id);
        if (!erasure) return {};
        erased_.insert(id);
        for (std::size_t known = 0; known != erasure->ids().size();) {
            known = erasure->ids().size();
            for (auto next = kept_.begin(); next != kept_.end();) {
                Entry& each = *next++;
                if (&each == &*found || !erasure->may_be_in(each)) continue;
                EntryPtr without = changed_of(each);
                if (erasure->erase_from(*without))
                    replace(streams_.find(*each.stream)->second, each, std::move(without));
            }
        }
        replace(at->second, *found, changed);  // at the end, so that it can be tried again
    } catch (const std::bad_alloc&) {
        return {true, AppendError::no_memory};
    }
    return {true, std::nullopt};
}

void MemoryLog::relieve_memory() {
    const Lock lock(*this);
    if (budget_.used() > budget_.bytes_max() / 2) give_back(bytes_ / 2);
}

}  // namespace sluice::store
