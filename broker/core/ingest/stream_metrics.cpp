#include "broker/core/ingest/stream_metrics.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace sluice::broker {

namespace {

using base::CollectedFamily;
using base::MetricType;

// In the order of `families`.
enum Family : std::size_t {
    streams_known,
    stream_events,
    stream_deliveries,
    stream_subscribers,
    stream_retained_events,
    stream_retained_bytes,
    retained_events,
    retained_bytes,
    retained_oldest,
    store_state,
    store_damaged_ranges,
    store_disk,
    store_dead,
    store_limit,
    store_short,
};

const std::array<CollectedFamily, store_short + 1> families{{
    {{.name = "streams", .help = "Streams that the daemon knows", .status = "streams_total"}, MetricType::gauge, {}},
    {{.name = "stream_events", .help = "Events given an id and queued, by stream"}, MetricType::counter, {"stream"}},
    {{.name = "stream_deliveries", .help = "Events handed to a subscriber's queue, by stream"},
     MetricType::counter,
     {"stream"}},
    {{.name = "stream_subscribers", .help = "Open event streams, by stream, without those of all streams"},
     MetricType::gauge,
     {"stream"}},
    {{.name = "stream_retained_events", .help = "Events that the log retains, by stream"},
     MetricType::gauge,
     {"stream"}},
    {{.name = "stream_retained_bytes", .help = "Bytes of memory or disk for these events", .unit = "bytes"},
     MetricType::gauge,
     {"stream"}},
    {{.name = "retained_events", .help = "Events that the log retains"}, MetricType::gauge, {}},
    {{.name = "retained_bytes", .help = "Bytes of memory or disk for these events", .unit = "bytes"},
     MetricType::gauge,
     {}},
    {{.name = "retained_oldest_timestamp_seconds",
      .help = "When the oldest retained event was appended, in seconds since 1970; 0: there is none",
      .unit = "seconds",
      .per_unit = 1'000'000},
     MetricType::gauge,
     {}},
    {{.name = "store_state", .help = "1 for the state that the log is in, and 0 for the others"},
     MetricType::gauge,
     {"state"}},
    {{.name = "store_damaged_ranges", .help = "Ranges of events that the log can't read"}, MetricType::gauge, {}},
    {{.name = "store_disk_bytes",
      .help = "Bytes of a store on disk: its tables and its write-ahead log",
      .unit = "bytes"},
     MetricType::gauge,
     {}},
    {{.name = "store_dead_bytes",
      .help = "About how many of these are of what is no longer retained, and will be given back",
      .unit = "bytes"},
     MetricType::gauge,
     {}},
    {{.name = "store_limit_bytes", .help = "Limit of a store on disk: store.bytes", .unit = "bytes"},
     MetricType::gauge,
     {}},
    {{.name = "store_short",
      .help = "1: because of store.bytes events are dropped that retention would keep, or soon will be; else 0"},
     MetricType::gauge,
     {}},
}};

void add_log(base::MetricRegistry::Sink& sink, store::EventLog& log, const store::StreamExtent& all) {
    sink.add(retained_events, {}, all.events);
    sink.add(retained_bytes, {}, all.bytes);
    sink.add(retained_oldest, {}, all.events == 0 ? 0 : all.oldest);
    using Condition = store::LogState::Condition;
    const store::LogState state = log.state();
    for (const auto& [condition, name] :
         {std::pair(Condition::open, "open"), {Condition::full, "full"}, {Condition::failed, "failed"}})
        sink.add(store_state, {name}, state.condition == condition ? 1 : 0);
    sink.add(store_damaged_ranges, {}, state.damage.size());
    const store::DiskUse disk = state.disk.value_or(store::DiskUse{});
    sink.add(store_disk, {}, disk.bytes);
    sink.add(store_dead, {}, disk.dead_bytes);
    sink.add(store_limit, {}, disk.bytes_max);
    sink.add(store_short, {}, disk.is_short ? 1 : 0);
}

// The others' gauges are what is left of all, in which a stream may change meanwhile.
void add(base::MetricRegistry::Sink& sink, StreamCounters& counters, const Streams& streams) {
    const StreamCounters::Reading reading = counters.read();
    store::EventLog& log = streams.log();
    const store::StreamExtent all = log.extent(store::all_streams);
    const std::size_t all_subscribers = streams.subscribers();
    std::size_t subscribers = 0, events = 0, bytes = 0;  // of the named streams
    for (const auto& [stream, counted] : reading.named) {
        const store::StreamExtent extent = log.extent(stream);
        const std::size_t of_stream = streams.subscribers(stream);
        sink.add(stream_events, {stream}, counted.events);
        sink.add(stream_deliveries, {stream}, counted.deliveries);
        sink.add(stream_subscribers, {stream}, of_stream);
        sink.add(stream_retained_events, {stream}, extent.events);
        sink.add(stream_retained_bytes, {stream}, extent.bytes);
        subscribers += of_stream;
        events += extent.events;
        bytes += extent.bytes;
    }
    const auto left = [](std::size_t of_all, std::size_t named) { return of_all - std::min(of_all, named); };
    const std::string& other = StreamCounters::other_name;
    sink.add(stream_events, {other}, reading.other.events);
    sink.add(stream_deliveries, {other}, reading.other.deliveries);
    sink.add(stream_subscribers, {other}, left(all_subscribers, subscribers));
    sink.add(stream_retained_events, {other}, left(all.events, events));
    sink.add(stream_retained_bytes, {other}, left(all.bytes, bytes));
    sink.add(streams_known, {}, streams.size());
    add_log(sink, log, all);
}

}  // namespace

void register_stream_metrics(base::MetricRegistry& metrics, StreamCounters& counters, const Streams& streams,
                             std::function<bool()> is_open) {
    metrics.collect(families, [&, is_open = std::move(is_open)](base::MetricRegistry::Sink& sink) {
        if (is_open()) add(sink, counters, streams);
    });
}

}  // namespace sluice::broker
