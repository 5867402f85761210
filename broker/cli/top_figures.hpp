// What `sluice top` shows, from two readings of GET /metrics. Pure functions; any thread.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/cli/top_exposition.hpp"

namespace sluice::cli {

// Rates are per second; none: there is no earlier reading, or nothing to divide by.
struct TopFigures {
    struct Stream {
        std::string name;
        std::optional<double> events, deliveries;
        double subscribers = 0, retained_events = 0;
    };
    struct Stage {
        std::string name;
        std::optional<double> microseconds;  // per event
    };
    struct Condition {
        std::string text;  // as in the status: "test price < 3"
        std::uint64_t evaluations = 0, undecided = 0;
        double milliseconds = 0, slowest_milliseconds = 0;
    };

    std::string version, backend, store, store_state;
    double uptime_seconds = 0, connections = 0, subscribers = 0;
    std::optional<double> events, deliveries, refusals;
    double queued_events = 0, replay_lag = 0;
    std::optional<double> delivery_p50, delivery_p99;  // seconds
    double memory_used = 0, memory_limit = 0;          // bytes
    std::vector<Stream> streams;                       // the busiest first
    std::vector<Stage> stages;                         // in the order of an event's way
    std::vector<Condition> conditions;                 // the costliest first
};

// `before`: a reading `seconds` earlier, or null. A number that has fallen began at 0, as after a restart.
TopFigures top_figures(const Exposition* before, const Exposition& now, double seconds);

// The costly_conditions of GET /v1/status. What is not as it should be is left out.
std::vector<TopFigures::Condition> costly_conditions(const boost::json::object& status);

}  // namespace sluice::cli
