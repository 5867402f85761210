#include "broker/store/memory_log.hpp"

#include <algorithm>
#include <chrono>

namespace sluice::store {

namespace {

constexpr std::size_t stream_bytes = 256;  // of a stream without events

feed::RecordTime system_time() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

std::size_t memory_of(const Append& append) {
    return append.events.size() * sizeof(feed::EventHead) + sizeof(feed::DocumentRecord) + append.record->text->size();
}

}  // namespace

MemoryLog::MemoryLog(Settings settings, base::MemoryBudget& memory, Clock clock)
    : settings_(settings),
      clock_(clock ? std::move(clock) : Clock(system_time)),
      last_ids_(settings.streams_max),
      memory_(memory.force_charge(base::MemoryUse::store, 0)) {}

MemoryLog::Stream& MemoryLog::stream_of(const std::string& name) {
    if (const auto found = streams_.find(name); found != streams_.end()) return found->second;
    const std::uint64_t last_id = last_ids_.last_id(name);
    Stream& stream = streams_[name];
    stream.last_id = last_id;
    memory_.force_resize(memory_.bytes() + stream_bytes + name.size());
    return stream;
}

// Allocates nothing: reuses the stream's node in by_age_ for its next append.
void MemoryLog::drop_oldest(Stream& stream) {
    const Kept& oldest = stream.kept.front();
    auto place = by_age_.extract(oldest.number);
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

void MemoryLog::enforce(Stream& stream, feed::RecordTime now) {
    const Retention& retention = stream.retention;
    const auto is_old = [&](const Kept& kept) { return now - kept.events.back().time > retention.age.count(); };
    while (!stream.kept.empty() && (stream.bytes > retention.bytes || is_old(stream.kept.front()))) drop_oldest(stream);
    while (stream.events > retention.events) drop_oldest_event(stream);
}

bool MemoryLog::make_room(std::size_t bytes) {
    if (bytes > settings_.bytes_max) return false;
    while (bytes_ > settings_.bytes_max - bytes) drop_oldest(*by_age_.begin()->second);
    while (!memory_.resize(memory_.bytes() + bytes)) {
        if (by_age_.empty()) return false;
        drop_oldest(*by_age_.begin()->second);
    }
    return true;
}

void MemoryLog::keep(Stream& stream, const Append& append) {
    const std::size_t bytes = memory_of(append);
    if (stream.retention.events == 0 || bytes > stream.retention.bytes || !make_room(bytes)) {
        // Drop all older events too, so that the retained events have no holes.
        while (!stream.kept.empty()) drop_oldest(stream);
        return;
    }
    try {
        stream.kept.push_back({append.record, append.events, 0, bytes, ++appends_});
        if (stream.kept.size() == 1) by_age_.emplace(appends_, &stream);
    } catch (...) {
        if (!stream.kept.empty() && stream.kept.back().number == appends_) stream.kept.pop_back();
        memory_.force_resize(memory_.bytes() - bytes);
        throw;
    }
    stream.events += append.events.size();
    stream.bytes += bytes;
    bytes_ += bytes;
}

// Returns the id of the first event.
std::uint64_t MemoryLog::add(Append& append, feed::RecordTime now) {
    Stream& stream = stream_of(*append.stream);
    std::uint64_t id = stream.last_id;
    for (feed::EventHead& event : append.events) {
        event.id = ++id;
        event.time = now;
    }
    keep(stream, append);
    stream.last_id = id;
    return append.events.front().id;
}

// Undoes the last add() to its stream.
void MemoryLog::take_back(const Append& append) noexcept {
    Stream& stream = streams_.find(*append.stream)->second;
    stream.last_id = append.events.front().id - 1;
    const bool is_kept = !stream.kept.empty() && stream.kept.back().events.front().id > stream.last_id;
    if (is_kept) drop_newest(stream);
}

std::optional<AppendResult> MemoryLog::append(const AttemptId&, std::vector<Append> appends, Done) {
    AppendResult result;
    result.first_ids.reserve(appends.size());
    const std::lock_guard lock(mutex_);
    const feed::RecordTime now = clock_();
    try {
        for (Append& append : appends) result.first_ids.push_back(add(append, now));
    } catch (...) {
        for (std::size_t added = result.first_ids.size(); added-- > 0;) take_back(appends[added]);
        throw;
    }
    for (const Append& append : appends) enforce(streams_.find(*append.stream)->second, now);
    if (listener_)
        for (const Append& append : appends) listener_(append);
    return result;
}

std::vector<feed::EventRecord> MemoryLog::read(std::string_view name, std::uint64_t from, std::size_t events_max,
                                               std::size_t bytes_max) {
    std::vector<feed::EventRecord> found;
    const std::lock_guard lock(mutex_);
    const auto at = streams_.find(name);
    if (at == streams_.end()) return found;
    enforce(at->second, clock_());
    const auto& kept = at->second.kept;
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

StreamExtent MemoryLog::extent(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto at = streams_.find(name);
    if (at == streams_.end()) {
        const std::uint64_t last_id = last_ids_.last_id(name);
        return {last_id + 1, last_id};
    }
    Stream& stream = at->second;
    enforce(stream, clock_());
    StreamExtent extent{stream.last_id + 1, stream.last_id, stream.events, stream.bytes};
    if (stream.kept.empty()) return extent;
    const feed::EventHead& oldest = stream.kept.front().events[stream.kept.front().first];
    extent.first_id = oldest.id;
    extent.oldest = oldest.time;
    return extent;
}

void MemoryLog::retain(const std::string& name, const Retention& retention) {
    const std::lock_guard lock(mutex_);
    Stream& stream = stream_of(name);
    stream.retention = retention;
    enforce(stream, clock_());
}

void MemoryLog::clear(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto at = streams_.find(name);
    if (at == streams_.end()) return;
    Stream& stream = at->second;
    last_ids_.remember(name, stream.last_id);
    while (!stream.kept.empty()) drop_oldest(stream);
    memory_.force_resize(memory_.bytes() - stream_bytes - name.size());
    streams_.erase(at);
}

void MemoryLog::relieve_memory() {
    const std::lock_guard lock(mutex_);
    for (const std::size_t enough = bytes_ / 2; bytes_ > enough;) drop_oldest(*by_age_.begin()->second);
}

}  // namespace sluice::store
