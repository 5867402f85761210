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
};

const std::array<CollectedFamily, store_damaged_ranges + 1> families{{
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
}};

template <typename Number>
std::int64_t number(Number n) {
    return static_cast<std::int64_t>(n);
}

void add_log(base::MetricRegistry::Sink& sink, store::EventLog& log, const store::StreamExtent& all) {
    sink.add(retained_events, {}, number(all.events));
    sink.add(retained_bytes, {}, number(all.bytes));
    sink.add(retained_oldest, {}, all.events == 0 ? 0 : number(all.oldest));
    using Condition = store::LogState::Condition;
    const store::LogState state = log.state();
    for (const auto& [condition, name] :
         {std::pair(Condition::open, "open"), {Condition::full, "full"}, {Condition::failed, "failed"}})
        sink.add(store_state, {name}, state.condition == condition ? 1 : 0);
    sink.add(store_damaged_ranges, {}, number(state.damage.size()));
}

// The others' gauges are what is left of the sums, in which a stream may change meanwhile.
void add(base::MetricRegistry::Sink& sink, StreamCounters& counters, const Streams& streams) {
    const StreamCounters::Reading reading = counters.read();
    store::EventLog& log = streams.log();
    const store::StreamExtent all = log.extent(store::all_streams);
    std::int64_t subscribers = number(streams.subscribers()), events = number(all.events), bytes = number(all.bytes);
    for (const auto& [stream, counted] : reading.named) {
        const store::StreamExtent extent = log.extent(stream);
        const std::size_t of_stream = streams.subscribers(stream);
        sink.add(stream_events, {stream}, number(counted.events));
        sink.add(stream_deliveries, {stream}, number(counted.deliveries));
        sink.add(stream_subscribers, {stream}, number(of_stream));
        sink.add(stream_retained_events, {stream}, number(extent.events));
        sink.add(stream_retained_bytes, {stream}, number(extent.bytes));
        subscribers -= number(of_stream);
        events -= number(extent.events);
        bytes -= number(extent.bytes);
    }
    const auto left = [](std::int64_t rest) { return std::max<std::int64_t>(rest, 0); };
    const std::string& other = StreamCounters::other_name;
    sink.add(stream_events, {other}, number(reading.other.events));
    sink.add(stream_deliveries, {other}, number(reading.other.deliveries));
    sink.add(stream_subscribers, {other}, left(subscribers));
    sink.add(stream_retained_events, {other}, left(events));
    sink.add(stream_retained_bytes, {other}, left(bytes));
    sink.add(streams_known, {}, number(streams.size()));
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
