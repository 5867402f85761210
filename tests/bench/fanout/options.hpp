// The options of the command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::fanout {

struct Options {
    std::string broker;                 // the sluiced to start
    std::vector<std::string> settings;  // its options
    std::vector<std::string> scenarios, systems;
    std::size_t rounds = 5;
    double seconds = 2;          // how long a round publishes
    std::uint64_t messages = 0;  // of a round; 0: those of its seconds
    std::size_t pipeline = 64, window = 1024, fanout_window = 256;
    std::size_t subscribers = 100, filters = 10'000, filter_connections = 100;
    bool streams = true;  // how fanout and filters are published to Sluice
    bool takes_latencies = true;
    bool is_json = false;
};

// The values of --system and --scenario, in the order in which they run.
const std::vector<std::string>& system_names();
const std::vector<std::string>& scenario_names();

// No options: the program is to exit with `status`, after a wrong command line or --help.
std::optional<Options> parse_options(int argc, char** argv, int& status);

}  // namespace sluice::fanout
