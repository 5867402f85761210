// An event log in memory, with one bound for all streams together. When it is full or memory is short, the stream that
// takes the most gives back first, its oldest events first, so a stream that takes less than an equal share keeps its
// events. A stream takes memory from its first append or retention on until it is cleared.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <boost/intrusive/set.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/store/epoch.hpp"
#include "broker/store/event_log.hpp"
#include "broker/store/wall_clock.hpp"

namespace sluice::store {

class MemoryLog final : public EventLog {
public:
    // Retains events that take at most `bytes_max` bytes in all streams. They are charged to `memory`; if it refuses,
    // fewer are retained. `clock` may go backwards: no event's time is below that of an earlier one.
    MemoryLog(std::size_t bytes_max, base::MemoryBudget& memory, WallClock clock = wall_time);
    ~MemoryLog() override;
    MemoryLog(const MemoryLog&) = delete;
    MemoryLog& operator=(const MemoryLog&) = delete;

    void listen(Listener listener) override { listener_ = std::move(listener); }
    std::optional<AppendResult> append(const Attempt& attempt, Appends appends, Done done) override;
    bool appends_at_once() const override { return true; }
    const std::string& epoch() const override { return epoch_; }
    std::uint64_t last_id() override;
    feed::RecordTime begun_at() const override { return begun_at_; }
    Slice read(std::string_view stream, std::uint64_t from, std::size_t events_max, std::size_t bytes_max) override;
    std::uint64_t first_id_since(std::string_view stream, feed::RecordTime time) override;
    StreamExtent extent(std::string_view stream) override;
    std::vector<StreamExtent> extents(const text::StreamSelection& streams) override;
    void retain(const std::string& stream, const Retention& retention) override;
    void hold(const std::string& stream, const Hold& hold) override;
    void clear(std::string_view stream) override;
    Purged purge(std::string_view stream, std::uint64_t before) override;
    Erased erase(std::string_view stream, std::uint64_t id) override;
    // Drops half of the retained bytes, unless half of the budget is free: then a charge was refused for its own size.
    void relieve_memory() override;

private:
    using Hook = boost::intrusive::set_member_hook<boost::intrusive::optimize_size<true>>;
    struct Entry final : Kept {
        std::size_t bytes = 0;
        std::size_t first = 0;        // index of the first event still retained
        std::size_t within = 0;       // of the first one that is within the stream's retention, and not only held
        std::shared_ptr<Entry> link;  // itself while it is retained, then the next one to be freed
        Hook in_log, in_stream;

        std::span<const feed::EventHead> retained() const { return std::span(events).subspan(first); }
    };
    using EntryPtr = std::shared_ptr<Entry>;
    struct First {  // of its append's events
        using type = feed::EventHead;
        const type& operator()(const Entry& entry) const { return entry.events.front(); }
    };
    struct ById {
        bool operator()(const feed::EventHead& a, const feed::EventHead& b) const { return a.id < b.id; }
        bool operator()(std::uint64_t id, const feed::EventHead& event) const { return id < event.id; }
        bool operator()(const feed::EventHead& event, std::uint64_t id) const { return event.id < id; }
    };
    template <Hook Entry::*hook>
    using Entries = boost::intrusive::set<Entry, boost::intrusive::member_hook<Entry, Hook, hook>,
                                          boost::intrusive::key_of_value<First>, boost::intrusive::compare<ById>>;

    struct Dropped {
        std::uint64_t id = 0;
        feed::RecordTime time = 0;

        void add(const Dropped& other) { *this = {std::max(id, other.id), std::max(time, other.time)}; }
    };
    struct Stream {
        static constexpr feed::RecordTime never = std::numeric_limits<feed::RecordTime>::max();

        Entries<&Entry::in_stream> kept;
        std::size_t events = 0, bytes = 0;
        Retention retention;
        Hold hold;
        // The first entry that is at least in part within the retention, and what is only held: all events before
        // those, and all entries before that one.
        Entries<& Entry::in_stream>::iterator within = kept.end();
        std::size_t held_events = 0, held_bytes = 0;
        Dropped dropped;
        feed::RecordTime expiry = never;  // the last time at which the oldest events within it are young enough
        Hook in_expiries;

        std::uint64_t oldest_id() const { return kept.empty() ? ~std::uint64_t{0} : kept.begin()->events.front().id; }
    };
    struct ByExpiry {
        using type = feed::RecordTime;
        type operator()(const Stream& stream) const { return stream.expiry; }
    };
    using Expiries =
        boost::intrusive::multiset<Stream, boost::intrusive::member_hook<Stream, Hook, &Stream::in_expiries>,
                                   boost::intrusive::key_of_value<ByExpiry>>;
    struct NameHash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    using Streams = std::unordered_map<std::string, Stream, NameHash, std::equal_to<>>;
    // An append, with what may be retained of it.
    struct Addition {
        Append* append;
        Stream* stream;
        boost::container::small_vector<EntryPtr, 1> entries;
    };
    using Additions = boost::container::small_vector<Addition, 1>;
    class Lock;

    static std::size_t stream_bytes(std::string_view name);
    static Additions additions(Appends& appends, bool may_retain);
    feed::RecordTime now() { return newest_ = std::max(newest_, clock_()); }
    Stream& stream_of(std::string_view name);
    std::uint64_t add(Addition& addition, feed::RecordTime time) noexcept;
    void keep(Stream& stream, EntryPtr entry) noexcept;
    bool make_room(Stream& stream, std::size_t bytes) noexcept;
    std::size_t give_back(std::size_t bytes) noexcept;
    void enforce(Stream& stream) noexcept;
    void drop_expired(feed::RecordTime time) noexcept;
    void only_hold_oldest(Stream& stream) noexcept;
    void only_hold_oldest_event(Stream& stream) noexcept;
    void drop_unheld(Stream& stream) noexcept;
    void drop_oldest(Stream& stream) noexcept;
    void drop_oldest_event(Stream& stream) noexcept;
    void drop_all(Stream& stream) noexcept;
    void note_dropped(Stream& stream, const feed::EventHead& newest) noexcept;
    void set_expiry(Stream& stream) noexcept;
    void replace(Stream& stream, Entry& before, EntryPtr after) noexcept;
    template <typename Function>
    void with_entries(std::string_view name, const Function& function) const;
    StreamExtent extent_of(std::string_view name) const;

    const std::size_t bytes_max_;
    const WallClock clock_;
    const std::string epoch_ = random_epoch();
    const feed::RecordTime begun_at_;
    Listener listener_;
    std::mutex mutex_;
    Streams streams_;
    Entries<&Entry::in_log> kept_;    // of all streams
    Expiries expiries_;               // the streams with events within their retention
    std::vector<Stream*> heap_;       // for give_back(); always with room for all streams
    EntryPtr garbage_;                // dropped; freed after the lock is released
    std::uint64_t last_id_ = 0;       // the last one assigned
    std::set<std::uint64_t> erased_;  // of which no dead letters are appended any more
    std::size_t events_ = 0, bytes_ = 0;
    std::uint64_t drops_ = 0;
    Dropped dropped_;                      // of all streams
    Dropped forgotten_;                    // of the streams that have been cleared
    std::uint64_t forgotten_streams_ = 0;  // which had events
    base::MemoryBudget& budget_;
    base::MemoryCharge memory_;
    feed::RecordTime newest_;  // time read from the clock
};

}  // namespace sluice::store
