// Counts what the daemon has done since it started. The name and help text of each number are defined only here; the
// registry's numbers are printed in this order (GET /v1/status). Any thread may add and read. Reading is not atomic
// across numbers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "broker/base/counter_by.hpp"
#include "broker/base/metrics.hpp"
#include "broker/core/costly_conditions.hpp"
#include "broker/core/operator_counters.hpp"
#include "broker/core/refusals.hpp"
#include "broker/core/reply_counters.hpp"
#include "broker/core/stages.hpp"
#include "broker/core/stream_counters.hpp"
#include "broker/core/subscription_counters.hpp"
#include "broker/core/work_times.hpp"

namespace sluice::broker {

struct Counters {
    using Counter = base::Counter;

    explicit Counters(base::MetricRegistry& registry);
    Counters();  // creates its own registry
    Counters(const Counters&) = delete;
    Counters& operator=(const Counters&) = delete;

private:
    std::unique_ptr<base::MetricRegistry> own_registry_;

public:
    base::MetricRegistry& metrics;

    Counter& connections_accepted = metrics.counter({"connections_accepted", "Connections accepted"});
    base::ObservedCounter& connections_displaced = metrics.observed_counter(
        {"connections_displaced", "Idle connections that were closed to make room for others"});
    base::CounterBy<ConnectionRefusal, connection_refusals.size()> connections_refused{
        metrics,
        {"connections_refused", "Connections refused for a limit, lack of resources or a missing PROXY header"},
        "reason",
        connection_refusals};
    base::CounterBy<RequestRefusal, request_refusals.size()> requests_refused{
        metrics, {"requests_refused", "Requests refused before they reached an endpoint"}, "reason", request_refusals};
    base::CounterBy<AuthenticationResult, authentication_results.size()> authentications{
        metrics, {"authentications", "Requests with credentials"}, "result", authentication_results};
    Counter& requests =
        metrics.counter({"requests", "Requests that could be read and were within limits.address_requests"});
    Counter& requests_abandoned =
        metrics.counter({"requests_abandoned",
                         "Requests whose work ended early because their clients had left: POST /v1/match, "
                         "GET /v1/events/ID/why and subscriptions whose filters take long to compile"});
    ReplyCounters replies{metrics};

    Counter& documents = metrics.counter({"documents", "Documents accepted"});
    base::CounterBy<DocumentRefusal, document_refusals.size()> documents_refused{
        metrics, {"documents_refused", "Documents that were not published"}, "reason", document_refusals};
    Counter& documents_repaired =
        metrics.counter({"documents_repaired", "Accepted documents that were not well-formed, and were repaired"});
    Counter& items_refused =
        metrics.counter({"items_refused", "Items refused as invalid in documents that were accepted"});
    Counter& events = metrics.counter({"events", "Events given an id and queued"});
    Counter& events_unchanged =
        metrics.counter({"events_unchanged", "Items that were posted again and not delivered again"});

    Counter& items_forgotten = metrics.counter(
        {"items_forgotten", "Remembered items that were forgotten before deduplication.window, for lack of room"});

    Counter& batches = metrics.counter({"batches", "Batches that went through the matcher"});
    Counter& events_matched = metrics.counter({"events_matched", "Events that went through the matcher"});
    Counter& matches =
        metrics.counter({"matches", "Pairs of an event and a filter that it matched, equal filters once"});
    Counter& events_replayed = metrics.counter({"events_replayed", "Events read from the log and matched again"});
    Counter& scans = metrics.counter({"scans", "Evaluations of conditions that no index decides"});
    Counter& scan_microseconds = metrics.counter(
        {.name = "scan_seconds",
         .help = "Time spent evaluating conditions that no index decides; a nanosecond a step where that is short",
         .unit = "seconds",
         .per_unit = 1'000'000});
    Counter& events_lost = metrics.counter({"events_lost", "Accepted events that could not be matched or delivered"});
    Counter& deliveries = metrics.counter({"deliveries", "Events handed to a subscriber's queue"});
    Counter& deliveries_written =
        metrics.counter({"deliveries_written", "Events and gaps written to a subscriber's connection"});
    Counter& deliveries_unwritten = metrics.counter(
        {"deliveries_unwritten", "Events and gaps in a subscriber's queue that were lost when its connection ended"});
    Counter& slow_consumers = metrics.counter(
        {"slow_consumers", "Subscribers that read too slowly: they went on with the log, or were disconnected"});
    base::CounterBy<ResetReason, reset_reasons.size()> resets{
        metrics, {"resets", "Subscribers that were told of missing events by event: reset"}, "reason", reset_reasons};
    Counter& gaps = metrics.counter({"gaps", "Events left undecided by a filter's budget, reported to its subscriber"});
    Counter& slow_filters =
        metrics.counter({"slow_filters", "Subscribers disconnected because a filter exceeded its budget"});
    SubscriptionCounters durable{metrics};
    Counter& handovers = metrics.counter({"handovers", "Batches, or parts of them, handed over to the slow lane"});
    base::ObservedCounter& log_lines_dropped =
        metrics.observed_counter({"log_lines_dropped", "Log lines dropped because they were not read or did not fit"});

    static constexpr std::array<std::uint64_t, 11> event_bounds{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1'024};
    base::Histogram& batch_events = metrics.histogram(
        {.name = "batch_events", .help = "Events of a batch that went through the matcher", .unit = "events"},
        event_bounds);
    // In microseconds, as the values of the histograms of times.
    static constexpr std::array<std::uint64_t, 13> time_bounds{
        10, 30, 100, 300, 1'000, 3'000, 10'000, 30'000, 100'000, 300'000, 1'000'000, 3'000'000, 10'000'000};
    MatchTimes match_microseconds{metrics, time_bounds};
    OperatorTimes operator_microseconds{metrics, time_bounds};

    base::Histogram& delivery_latency_microseconds =
        metrics.histogram({.name = "delivery_latency_seconds",
                           .help = "Time from the append of an event to the end of its writing to a subscriber, of a "
                                   "sample of live events",
                           .unit = "seconds",
                           .per_unit = 1'000'000},
                          time_bounds);

    base::Histogram& store_group_microseconds = metrics.histogram(
        {.name = "store_group_seconds",
         .help = "Elapsed time of writing and syncing the appends that waited at the same time for a store on disk",
         .unit = "seconds",
         .per_unit = 1'000'000},
        time_bounds);
    base::Histogram& store_append_microseconds =
        metrics.histogram({.name = "store_append_seconds",
                           .help = "Elapsed time of an append to a store on disk, from its beginning to its end",
                           .unit = "seconds",
                           .per_unit = 1'000'000},
                          time_bounds);

    StageTimes stages{metrics};

    ContainsCounters contains = contains_counters(metrics);
    std::vector<OperatorCounters> operators = operator_counters(metrics);  // by kind of measure

    CostlyConditions costly_conditions;
    StreamCounters streams;
};

// Most counts are of what rarely is: nothing is written for 0.
inline void count(Counters::Counter& counter, std::uint64_t n = 1) {
    if (n != 0) counter.add(n);
}

}  // namespace sluice::broker
