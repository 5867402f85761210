// Retention: what LogWriter does after each group, and when events have become too old.
#include <algorithm>
#include <limits>

#include "broker/base/log.hpp"
#include "broker/store/rocks/log_writer.hpp"

namespace sluice::store {

namespace {

constexpr std::chrono::milliseconds look_pause{100};
constexpr feed::RecordTime never = std::numeric_limits<feed::RecordTime>::max();

// The last time at which the stream's oldest events are young enough.
feed::RecordTime expiry_of(const StoredStreamEntry& stream) {
    const StoredExtent& extent = stream.within ? *stream.within : stream.extent;
    if (extent.events == 0) return never;
    const feed::RecordTime age = stream.retention.age.count(), time = extent.oldest;
    return age > never - time ? never : time + age;
}

Bounds bounds_of(const Retention& retention, feed::RecordTime now) {
    const feed::RecordTime age = retention.age.count();
    return {retention.events, retention.bytes, age > now ? 0 : now - age};
}

// Of all events, if the retention alone would keep what is within it.
Bounds bounds_of(const Hold& hold, const StoredExtent& within) {
    constexpr std::uint64_t no_bound = ~std::uint64_t{0};
    Bounds bounds;
    bounds.bytes = hold.bytes > no_bound - within.bytes ? no_bound : within.bytes + hold.bytes;
    bounds.first_id = std::min(hold.first_id, within.events == 0 ? no_bound : within.first_id);
    return bounds;
}

void log_drop_fault(const StoredStreamEntry& stream, const Fault& fault) {
    base::log_error("not all events beyond a stream's retention can be dropped",
                    {{"stream", *stream.name}, {"fault", fault.what}});
}

}  // namespace

void LogWriter::retain(const std::string& stream, const Retention& retention) {
    const std::lock_guard lock(state_.mutex);
    const StreamEntryPtr found = state_.table.find_or_create(stream);
    found->retention = retention;
    if (found->within) found->within = found->extent;
    if (found->extent.events == 0) return;
    to_keep_.push_back(found);
    work_.notify_one();
}

// Wakes nobody: a hold follows each acknowledgement, and there is time to drop what it leaves.
void LogWriter::hold(const std::string& stream, const Hold& hold) {
    const std::lock_guard lock(state_.mutex);
    const StreamEntryPtr found = hold.bytes != 0 ? state_.table.find_or_create(stream) : state_.table.find(stream);
    if (found == nullptr) return;
    found->hold = hold;
    if (hold.bytes == 0)
        found->within.reset();
    else if (!found->within)
        found->within = found->extent;
    if (found->is_hold_changed) return;
    held_.push_back(found);
    found->is_hold_changed = true;
}

Purged LogWriter::purge(std::string_view stream, std::uint64_t before) {
    Purge mine;
    std::unique_lock lock(state_.mutex);
    Purged result;
    result.first_id = state_.last_id + 1;
    mine.stream = state_.table.find(stream);
    mine.before = before;
    if (mine.stream == nullptr) return result;
    if (state_.log.condition != LogState::Condition::open || stopping_)
        result.error = error_in(state_.log.condition);
    else
        purges_.push_back(&mine);
    work_.notify_one();
    synced_.wait(lock, [&] { return result.error || mine.stored.is_done; });
    if (!result.error) result.error = mine.stored.error;
    result.events = mine.events;
    result.first_id = state_.table.extent(stream, state_.last_id).first_id;
    return result;
}

// What they change is stored with the next group.
void LogWriter::do_purges() {
    std::vector<Purge*> purges;
    {
        const std::lock_guard lock(state_.mutex);
        purges.swap(purges_);
        for (Purge* purge : purges) syncs_.push_back(&purge->stored);
    }
    const auto database = state_.database.get();
    for (Purge* purge : purges) {
        Bounds bounds;
        bounds.first_id = purge->before;
        const std::uint64_t events = purge->stream->extent.events;
        if (!is_within(purge->stream->extent, bounds)) drop(*database, purge->stream, bounds);
        purge->events = events - purge->stream->extent.events;
    }
}

void LogWriter::keep_retention(const Group& group) {
    const auto database = state_.database.get();
    const feed::RecordTime now = std::max(newest_, clock_());
    // Not after each group, since there may be many streams.
    const bool looks_at_all = Clock::now() >= next_look_;
    if (looks_at_all) next_look_ = Clock::now() + look_pause;
    std::vector<StreamEntryPtr> streams;
    {
        const std::lock_guard lock(state_.mutex);
        streams.swap(to_keep_);
        if (looks_at_all) {
            for (const StreamEntryPtr& stream : held_) stream->is_hold_changed = false;
            streams.insert(streams.end(), held_.begin(), held_.end());
            held_.clear();
        }
        if (looks_at_all && now > next_expiry_) {
            streams.clear();
            for (const auto& [number, stream] : state_.table.all()) streams.push_back(stream);
            next_expiry_ = never;
        } else {
            for (const Waiting& waiting : group.appends)
                streams.insert(streams.end(), waiting.streams.begin(), waiting.streams.end());
        }
    }
    for (const StreamEntryPtr& stream : streams) {
        keep(*database, stream, now);
        const std::lock_guard lock(state_.mutex);
        next_expiry_ = std::min(next_expiry_, expiry_of(*stream));
    }
    drop_for_room(*database);
}

// Without what is beyond the retention, and not held.
void LogWriter::keep(const Database& database, const StreamEntryPtr& stream, feed::RecordTime now) {
    Bounds bounds;
    std::optional<Hold> hold;
    {
        const std::lock_guard lock(state_.mutex);
        if (stream->is_erased) return;
        if (stream->within)
            hold = stream->hold;
        else
            bounds = bounds_of(stream->retention, now);
    }
    if (hold) bounds = bounds_of(*hold, keep_within(database, stream, now));
    if (!is_within(stream->extent, bounds)) drop(database, stream, bounds);
}

// What the retention alone would keep of a stream with a hold.
StoredExtent LogWriter::keep_within(const Database& database, const StreamEntryPtr& stream, feed::RecordTime now) {
    StoredExtent within;
    Retention retention;
    {
        const std::lock_guard lock(state_.mutex);
        within = stream->within.value_or(stream->extent);
        retention = stream->retention;
    }
    const Bounds bounds = bounds_of(retention, now);
    if (is_within(within, bounds)) return within;
    const DropResult result = drop_events(database, stream->number, within, bounds);
    if (result.fault) log_drop_fault(*stream, *result.fault);
    const std::lock_guard lock(state_.mutex);
    if (stream->within && stream->retention == retention) stream->within = result.extent;
    return result.extent;
}

void LogWriter::drop(const Database& database, const StreamEntryPtr& stream, const Bounds& bounds) {
    const DropResult result = drop_events(database, stream->number, stream->extent, bounds);
    if (result.fault) log_drop_fault(*stream, *result.fault);
    const std::lock_guard lock(state_.mutex);
    if (stream->is_erased || result.extent.dropped == stream->extent.dropped) return;
    state_.table.set_extent(*stream, result.extent);
    state_.table.note_drop();
    state_.table.note_changed(stream);
}

// The stream with the most bytes gives up its oldest events, again and again. More than needed goes at once, so that
// there is nothing to drop for the next ones.
void LogWriter::drop_for_room(const Database& database) {
    constexpr std::uint64_t rounds = 32;
    const std::uint64_t bytes_max = space_.events_bytes_max(), enough = bytes_max - bytes_max / rounds;
    for (bool is_too_much = true;;) {
        StreamEntryPtr most;
        std::uint64_t second = 0, all = 0;
        {
            const std::lock_guard lock(state_.mutex);
            all = state_.table.bytes();
            if (is_too_much) is_short_ = all > enough - bytes_max / rounds;
            if (is_too_much && all <= bytes_max) return;
            for (const auto& [number, stream] : state_.table.all()) {
                if (most != nullptr && stream->extent.bytes <= most->extent.bytes) {
                    second = std::max(second, stream->extent.bytes);
                    continue;
                }
                if (most != nullptr) second = most->extent.bytes;
                most = stream;
            }
        }
        is_too_much = false;  // now until it is enough
        if (all <= enough || most == nullptr || most->extent.events == 0) return;
        const std::uint64_t bytes = most->extent.bytes, excess = all - enough;
        const std::uint64_t share = bytes > excess ? bytes - excess : 0;
        const Dropped before = most->extent.dropped;
        drop(database, most, {~std::uint64_t{0}, std::min(std::max(share, second), bytes - 1), 0});
        if (most->extent.dropped == before) return;  // the index can't be read
    }
}

DiskUse LogWriter::disk() const {
    DiskUse use = space_.use();
    use.is_short = is_short_;
    return use;
}

// Until there is nothing left to give back.
void LogWriter::collect_space() {
    constexpr int looks_max = 100;
    bool is_done = false;
    for (int looks = 0; looks < looks_max && !is_done; ++looks) {
        const bool has_gained = space_.collect();
        // What is dropped after the first one is written before the second.
        const bool is_closed = sync() || sync();
        is_done = is_closed || (!has_gained && !space_.collect());
    }
}

}  // namespace sluice::store
