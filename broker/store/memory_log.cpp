#include "broker/store/memory_log.hpp"

#include <algorithm>
#include <utility>

#include "gpu/check/check.hpp"

namespace sluice::store {

namespace {

constexpr std::size_t stream_bytes = 256;  // of a stream without events

std::size_t memory_of(const Append& append) {
    return append.events.size() * sizeof(feed::EventHead) + sizeof(feed::DocumentRecord) + append.record->text->size();
}

}  // namespace

MemoryLog::MemoryLog(std::size_t bytes_max, base::MemoryBudget& memory, WallClock clock)
    : bytes_max_(bytes_max), clock_(std::move(clock)), memory_(memory.force_charge(base::MemoryUse::store, 0)) {}

MemoryLog::Streams::iterator MemoryLog::stream_of(const std::string& name) {
    const auto [at, is_new] = streams_.try_emplace(name);
    if (is_new) memory_.force_resize(memory_.bytes() + stream_bytes + name.size());
    return at;
}

void MemoryLog::forget_unused(Streams::iterator at) noexcept {
    if (!at->second.kept.empty() || at->second.retention != Retention()) return;
    memory_.force_resize(memory_.bytes() - stream_bytes - at->first.size());
    streams_.erase(at);
}

void MemoryLog::drop_oldest_of_all() {
    const auto at = by_age_.begin()->second;
    drop_oldest(at->second);
    forget_unused(at);
}

// Allocates nothing: reuses the stream's node in by_age_ for its next append.
void MemoryLog::drop_oldest(Stream& stream) {
    const Kept& oldest = stream.kept.front();
    SLUICE_CHECK(oldest.size() <= stream.events && oldest.bytes <= stream.bytes && stream.bytes <= bytes_);
    auto place = by_age_.extract(oldest.number);
    SLUICE_CHECK(!place.empty());
    stream.events -= oldest.size();
    stream.bytes -= oldest.bytes;
    bytes_ -= oldest.bytes;
    memory_.force_resize(memory_.bytes() - oldest.bytes);
    stream.kept.pop_front();
    if (stream.kept.empty()) return;
    place.key() = stream.kept.front().number;
    by_age_.insert(std::move(place));
}

void MemoryLog::drop_newest(Stream& stream) {
    if (stream.kept.size() == 1) {
        drop_oldest(stream);
        return;
    }
    const Kept& newest = stream.kept.back();
    SLUICE_CHECK(newest.size() <= stream.events && newest.bytes <= stream.bytes && stream.bytes <= bytes_);
    stream.events -= newest.size();
    stream.bytes -= newest.bytes;
    bytes_ -= newest.bytes;
    memory_.force_resize(memory_.bytes() - newest.bytes);
    stream.kept.pop_back();
}

void MemoryLog::drop_oldest_event(Stream& stream) {
    Kept& oldest = stream.kept.front();
    if (oldest.size() == 1) {
        drop_oldest(stream);
        return;
    }
    ++oldest.first;
    --stream.events;
}

void MemoryLog::enforce(Stream& stream, feed::RecordTime time) {
    const Retention& retention = stream.retention;
    const auto is_old = [&](const Kept& kept) { return time - kept.events.back().time > retention.age.count(); };
    while (!stream.kept.empty() && (stream.bytes > retention.bytes || is_old(stream.kept.front()))) drop_oldest(stream);
    while (stream.events > retention.events) drop_oldest_event(stream);
}

// The stream, after dropping what its retention drops; null if it has no events.
MemoryLog::Stream* MemoryLog::enforce(std::string_view name) {
    const auto at = streams_.find(name);
    if (at == streams_.end()) return nullptr;
    enforce(at->second, now());
    if (!at->second.kept.empty()) return &at->second;
    forget_unused(at);
    return nullptr;
}

bool MemoryLog::make_room(std::size_t bytes) {
    if (bytes > bytes_max_) return false;
    while (bytes_ > bytes_max_ - bytes) drop_oldest_of_all();
    while (!memory_.resize(memory_.bytes() + bytes)) {
        if (by_age_.empty()) return false;
        drop_oldest_of_all();
    }
    return true;
}

void MemoryLog::keep(const Append& append) {
    const std::size_t bytes = memory_of(append);
    auto at = streams_.find(*append.stream);
    const Retention retention = at == streams_.end() ? Retention() : at->second.retention;
    if (retention.events == 0 || bytes > retention.bytes || !make_room(bytes)) {
        // Drop all older events too, so that of the stream's events the newest are retained.
        at = streams_.find(*append.stream);
        if (at == streams_.end()) return;
        while (!at->second.kept.empty()) drop_oldest(at->second);
        forget_unused(at);
        return;
    }
    at = streams_.end();
    try {
        at = stream_of(*append.stream);
        at->second.kept.push_back({append.record, append.events, 0, bytes, ++appends_});
        if (at->second.kept.size() == 1) by_age_.emplace(appends_, at);
    } catch (...) {
        memory_.force_resize(memory_.bytes() - bytes);
        if (at != streams_.end()) {
            std::deque<Kept>& kept = at->second.kept;
            if (!kept.empty() && kept.back().number == appends_) kept.pop_back();
            forget_unused(at);
        }
        throw;
    }
    Stream& stream = at->second;
    stream.events += append.events.size();
    stream.bytes += bytes;
    bytes_ += bytes;
}

// Returns the id of the first event.
std::uint64_t MemoryLog::add(Append& append, feed::RecordTime time) {
    SLUICE_CHECK(!append.events.empty());
    std::uint64_t id = last_id_;
    for (feed::EventHead& event : append.events) {
        event.id = ++id;
        event.time = time;
    }
    keep(append);
    last_id_ = id;
    return append.events.front().id;
}

// Undoes the last add().
void MemoryLog::take_back(const Append& append) noexcept {
    last_id_ = append.events.front().id - 1;
    const auto at = streams_.find(*append.stream);
    if (at == streams_.end()) return;
    Stream& stream = at->second;
    const bool is_kept = !stream.kept.empty() && stream.kept.back().events.front().id > last_id_;
    if (is_kept) drop_newest(stream);
    forget_unused(at);
}

std::optional<AppendResult> MemoryLog::append(const AttemptId&, Appends appends, Done) {
    std::optional<AppendResult> result(std::in_place);
    auto& first_ids = result->first_ids;
    first_ids.reserve(appends.size());
    const std::lock_guard lock(mutex_);
    const feed::RecordTime time = now();
    try {
        for (Append& append : appends) first_ids.push_back(add(append, time));
    } catch (...) {
        for (std::size_t added = first_ids.size(); added-- > 0;) take_back(appends[added]);
        throw;
    }
    for (const Append& append : appends) enforce(*append.stream);
    if (listener_)
        for (const Append& append : appends) listener_(append);
    return result;
}

std::vector<feed::EventRecord> MemoryLog::read(std::string_view name, std::uint64_t from, std::size_t events_max,
                                               std::size_t bytes_max) {
    std::vector<feed::EventRecord> found;
    const std::lock_guard lock(mutex_);
    const Stream* const stream = enforce(name);
    if (stream == nullptr) return found;
    const auto& kept = stream->kept;
    const auto begins_before = [](std::uint64_t id, const Kept& each) { return id < each.events.front().id; };
    auto each = std::upper_bound(kept.begin(), kept.end(), from, begins_before);
    if (each != kept.begin()) --each;
    std::size_t bytes = 0;
    for (; each != kept.end() && found.size() < events_max && bytes < bytes_max; ++each) {
        const std::size_t before = found.size();
        for (std::size_t i = each->first; i < each->events.size() && found.size() < events_max; ++i)
            if (each->events[i].id >= from) found.push_back({each->events[i], each->record});
        if (found.size() != before) bytes += each->bytes;
    }
    return found;
}

// All events of an append have one time.
std::uint64_t MemoryLog::first_id_since(std::string_view name, feed::RecordTime time) {
    const std::lock_guard lock(mutex_);
    const Stream* const stream = enforce(name);
    if (stream == nullptr) return last_id_ + 1;
    const auto& kept = stream->kept;
    const auto is_earlier = [](const Kept& each, feed::RecordTime than) { return each.events.back().time < than; };
    const auto found = std::lower_bound(kept.begin(), kept.end(), time, is_earlier);
    return found == kept.end() ? last_id_ + 1 : found->events[found->first].id;
}

StreamExtent MemoryLog::extent(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const Stream* const stream = enforce(name);
    if (stream == nullptr) return {last_id_ + 1};
    const feed::EventHead& oldest = stream->kept.front().events[stream->kept.front().first];
    return {oldest.id, stream->kept.back().events.back().id, stream->events, stream->bytes, oldest.time};
}

void MemoryLog::retain(const std::string& name, const Retention& retention) {
    const std::lock_guard lock(mutex_);
    stream_of(name)->second.retention = retention;
    enforce(name);
}

void MemoryLog::clear(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto at = streams_.find(name);
    if (at == streams_.end()) return;
    while (!at->second.kept.empty()) drop_oldest(at->second);
    at->second.retention = {};
    forget_unused(at);
}

void MemoryLog::relieve_memory() {
    const std::lock_guard lock(mutex_);
    for (const std::size_t enough = bytes_ / 2; bytes_ > enough;) drop_oldest_of_all();
}

}  // namespace sluice::store
