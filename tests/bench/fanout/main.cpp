// bench_fanout: what a message and a delivery cost, of Sluice and beside it of NATS, Redis, Mosquitto and nginx with
// nchan, as far as these are installed (apt-get install nats-server redis-server mosquitto libnginx-mod-nchan).
//
//   bench_fanout --broker build/bin/sluiced [--scenario post,stream,…] [--system sluice,nats,…] [--json] …
//
// It starts each system and ends it. All get the same document, one item of 1,053 bytes in RSS, or as many bytes
// of JSON, which Sluice parses and filters and the others pass on. For each scenario all systems are started; after a
// round that warms up, they take turns with the measured ones, of which the medians are printed. A round publishes for
// --seconds over a new connection and lasts from the first byte sent until the last delivery has come; the processor's
// time of the broker is that from /proc. At most --pipeline messages are without a reply, where the protocol has
// replies, and --window are not delivered yet, so that no queue of a broker can be full. At half of the rate that it
// reached, each system then has its latencies measured, which run from the time at which a message should have been
// sent.
//
// One thread sends and receives everything, with sockets that never block. Each message has a number, and each
// subscriber must get those that are for it once and in order. If it does not, if a connection or a system ends by
// itself, or if nothing comes for 20 seconds, that is printed, the system is left out of the rest of the scenario, and
// the exit status is 1. Figures of different scenarios are comparable only in one run on one machine that does nothing
// else.
#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <sys/prctl.h>
#include <utility>
#include <vector>

#include "tests/bench/fanout/drivers.hpp"
#include "tests/bench/fanout/options.hpp"
#include "tests/bench/fanout/report.hpp"
#include "tests/bench/fanout/scenario.hpp"
#include "tests/bench/fanout/trial.hpp"
#include "tests/bench/load/process.hpp"

namespace {

using namespace sluice::fanout;

bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<System> start(const std::string& system, const Scenario& scenario, const Options& options) {
    if (system == "sluice") return start_sluice(scenario, options.broker, options.settings);
    if (system == "nats") return start_nats(scenario);
    if (system == "redis") return start_redis(scenario);
    if (system == "mosquitto") return start_mosquitto(scenario);
    return start_nchan(scenario);
}

// A system's trial, and what is known of it.
struct Entry {
    std::unique_ptr<Trial> trial;  // null: it could not be started
    Measured measured;

    bool works() const { return trial != nullptr && measured.fault.empty(); }
    void fail(const std::string& fault) {
        std::cerr << "bench_fanout: " << measured.scenario->name << ", " << measured.system << ": " << fault
                  << std::endl;
        if (measured.fault.empty()) measured.fault = fault;
    }
    // Does something with the trial; what it throws is a fault.
    template <typename Act>
    void attempt(const Act& act) {
        try {
            act();
        } catch (const std::exception& error) {
            fail(error.what());
        }
    }
};

std::vector<Entry> start_all(const Scenario& scenario, const Options& options) {
    std::vector<Entry> entries;
    for (const std::string& name : system_names()) {
        if (!has(options.systems, name) || (scenario.filters > 0 && name != "sluice")) continue;
        Entry entry;
        entry.measured.scenario = &scenario;
        entry.measured.system = name;
        bool is_installed = true;
        entry.attempt([&] {
            std::optional<System> system = start(name, scenario, options);
            is_installed = system.has_value();
            if (system) entry.trial = std::make_unique<Trial>(std::move(*system), scenario);
        });
        if (is_installed)
            entries.push_back(std::move(entry));
        else
            std::cerr << "bench_fanout: " << name << " is not installed\n";
    }
    return entries;
}

Plan plan_of(const Options& options, double part) {
    Plan plan;
    if (options.messages > 0)
        plan.messages =
            std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(options.messages) * part));
    else
        plan.seconds = options.seconds * part;
    return plan;
}

// The rate at which latencies are taken is half of what the rounds have reached.
void take_latencies(Entry& entry, const Options& options) {
    std::vector<double> rates;
    for (const RoundResult& round : entry.measured.rounds)
        rates.push_back(static_cast<double>(round.messages) / round.seconds);
    Plan plan;
    plan.rate = median(std::move(rates)) / 2;
    plan.messages = options.messages > 0
                        ? options.messages
                        : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(plan.rate * options.seconds));
    const RoundResult result = entry.trial->run(plan);
    entry.measured.latency_rate = plan.rate;
    entry.measured.p50_us = result.p50_us;
    entry.measured.p99_us = result.p99_us;
}

// Of one at a time, the rounds have taken them.
void keep_latencies(Measured& measured) {
    std::vector<double> p50, p99;
    for (const RoundResult& round : measured.rounds) {
        p50.push_back(round.p50_us);
        p99.push_back(round.p99_us);
    }
    measured.p50_us = median(std::move(p50));
    measured.p99_us = median(std::move(p99));
}

std::vector<Measured> measure(const Scenario& scenario, const Options& options) {
    prctl(PR_SET_TIMERSLACK, 0UL);  // the systems inherit what is usual
    std::vector<Entry> entries = start_all(scenario, options);
    prctl(PR_SET_TIMERSLACK, 1UL);  // waits of this thread end on time
    for (Entry& entry : entries) {
        if (entry.works()) entry.attempt([&] { entry.trial->run(plan_of(options, 0.2)); });  // warms up
    }
    for (std::size_t i = 0; i < options.rounds; ++i) {
        for (Entry& entry : entries) {
            if (entry.works())
                entry.attempt([&] { entry.measured.rounds.push_back(entry.trial->run(plan_of(options, 1))); });
        }
    }
    for (Entry& entry : entries) {
        if (!entry.works()) continue;
        if (scenario.is_one_at_a_time())
            keep_latencies(entry.measured);
        else if (options.takes_latencies)
            entry.attempt([&] { take_latencies(entry, options); });
    }
    std::vector<Measured> all;
    for (Entry& entry : entries) {
        if (entry.works()) entry.attempt([&] { entry.trial->expect_nothing(); });
        if (entry.trial) {
            if (const std::string fault = entry.trial->end(); !fault.empty()) entry.fail(fault);
        }
        all.push_back(std::move(entry.measured));
    }
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        int status = 0;
        const std::optional<Options> options = parse_options(argc, argv, status);
        if (!options) return status;
        sluice::load::allow_many_descriptors();
        const std::vector<Scenario> scenarios = make_scenarios(*options);
        std::vector<Measured> all;
        for (const Scenario& scenario : scenarios) {
            if (!has(options->scenarios, scenario.name)) continue;
            std::cerr << "bench_fanout: " << scenario.title << std::endl;
            for (Measured& measured : measure(scenario, *options)) all.push_back(std::move(measured));
        }
        options->is_json ? print_json(std::cout, all) : print_table(std::cout, all);
        const auto has_failed = [](const Measured& measured) { return !measured.fault.empty(); };
        return std::any_of(all.begin(), all.end(), has_failed) ? 1 : 0;
    } catch (const std::exception& error) {
        std::cerr << "bench_fanout: " << error.what() << '\n';
        return 2;
    }
}
