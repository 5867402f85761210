// What was measured, as a table or as JSON.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "tests/bench/fanout/scenario.hpp"
#include "tests/bench/fanout/trial.hpp"

namespace sluice::fanout {

// A system in a scenario.
struct Measured {
    const Scenario* scenario = nullptr;
    std::string system;
    std::vector<RoundResult> rounds;
    // Latencies: at `latency_rate` messages per second, or of the rounds themselves where messages go one at a time. 0:
    // not taken.
    double latency_rate = 0;
    double p50_us = 0, p99_us = 0;
    std::string fault;  // why there are no more rounds
};

double median(std::vector<double> values);  // 0 if there are none

void print_table(std::ostream& out, const std::vector<Measured>& all);
void print_json(std::ostream& out, const std::vector<Measured>& all);

}  // namespace sluice::fanout
