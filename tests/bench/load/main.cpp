// bench_load: the load that a broker can carry, and its latency. Prints JSON; exit status 1 if anything was lost,
// repeated or wrong.
#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <sys/wait.h>

#include "broker/cli/client/http_client.hpp"
#include "broker/cli/commands.hpp"
#include "tests/bench/load/load_fleet.hpp"
#include "tests/bench/load/process.hpp"
#include "tests/bench/load/replay_load.hpp"

namespace {

using namespace sluice::load;

void print_latencies(std::ostream& out, const char* name, Latencies& latencies) {
    out << "    \"" << name << "\": {\"p50\": " << latencies.quantile_us(0.5);
    out << ", \"p99\": " << latencies.quantile_us(0.99) << ", \"p99.9\": " << latencies.quantile_us(0.999);
    out << ", \"max\": " << latencies.quantile_us(1) << "},\n";
}

double per_second(std::uint64_t count, const LoadResult& result) { return static_cast<double>(count) / result.seconds; }

// The broker's report on its matching since it was started: where, why, and the work of its operators. Null if it gives
// none, which does not invalidate the measurement.
boost::json::value matching_status(const LoadOptions& options) {
    try {
        sluice::cli::BrokerOptions broker;
        broker.server = "http://" + options.host + ":" + std::to_string(options.port);
        const auto reply = sluice::cli::send(sluice::cli::find_server(broker).value(), {.target = "/v1/status"});
        const auto status = boost::json::parse(reply.value().body);
        boost::json::object operators;
        for (const auto& [name, done] : status.at("operators").as_object()) {
            if (done.at("texts").to_number<std::uint64_t>() > 0) operators[name] = done;
        }
        return {{"engine", status.at("engine")}, {"operators", std::move(operators)}};
    } catch (const std::exception& error) {
        std::cerr << "bench_load: no status: " << error.what() << '\n';
        return nullptr;
    }
}

void print(std::ostream& out, const LoadOptions& options, std::size_t threads, double rate, LoadResult& result) {
    const auto events = static_cast<double>(std::max<std::uint64_t>(result.events, 1));
    out << std::fixed;
    out.precision(2);
    out << "  {\n    \"mode\": \"" << (rate > 0 ? "open loop" : "closed loop") << "\",\n";
    if (rate > 0) out << "    \"intended_events_per_second\": " << rate << ",\n";
    out << "    \"workload\": \"" << options.workload << "\",\n    \"subscribers\": " << options.subscribers
        << ", \"filters\": " << options.filters << ", \"publishers\": " << options.publishers
        << ", \"pipeline\": " << options.pipeline << ", \"items_per_document\": " << options.items
        << ", \"threads\": " << threads << ",\n";
    out << "    \"seconds\": " << result.seconds << ", \"events\": " << result.events
        << ", \"accepted\": " << result.accepted << ", \"refused\": " << result.refused << ",\n";
    out << "    \"events_per_second\": " << per_second(result.accepted, result)
        << ", \"deliveries_per_second\": " << per_second(result.deliveries, result) << ",\n";
    out << "    \"filters_matched_per_event\": " << result.filters_per_event
        << ", \"delivered_bytes_per_second\": " << per_second(result.received_bytes, result) << ",\n";
    print_latencies(out, "publish_to_receive_us", result.deliver);
    print_latencies(out, "publish_to_reply_us", result.reply);
    out << "    \"broker_cpu_us_per_event\": " << result.broker_cpu_seconds * 1e6 / events
        << ", \"own_cpu_us_per_event\": " << result.own_cpu_seconds * 1e6 / events << ",\n";
    out << "    \"deliveries\": " << result.deliveries << ", \"lost\": " << result.lost
        << ", \"unexpected\": " << result.unexpected << ", \"out_of_order\": " << result.out_of_order
        << ", \"disconnected\": " << result.disconnected << ",\n";
    out << "    \"status\": " << matching_status(options) << "\n  }" << std::flush;
}

void print(std::ostream& out, const LoadOptions& options, const ReplayResult& result) {
    const auto per_event_us = 1e6 / static_cast<double>(std::max<std::uint64_t>(result.events, 1));
    out << std::fixed;
    out.precision(2);
    out << "[\n  {\n    \"mode\": \"replay\",\n    \"workload\": \"" << options.workload
        << "\",\n    \"subscribers\": " << options.subscribers << ", \"filters\": " << options.filters
        << ",\n    \"publish_seconds\": " << result.publish_seconds << ", \"seconds\": " << result.seconds
        << ", \"events\": " << result.events
        << ",\n    \"events_per_second\": " << static_cast<double>(result.events) / result.seconds
        << ", \"deliveries_per_second\": " << static_cast<double>(result.deliveries) / result.seconds
        << ",\n    \"broker_cpu_us_per_event\": " << result.broker_cpu_seconds * per_event_us
        << ",\n    \"deliveries\": " << result.deliveries << ", \"received_bytes\": " << result.received_bytes
        << ", \"lost\": " << result.lost << ", \"unexpected\": " << result.unexpected
        << ", \"out_of_order\": " << result.out_of_order << ", \"gaps_and_resets\": " << result.told << "\n  }\n]\n";
}

// If the broker crashed, so does the program that measures it: nobody shall take the crash for a bad figure.
bool ended_well(BrokerProcess& process) {
    const int status = process.end();
    if (status == 0) return true;
    std::cerr << "bench_load: the broker ended with ";
    if (WIFEXITED(status)) std::cerr << "status " << WEXITSTATUS(status) << '\n';
    if (WIFSIGNALED(status)) {
        std::cerr << "signal " << WTERMSIG(status) << std::endl;
        std::abort();
    }
    return false;
}

bool is_clean(const LoadResult& r) { return r.lost + r.unexpected + r.out_of_order + r.disconnected + r.refused == 0; }

}  // namespace

int main(int argc, char** argv) {
    LoadOptions options;
    std::string broker;
    std::vector<std::string> settings;
    std::optional<double> rate;
    double seconds = 10;
    std::size_t threads = 1;
    std::uint64_t replayed = 0;
    bool find_max = false, ask = false;
    CLI::App app(
        "Measures a broker under load: how many items per second it carries, and at half of that rate (or at --rate) "
        "how long items take. A latency runs from the time an item should have been sent.",
        "bench_load");
    app.add_option("--broker", broker, "Start this sluiced and measure it");
    app.add_option("--set", settings,
                   "Options for the started broker, as in its own --set: matcher.backend=naive. Its store is in "
                   "memory unless one says otherwise");
    app.add_option("--host", options.host, "Measure a running broker")->capture_default_str();
    app.add_option("--port", options.port)->capture_default_str();
    app.add_option("--pid", options.broker, "Process id of the running broker, to measure its CPU time");
    app.add_option("--rate", rate, "Open loop only, at this many items per second");
    app.add_flag("--find-max", find_max, "Closed loop only: as fast as replies arrive");
    app.add_option(
        "--replay", replayed,
        "Publish so many items, one a document, then subscribe and measure how fast they are replayed to all "
        "subscribers; store.bytes must hold them");
    app.add_flag("--wait", ask, "Subscribe, then wait for a line of standard input before the first run");
    app.add_option("--seconds", seconds, "Length of each run")->capture_default_str();
    app.add_option("--subscribers", options.subscribers, "Connections; each has its share of the filters, 128 at most")
        ->capture_default_str()
        ->check(CLI::Range(1, 10'000));
    app.add_option("--filters", options.filters, "Of all subscribers together")->capture_default_str();
    app.add_option("--publishers", options.publishers)->capture_default_str()->check(CLI::Range(1, 64));
    app.add_option("--pipeline", options.pipeline, "Requests under way on one connection")->capture_default_str();
    app.add_option("--items", options.items, "Of a document")->capture_default_str()->check(CLI::Range(1, 1'000));
    app.add_option("--workload", options.workload,
                   "mixed, approximate (a category and approx-contains), matches, align, contains, laminarity, or "
                   "bench_matcher's "
                   "W1 to W5, W7 and W8")
        ->capture_default_str();
    app.add_option("--feeds", options.feeds, "Take the titles from the feeds of this folder");
    app.add_option("--threads", threads, "Threads that share the load, each on its own stream if there are several")
        ->capture_default_str()
        ->check(CLI::Range(1, 64));
    app.add_option("--seed", options.seed)->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    std::optional<BrokerProcess> process;
    try {
        allow_many_descriptors();
        if (!broker.empty()) {
            process.emplace(broker, settings);
            options.port = process->port();
            options.broker = process->id();
        }
        if (replayed != 0) {
            const ReplayResult result = replay_load(options, replayed);
            print(std::cout, options, result);
            const bool clean = result.lost + result.unexpected + result.out_of_order + result.told == 0;
            const bool well = !process || ended_well(*process);
            return clean && well ? 0 : 1;
        }
        const auto start = Clock::now();
        LoadFleet test(options, threads);
        std::cerr << options.filters << " filters subscribed in "
                  << std::chrono::duration<double>(Clock::now() - start).count() << " s\n";
        if (std::string line; ask) std::getline(std::cin, line);
        bool clean = is_clean(test.run(rate.value_or(0), 1));  // warms up
        const auto measure = [&](double per_second_intended, const char* before) {
            auto result = test.run(per_second_intended, seconds);
            std::cout << before;
            print(std::cout, options, threads, per_second_intended, result);
            clean &= is_clean(result);
            return per_second(result.accepted, result);
        };
        if (rate) {
            measure(*rate, "[\n");
        } else {
            const auto sustained = measure(0, "[\n");
            if (!find_max) measure(sustained / 2, ",\n");
        }
        std::cout << "\n]\n";
        const bool well = !process || ended_well(*process);
        return clean && well ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << "bench_load: " << error.what() << '\n';
        if (process) ended_well(*process);
        return 2;
    }
}
