// An event log in memory, with one bound for all streams together. When it is full or memory is short, the oldest
// documents are dropped, whatever their stream. A stream takes memory while it has retained events or a retention of
// its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/store/event_log.hpp"
#include "broker/store/wall_clock.hpp"

namespace sluice::store {

class MemoryLog final : public EventLog {
public:
    // Retains documents of at most `bytes_max` bytes in all streams. They are charged to `memory`; if it refuses, fewer
    // are retained. `clock` may go backwards: no event's time is
    // below that of an earlier one.
    MemoryLog(std::size_t bytes_max, base::MemoryBudget& memory, WallClock clock = wall_time);

    void listen(Listener listener) override { listener_ = std::move(listener); }
    std::optional<AppendResult> append(const AttemptId& attempt, Appends appends, Done done) override;
    bool appends_at_once() const override { return true; }
    std::vector<feed::EventRecord> read(std::string_view stream, std::uint64_t from, std::size_t events_max,
                                        std::size_t bytes_max) override;
    std::uint64_t first_id_since(std::string_view stream, feed::RecordTime time) override;
    StreamExtent extent(std::string_view stream) override;
    void retain(const std::string& stream, const Retention& retention) override;
    void clear(std::string_view stream) override;
    // Drops half of the retained bytes.
    void relieve_memory() override;

private:
    struct Kept {  // the retained events of one append
        feed::DocumentRecordPtr record;
        std::vector<feed::EventHead> events;
        std::size_t first = 0;  // index of the first event still retained
        std::size_t bytes = 0;
        std::uint64_t number = 0;  // of the append, counted over all streams

        std::size_t size() const { return events.size() - first; }
    };
    struct Stream {
        std::deque<Kept> kept;
        std::size_t events = 0, bytes = 0;
        Retention retention;
    };
    using Streams = std::map<std::string, Stream, std::less<>>;

    feed::RecordTime now() { return newest_ = std::max(newest_, clock_()); }
    Streams::iterator stream_of(const std::string& name);
    void forget_unused(Streams::iterator at) noexcept;
    std::uint64_t add(Append& append, feed::RecordTime time);
    void take_back(const Append& append) noexcept;
    void keep(const Append& append);
    bool make_room(std::size_t bytes);
    Stream* enforce(std::string_view name);
    void enforce(Stream& stream, feed::RecordTime time);
    void drop_oldest_of_all();
    void drop_oldest(Stream& stream);
    void drop_newest(Stream& stream);
    void drop_oldest_event(Stream& stream);

    const std::size_t bytes_max_;
    const WallClock clock_;
    Listener listener_;
    std::mutex mutex_;
    Streams streams_;
    std::map<std::uint64_t, Streams::iterator> by_age_;  // those with retained events, by their oldest append's number
    std::uint64_t last_id_ = 0;                          // the last one assigned
    base::MemoryCharge memory_;
    std::size_t bytes_ = 0;
    feed::RecordTime newest_ = 0;  // time read from the clock
    std::uint64_t appends_ = 0;
};

}  // namespace sluice::store
