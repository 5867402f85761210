#include "broker/core/subscriptions/subscription_metrics.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/core/stream_counters.hpp"
#include "broker/core/subscriptions/largest_lags.hpp"
#include "broker/core/subscriptions/subscription_lags.hpp"

namespace sluice::broker {

namespace {

using base::CollectedFamily;
using base::MetricType;

// In the order of `families`.
enum Family : std::size_t {
    known,
    consumed,
    all_consumers,
    all_unacknowledged,
    largest_lag_events,
    largest_lag_seconds,
    lag_events,
    lag_seconds,
    unacknowledged,
    consumers,
    deliveries,
    redeliveries,
    dead_letters,
};

const std::array<CollectedFamily, dead_letters + 1> families{{
    {{.name = "durable_subscriptions", .help = "Durable subscriptions", .status = "durable_subscriptions.total"},
     MetricType::gauge,
     {}},
    {{.name = "durable_subscriptions_consumed",
      .help = "Durable subscriptions that have consumers",
      .status = "durable_subscriptions.consumed"},
     MetricType::gauge,
     {}},
    {{.name = "durable_consumers",
      .help = "Consumers of durable subscriptions",
      .status = "durable_subscriptions.consumers"},
     MetricType::gauge,
     {}},
    {{.name = "durable_unacknowledged",
      .help = "Events that durable subscriptions have delivered and that are not acknowledged",
      .status = "durable_subscriptions.unacknowledged"},
     MetricType::gauge,
     {}},
    {{.name = "durable_lag",
      .help = "How far the last of the durable subscriptions is behind the newest event, in ids",
      .status = "durable_subscriptions.lag.events"},
     MetricType::gauge,
     {}},
    {{.name = "durable_lag_seconds",
      .help = "The largest of durable_subscription_lag_seconds",
      .unit = "seconds",
      .per_unit = 1'000'000,
      .status = "durable_subscriptions.lag.seconds"},
     MetricType::gauge,
     {}},
    {{.name = "durable_subscription_lag",
      .help =
          "How far a durable subscription is behind the newest event, in ids; 0: its streams have nothing after its "
          "position",
      .status = "durable_subscriptions.subscriptions.{subscription}.lag.events"},
     MetricType::gauge,
     {"subscription"}},
    {{.name = "durable_subscription_lag_seconds",
      .help = "Age of the first event after the position of a durable subscription",
      .unit = "seconds",
      .per_unit = 1'000'000,
      .status = "durable_subscriptions.subscriptions.{subscription}.lag.seconds"},
     MetricType::gauge,
     {"subscription"}},
    {{.name = "durable_subscription_unacknowledged",
      .help = "Events that a durable subscription has delivered and that are not acknowledged",
      .status = "durable_subscriptions.subscriptions.{subscription}.unacknowledged"},
     MetricType::gauge,
     {"subscription"}},
    {{.name = "durable_subscription_consumers",
      .help = "Consumers of a durable subscription",
      .status = "durable_subscriptions.subscriptions.{subscription}.consumers"},
     MetricType::gauge,
     {"subscription"}},
    {{.name = "durable_subscription_deliveries",
      .help = "Events that a durable subscription delivered for the first time",
      .status = "durable_subscriptions.subscriptions.{subscription}.counts.delivered"},
     MetricType::counter,
     {"subscription"}},
    {{.name = "durable_subscription_redeliveries",
      .help = "Events that a durable subscription delivered again",
      .status = "durable_subscriptions.subscriptions.{subscription}.counts.redelivered"},
     MetricType::counter,
     {"subscription"}},
    {{.name = "durable_subscription_dead_letters",
      .help = "Events that a durable subscription made dead letters",
      .status = "durable_subscriptions.subscriptions.{subscription}.counts.dead_letters"},
     MetricType::counter,
     {"subscription"}},
}};

class SubscriptionMetrics {
public:
    SubscriptionMetrics(const DurableSubscriptions& subscriptions, const Streams& streams)
        : subscriptions_(subscriptions), streams_(streams) {}

    void add(base::MetricRegistry::Sink& sink) {
        SubscriptionLags lags(streams_.log(), streams_);
        const auto all = subscriptions_.list({}, std::numeric_limits<std::size_t>::max());
        std::vector<std::string> texts;  // of their keys
        for (const DurableSubscriptionPtr& each : all) texts.push_back(each->key().text());
        std::vector<DurableSubscription::Figures> figures;
        std::vector<LargestLags::Lag> of_all;
        std::uint64_t largest = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            figures.push_back(all[i]->figures());
            of_all.push_back({texts[i], lags.events(*figures.back().streams, figures.back().cursor)});
            largest = std::max(largest, of_all.back().events);
        }
        const LargestLags::Names& names = largest_.choose(of_all);

        std::chrono::microseconds oldest{};
        FirstEvents first_events;
        Sums sums, others;
        std::size_t with_consumers = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::string& name = texts[i];
            const DurableSubscription::Figures& of = figures[i];
            if (of.consumers != 0) ++with_consumers;
            sums.add(of);
            if (!names.contains(name)) {
                others.add(of);
                continue;
            }
            SubscriptionLag lag;
            if (of_all[i].events != 0)
                if (const auto first = first_event(lags, name, of)) {
                    lag = {of_all[i].events, SubscriptionLags::age_of(*first)};
                    first_events.emplace(name, FirstEvent{of.streams, of.cursor, *first});
                }
            oldest = std::max(oldest, lag.age);
            add_named(sink, name, of, lag);
        }
        first_events_.swap(first_events);
        const std::string& other = StreamCounters::other_name;
        sink.add(unacknowledged, {other}, others.outstanding);
        sink.add(consumers, {other}, others.consumers);
        sink.add(known, {}, all.size());
        sink.add(consumed, {}, with_consumers);
        sink.add(all_consumers, {}, sums.consumers);
        sink.add(all_unacknowledged, {}, sums.outstanding);
        sink.add(largest_lag_events, {}, largest);
        sink.add(largest_lag_seconds, {}, oldest.count());
    }

private:
    // The first event after a position, which is the same as long as the log has it.
    struct FirstEvent {
        std::shared_ptr<const text::StreamSelection> streams;
        std::uint64_t position = 0;
        SubscriptionLags::Event event;
    };
    using FirstEvents = std::map<std::string, FirstEvent>;
    struct Sums {
        std::size_t outstanding = 0, consumers = 0;

        void add(const DurableSubscription::Figures& figures) {
            outstanding += figures.outstanding;
            consumers += figures.consumers;
        }
    };

    static void add_named(base::MetricRegistry::Sink& sink, const std::string& name,
                          const DurableSubscription::Figures& of, const SubscriptionLag& lag) {
        sink.add(lag_events, {name}, lag.events);
        sink.add(lag_seconds, {name}, lag.age.count());
        sink.add(unacknowledged, {name}, of.outstanding);
        sink.add(consumers, {name}, of.consumers);
        sink.add(deliveries, {name}, of.counts.delivered);
        sink.add(redeliveries, {name}, of.counts.redelivered);
        sink.add(dead_letters, {name}, of.counts.dead_letters);
    }

    std::optional<SubscriptionLags::Event> first_event(SubscriptionLags& lags, const std::string& name,
                                                       const DurableSubscription::Figures& of) const {
        const auto found = first_events_.find(name);
        if (found != first_events_.end() && found->second.streams == of.streams &&
            found->second.position == of.cursor && lags.is_retained(found->second.event))
            return found->second.event;
        return lags.first_event(*of.streams, of.cursor);
    }

    const DurableSubscriptions& subscriptions_;
    const Streams& streams_;
    LargestLags largest_;
    FirstEvents first_events_;  // of those with numbers of their own
};

}  // namespace

void register_subscription_metrics(base::MetricRegistry& metrics, const DurableSubscriptions& subscriptions,
                                   const Streams& streams, std::function<bool()> is_open) {
    metrics.collect(families, [of = std::make_shared<SubscriptionMetrics>(subscriptions, streams),
                               is_open = std::move(is_open)](base::MetricRegistry::Sink& sink) {
        if (is_open()) of->add(sink);
    });
}

}  // namespace sluice::broker
