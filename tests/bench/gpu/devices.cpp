// bench_devices: the same set matched by one device and by several, alternating in one run: events/s from host memory
// to matches, in batches of 1024, with the given number of threads. One JSON object per line; the best of the rounds
// counts.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <future>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/matcher_workload.hpp"

namespace sluice::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* help = R"(usage: bench_devices WORKLOAD SUBSCRIPTIONS SECONDS THREADS[,THREADS…] DEVICES DEVICES…

  bench_devices W8 10000000 1 16,32 0 0,1   one device and two, with 16 threads and with 32
)";
constexpr std::size_t events = 16'384, rounds = 3;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::vector<int> numbers(const std::string& text) {
    std::vector<int> result;
    std::istringstream stream(text);
    for (std::string number; std::getline(stream, number, ',');) result.push_back(std::stoi(number));
    return result;
}

// The set on some devices, with its batches.
struct OnDevices {
    std::string name;
    std::unique_ptr<engine::SubscriptionSet> set;
    std::shared_ptr<const engine::Program> program;
    std::vector<engine::EventBatch> batches;
    Tally tally;
    double build_seconds = 0;
};

OnDevices build(const Workload& workload, const std::string& devices) {
    OnDevices b;
    b.name = devices;
    engine::EngineOptions options(engine::Backend::cuda);
    options.devices = numbers(devices);
    b.set = engine::make_subscription_set(options);
    const auto start = Clock::now();
    std::vector<std::uint32_t> number_of_slot;
    for (std::uint32_t i = 0; i < workload.subscriptions(); ++i) {
        const engine::SubscriptionId id = b.set->add(workload.filter(i));
        number_of_slot.resize(std::max<std::size_t>(number_of_slot.size(), id.slot + 1));
        number_of_slot[id.slot] = i;
    }
    b.program = b.set->compile();
    b.build_seconds = seconds_since(start);
    std::vector<engine::Match> found;
    for (std::size_t e = 0; e < workload.events(); e += engine::EventBatch::events_max) {
        b.batches.push_back(workload.batch(e, engine::EventBatch::events_max, *b.program->attributes()));
        found.clear();
        b.program->match(b.batches.back(), found);
        b.tally.count(found, number_of_slot, e);
    }
    return b;
}

struct Figures {
    double events_per_second = 0, processor_us = 0;  // processor time of all threads, per event
};

// Every thread goes through all batches, from a different starting place.
Figures match(const OnDevices& b, std::size_t threads, double seconds) {
    std::atomic<bool> done = false;
    std::atomic<std::size_t> matched = 0;
    std::vector<std::thread> running;
    const std::clock_t processor = std::clock();
    const auto start = Clock::now();
    for (std::size_t t = 0; t < threads; ++t)
        running.emplace_back([&, t] {
            std::vector<engine::Match> found;
            for (std::size_t i = t; !done; ++i) {
                const engine::EventBatch& batch = b.batches[i % b.batches.size()];
                found.clear();
                b.program->match(batch, found);
                matched += batch.size();
            }
        });
    while (seconds_since(start) < seconds) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    done = true;
    for (std::thread& thread : running) thread.join();
    const auto count = static_cast<double>(matched);
    return {count / seconds_since(start), 1e6 * static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC / count};
}

void print(const std::string& workload, const OnDevices& b, std::size_t threads, const Figures& f) {
    std::printf(
        "{\"workload\": \"%s\", \"subscriptions\": %zu, \"devices\": \"%s\", \"threads\": %zu, "
        "\"events_per_second\": %.0f, \"processor_us_per_event\": %.3f, \"matches\": %zu, "
        "\"checksum\": \"%016llx\", \"build_seconds\": %.1f, \"of_each\": [",
        workload.c_str(), b.set->size(), b.name.c_str(), threads, f.events_per_second, f.processor_us, b.tally.matches,
        static_cast<unsigned long long>(b.tally.checksum), b.build_seconds);
    const engine::EngineStatus status = b.set->status();
    for (std::size_t d = 0; d < status.devices.size(); ++d) {
        const engine::DeviceStatus& device = status.devices[d];
        std::printf("%s{\"state\": \"%s\", \"batches\": %llu, \"faults\": %llu, \"batch_us\": %.1f, \"mib\": %.0f}",
                    d == 0 ? "" : ", ", device.state.c_str(), static_cast<unsigned long long>(device.batches),
                    static_cast<unsigned long long>(device.faults),
                    1e6 * device.sampled_seconds / std::max(1.0, static_cast<double>(device.sampled_events)) *
                        static_cast<double>(engine::EventBatch::events_max),
                    static_cast<double>(device.bytes) / (1u << 20));
    }
    std::printf("]}\n");
    std::fflush(stdout);
}

void run(const std::string& name, std::size_t subscriptions, double seconds, const std::vector<int>& thread_counts,
         const std::vector<std::string>& lists) {
    const Workload workload = generate(name, subscriptions, events);
    std::vector<std::future<OnDevices>> building;
    for (const std::string& devices : lists)
        building.push_back(std::async(std::launch::async, [&] { return build(workload, devices); }));
    std::vector<OnDevices> sets;
    for (auto& set : building) sets.push_back(set.get());
    for (const int threads : thread_counts) {
        std::vector<Figures> best(sets.size());
        for (std::size_t round = 0; round < rounds; ++round) {
            for (std::size_t i = 0; i < sets.size(); ++i) {
                const Figures f = match(sets[i], static_cast<std::size_t>(threads), seconds);
                if (f.events_per_second > best[i].events_per_second) best[i] = f;
            }
        }
        for (std::size_t i = 0; i < sets.size(); ++i) print(name, sets[i], static_cast<std::size_t>(threads), best[i]);
    }
    for (const OnDevices& b : sets) {
        if (!(b.tally == sets.front().tally)) throw std::runtime_error("devices " + b.name + " match something else");
    }
}

}  // namespace

}  // namespace sluice::bench

int main(int argc, char** argv) {
    if (argc < 6) {
        std::cerr << sluice::bench::help;
        return 2;
    }
    try {
        sluice::bench::run(argv[1], std::strtoull(argv[2], nullptr, 10), std::strtod(argv[3], nullptr),
                           sluice::bench::numbers(argv[4]), std::vector<std::string>(argv + 5, argv + argc));
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "bench_devices: " << error.what() << '\n';
        return 1;
    }
}
