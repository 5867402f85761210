#include "broker/core/delivery/mailbox_metrics.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::broker {

namespace {

using base::CollectedFamily;
using base::MetricType;

// In the order of `families`.
enum Family : std::size_t { queued_events, queued_bytes, longest_queue, replaying, replay_lag };

const std::array<CollectedFamily, replay_lag + 1> families{{
    {{.name = "subscriber_queue_events",
      .help = "Events that wait for subscribers, or are being written to them",
      .status = "subscriber_queues.events"},
     MetricType::gauge,
     {}},
    {{.name = "subscriber_queue_bytes",
      .help = "Bytes of these events as written",
      .unit = "bytes",
      .status = "subscriber_queues.bytes"},
     MetricType::gauge,
     {}},
    {{.name = "subscriber_queue_longest",
      .help = "Events in the longest queue of a subscriber",
      .status = "subscriber_queues.longest"},
     MetricType::gauge,
     {}},
    {{.name = "replaying_subscribers",
      .help = "Subscribers that get events from the log, not yet live ones",
      .status = "replays.subscribers"},
     MetricType::gauge,
     {}},
    {{.name = "replay_lag",
      .help = "How far the last of these subscribers is behind the newest event, in ids",
      .status = "replays.lag"},
     MetricType::gauge,
     {}},
}};

}  // namespace

void register_mailbox_metrics(base::MetricRegistry& metrics, Mailboxes& mailboxes,
                              std::function<std::uint64_t()> last_id) {
    metrics.collect(families, [&mailboxes, last_id = std::move(last_id)](base::MetricRegistry::Sink& sink) {
        const Mailboxes::Totals totals = mailboxes.totals();
        sink.add(queued_events, {}, totals.events);
        sink.add(queued_bytes, {}, totals.bytes);
        sink.add(longest_queue, {}, totals.longest);
        sink.add(replaying, {}, totals.replaying);
        const std::uint64_t next_id = last_id() + 1;
        sink.add(replay_lag, {}, next_id - std::min(next_id, totals.first_replayed));
    });
}

}  // namespace sluice::broker
