// The streams that documents are published to, with their options and remembered items. A stream is created by its
// first document and evicted when it is idle and the log retains none of its events, unless it has subscribers or
// options in the configuration; a defined stream stays until it is deleted. If there are too many streams, one that is
// neither is evicted with its events. Any thread; publishers to different streams hardly contend.
#pragma once

#include <atomic>
#include <boost/system/result.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/ingest/deduplicator.hpp"
#include "broker/core/ingest/eviction_order.hpp"
#include "broker/core/ingest/publish_result.hpp"
#include "broker/core/stream_counters.hpp"
#include "broker/store/event_log.hpp"
#include "config/options.hpp"

namespace sluice::broker {

class PublishAttempt;

using StreamOptionsPtr = std::shared_ptr<const config::StreamOptions>;

struct Stream {
    Stream(const std::string& stream_name, StreamOptionsPtr stream_options, std::size_t entries_max,
           base::MemoryCharge memory)
        : name(std::make_shared<const std::string>(stream_name)),
          seen(entries_max, std::move(memory)),
          options(std::move(stream_options)) {}

    const std::shared_ptr<const std::string> name;
    std::atomic<bool> defined{false};
    std::atomic<std::chrono::microseconds> window{};  // options.deduplication_window
    std::atomic<std::uint64_t> last_id{0};            // of its last known event; 0: none
    StreamCountsPtr counts;                           // never null once it is in Streams
    EvictionOrder::Place eviction_place{};

    bool is_restored = false;  // the store knew some of its items when it was created, and `seen` does not

    std::mutex options_mutex;  // taken with `mutex` to change `options`; one of them suffices to read it
    std::mutex mutex;          // guards the members below
    Deduplicator seen;
    bool any_shared = false;                                // an item in `seen` may be one of PublishedKey::shared
    std::deque<std::shared_ptr<PublishAttempt>> under_way;  // in the order of their starts
    StreamOptionsPtr options;                               // never null; filled in
    StreamOptionsPtr own_options{};                         // those that were set, of a defined stream
    base::MemoryCharge options_memory{};                    // of a defined stream
    bool gone = false;                                      // no longer in Streams

    // It got a document. `has_news`: with new or changed items. Any thread, without a lock.
    void note_published(bool has_news) { eviction_place.published(EvictionOrder::Clock::now(), has_news); }
    // Whether `seen` has all that a store knows of its items, except for their age.
    bool remembers_all() const { return !is_restored && seen.losses() == 0; }
};
using StreamPtr = std::shared_ptr<Stream>;

// The reported state of a stream.
struct StreamState {
    std::string name;
    config::StreamOptions options;
    bool defined = false;       // false: created by a document, and evicted when idle
    std::size_t items = 0;      // remembered for deduplication
    std::uint64_t last_id = 0;  // of its last known event; 0: none
    store::StreamExtent retained{};
};

class Streams;

// Keeps a stream from being evicted for as long as it lives, whether or not the stream exists yet.
class StreamHold {
public:
    StreamHold() = default;  // of no stream
    StreamHold(Streams& streams, std::string name);
    StreamHold(StreamHold&& other) noexcept
        : streams_(std::exchange(other.streams_, nullptr)), name_(std::move(other.name_)) {}
    StreamHold& operator=(StreamHold&&) = delete;
    ~StreamHold();

private:
    Streams* streams_ = nullptr;
    std::string name_;
};

class Streams {
public:
    using MayBegin = std::function<bool()>;

    struct Settings {
        std::size_t streams_max;
        std::size_t deduplication_entries;               // per stream
        std::chrono::microseconds deduplication_window;  // items not seen for longer are forgotten
        std::map<std::string, config::StreamOptions> configured{};
        std::vector<std::string> deduplication_ignore{};  // feed::IgnoredParts
        config::RetentionOptions retention{};
    };

    Streams(Settings settings, store::EventLog& log, base::MemoryBudget& memory, StreamCounters& counters)
        : settings_(std::move(settings)),
          log_(log),
          durable_(log.durable_state()),
          memory_(memory),
          counters_(counters) {}

    // Creates the streams that the log has on disk, with their definitions. Call once, when the log is open, before the
    // other functions.
    void restore();

    // `may_begin` is called before a new stream is created; null: always allowed.
    boost::system::result<StreamPtr, PublishRefusal> find_or_create(const std::string& name, const MayBegin& may_begin);

    // The stream, null if it does not exist, and its options, with the effective deduplication window and retention.
    // For a stream that does not exist: those it would have.
    struct Known {
        StreamPtr stream;
        StreamOptionsPtr options;
    };
    Known known(const std::string& name) const;
    StreamOptionsPtr options(const std::string& name) const { return known(name).options; }

    // Returns true if the stream was not defined before. At most half of the streams may be defined, to leave room for
    // others. A log on disk keeps the definition, once DurableState::sync() has returned.
    boost::system::result<bool, PublishRefusal> define(const std::string& name, const config::StreamOptions& options,
                                                       const MayBegin& may_begin);
    // Changes the options of an existing stream, which becomes defined. `change` gets a copy of those that were set for
    // it, and returns whether to set it; if others have set options meanwhile, it is called again, with these. Returns
    // false if there is no such stream, or `change` did.
    using Change = std::function<bool(config::StreamOptions&)>;
    boost::system::result<bool, PublishRefusal> redefine(const std::string& name, const Change& change);
    // Deletes the stream with its items, events and definition. Returns false if there is no such stream.
    bool erase(const std::string& name);

    std::optional<StreamState> state(const std::string& name) const;

    // Called when memory is short: if identities exceed their share of the memory budget, forgets half of the items of
    // the stream with the most, the least recently seen first.
    void relieve_memory();

    std::vector<std::string> names() const;                // sorted
    std::uint64_t last_id(const std::string& name) const;  // 0: none
    std::size_t size() const;
    std::size_t subscribers(const std::string& name) const;  // of the stream
    std::size_t subscribers() const;                         // of all, but not those of all streams
    const Settings& settings() const { return settings_; }
    store::EventLog& log() const { return log_; }

private:
    friend class StreamHold;
    using Clock = EvictionOrder::Clock;
    using Map = std::unordered_map<std::string, StreamPtr>;

    StreamPtr find(const std::string& name) const;  // null: no such stream
    StreamOptionsPtr configured(const std::string& name) const;
    StreamOptionsPtr filled_in(config::StreamOptions options) const;
    enum class Origin : std::uint8_t { request, disk };
    config::StreamOptions own_options(const Stream& stream) const;
    boost::system::result<StreamPtr, PublishRefusal> create(const std::string& name, std::vector<StreamPtr>& evicted,
                                                            Origin origin = Origin::request);
    boost::system::result<bool, PublishRefusal> set_options(Stream& stream, config::StreamOptions own,
                                                            Origin origin = Origin::request);
    void restore(const store::StoredStream& stored);
    void evict_idle(Clock::time_point now, std::vector<StreamPtr>& evicted);
    void evict_least_used(std::vector<StreamPtr>& evicted);
    bool evict(const std::string& name, std::vector<StreamPtr>& evicted);
    void hold(const std::string& name);
    void end_hold(const std::string& name);

    const Settings settings_;
    store::EventLog& log_;
    store::DurableState* const durable_;  // the log's; null: it has none
    base::MemoryBudget& memory_;
    StreamCounters& counters_;
    mutable std::shared_mutex mutex_;
    Map streams_;
    std::size_t defined_ = 0;  // number of defined streams
    EvictionOrder eviction_order_;
    mutable std::mutex holds_mutex_;
    std::unordered_map<std::string, std::size_t> holds_;  // of streams with subscribers: how many
};

}  // namespace sluice::broker
