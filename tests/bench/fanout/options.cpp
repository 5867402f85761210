#include "tests/bench/fanout/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace sluice::fanout {

const std::vector<std::string>& system_names() {
    static const std::vector<std::string> names{"sluice", "nats", "redis", "mosquitto", "nchan"};
    return names;
}

const std::vector<std::string>& scenario_names() {
    static const std::vector<std::string> names{"post", "stream", "fanout", "fanout10", "filters", "single"};
    return names;
}

std::optional<Options> parse_options(int argc, char** argv, int& status) {
    Options options;
    options.scenarios = scenario_names();
    options.systems = system_names();
    std::string publish = "stream";
    bool no_latencies = false;
    CLI::App app(
        "Measures Sluice beside other brokers: the same messages from one publisher to one or many subscribers, "
        "in rounds that take turns. Every delivery is checked; the exit status is 1 if one was lost, repeated or out "
        "of order.",
        "bench_fanout");
    app.add_option("--broker", options.broker, "The sluiced to start; needed unless --system leaves out sluice");
    app.add_option("--set", options.settings,
                   "Options for it, as in its own --set: io.threads=2. Its store is in memory");
    app.add_option(
           "--scenario", options.scenarios,
           "post: a request a message, pipelined; stream: one request for all; fanout: to --subscribers, "
           "fanout10: to ten; filters: each message matches one of --filters; single: one at a time. Default: all")
        ->delimiter(',')
        ->check(CLI::IsMember(std::vector<std::string>(scenario_names())));
    app.add_option(
           "--system", options.systems,
           "sluice, nats, redis, mosquitto, nchan; default: all that are installed. None but Sluice has filters")
        ->delimiter(',')
        ->check(CLI::IsMember(std::vector<std::string>(system_names())));
    app.add_option("--rounds", options.rounds, "Medians are of so many")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000));
    app.add_option("--seconds", options.seconds, "For which a round publishes")
        ->capture_default_str()
        ->check(CLI::Range(0.01, 60.0));
    app.add_option("--messages", options.messages, "Of a round, in place of --seconds");
    app.add_option("--pipeline", options.pipeline, "Messages without a reply at once, where each gets one")
        ->capture_default_str()
        ->check(CLI::Range(1, 100'000));
    app.add_option("--window", options.window, "Messages to one subscriber that are not delivered yet, at once")
        ->capture_default_str()
        ->check(CLI::Range(1, 100'000));
    app.add_option("--fanout-window", options.fanout_window, "The same where there are several subscribers")
        ->capture_default_str()
        ->check(CLI::Range(1, 100'000));
    app.add_option("--subscribers", options.subscribers, "Of fanout")
        ->capture_default_str()
        ->check(CLI::Range(1, 10'000));
    app.add_option("--filters", options.filters, "Of the scenario filters")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000'000));
    app.add_option(
           "--filter-connections", options.filter_connections,
           "That share the filters evenly; a connection may have 128 unless limits.filters_per_connection differs")
        ->capture_default_str()
        ->check(CLI::Range(1, 10'000));
    app.add_option("--publish", publish, "How fanout and filters are published to Sluice: stream or post")
        ->capture_default_str()
        ->check(CLI::IsMember(std::vector<std::string>{"stream", "post"}));
    app.add_flag("--no-latencies", no_latencies, "Do not measure latencies at half of the rate that was reached");
    app.add_flag("--json", options.is_json, "Print JSON, with each round, in place of the table");
    try {
        app.parse(argc, argv);
        const auto& systems = options.systems;
        if (options.broker.empty() && std::find(systems.begin(), systems.end(), "sluice") != systems.end())
            throw CLI::ValidationError("--broker", "name the sluiced to measure, or leave out sluice with --system");
        if (options.filters % options.filter_connections != 0)
            throw CLI::ValidationError("--filters", "must be a multiple of --filter-connections");
    } catch (const CLI::ParseError& error) {
        status = app.exit(error);
        return std::nullopt;
    }
    options.streams = publish == "stream";
    options.takes_latencies = !no_latencies;
    return options;
}

}  // namespace sluice::fanout
