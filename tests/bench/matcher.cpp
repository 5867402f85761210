// bench_matcher: runs the matching engine on the workloads of matcher_workload.hpp and prints the cost.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <malloc.h>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <unistd.h>

#include "tests/bench/matcher_workload.hpp"

namespace sluice::bench {

namespace {

constexpr const char* help = R"(usage: bench_matcher [OPTION]…

Builds a matcher of a workload's subscriptions and matches its events, in batches.

  --workload W1…W8        the workload to generate (default: W1 to W6, one after the other)
  --subscriptions N       how many (default 1000000)
  --events N              how many (default 1000)
  --files PREFIX          read PREFIX.subs and PREFIX.events instead of generating
  --write PREFIX          write the workload to PREFIX.subs and PREFIX.events, and exit
  --batch N               events per batch, at most 1024 (default: 1, then 32, then 1024)
  --threads N             threads that match at the same time (default 1)
  --backend cpu|cuda|auto|naive   default cpu
  --devices N[,N…]        the GPUs to match on, as CUDA numbers them (default 0)
  --seconds S             measure each figure for at least S seconds (default 1)
  --settle S              match and compile for S seconds first, so that the observed events take effect
  --updates N             also measure N additions, N removals, and three times N pairs of both, beside the workload
  --json                  one JSON object per line
)";

struct Options {
    std::vector<std::string> workloads = {"W1", "W2", "W3", "W4", "W5", "W6"};
    std::size_t subscriptions = 1'000'000, events = 1000, threads = 1, updates = 0;
    std::optional<std::string> files, write;
    std::vector<std::size_t> batches = {1, 32, 1024};
    std::string backend = "cpu";
    std::vector<int> devices;
    double seconds = 1, settle = 0;
    bool json = false;
};

struct Built {
    std::unique_ptr<engine::SubscriptionSet> set;
    std::shared_ptr<const engine::Program> program;
    std::vector<engine::SubscriptionId> ids;    // by subscription of the workload
    std::vector<std::uint32_t> number_of_slot;  // the inverse of ids
    double build_seconds = 0;
    double bytes_per_subscription = 0;
};

struct Figures {
    Tally tally;
    double us_per_event = 0;
    double cpu_us_per_event = 0;  // of one thread; less than wall time if other programs ran
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double heap_bytes() {
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
}

engine::Backend backend(const std::string& name) {
    if (name == "naive") return engine::Backend::naive;
    if (name == "cuda") return engine::Backend::cuda;
    return name == "auto" ? engine::Backend::automatic : engine::Backend::cpu;
}

Built build(const Workload& workload, const Options& options) {
    Built b;
    b.ids.reserve(workload.subscriptions());
    const double before = heap_bytes();
    engine::EngineOptions engine(backend(options.backend));
    engine.devices = options.devices;
    b.set = make_subscription_set(engine);
    const auto start = Clock::now();
    for (std::size_t i = 0; i < workload.subscriptions(); ++i) b.ids.push_back(b.set->add(workload.filter(i)));
    b.program = b.set->compile();
    b.build_seconds = seconds_since(start);
    b.bytes_per_subscription = (heap_bytes() - before) / static_cast<double>(std::max<std::size_t>(1, b.ids.size()));
    for (std::uint32_t i = 0; i < b.ids.size(); ++i) {
        if (b.ids[i].slot >= b.number_of_slot.size()) b.number_of_slot.resize(b.ids[i].slot + 1);
        b.number_of_slot[b.ids[i].slot] = i;
    }
    return b;
}

Figures measure(const Workload& workload, const Built& b, std::size_t batch_size, const Options& options) {
    std::vector<engine::EventBatch> batches;
    for (std::size_t e = 0; e < workload.events(); e += batch_size)
        batches.push_back(workload.batch(e, std::min(batch_size, workload.events() - e), *b.program->attributes()));

    Figures figures;
    std::vector<engine::Match> matches;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        matches.clear();
        b.program->match(batches[i], matches);
        figures.tally.count(matches, b.number_of_slot, i * batch_size);
    }
    std::atomic<std::size_t> rounds = 0;
    const std::clock_t cpu_start = std::clock();
    const auto start = Clock::now();
    const auto run = [&] {
        std::vector<engine::Match> found;
        do {
            for (const engine::EventBatch& batch : batches) {
                found.clear();
                b.program->match(batch, found);
            }
            ++rounds;
        } while (seconds_since(start) < options.seconds);
    };
    std::vector<std::thread> others;
    for (std::size_t t = 1; t < options.threads; ++t) others.emplace_back(run);
    run();
    for (std::thread& thread : others) thread.join();
    figures.us_per_event = 1e6 * seconds_since(start) / static_cast<double>(rounds * workload.events());
    figures.cpu_us_per_event = 1e6 * static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC /
                               static_cast<double>(rounds * workload.events());
    return figures;
}

void settle(const Workload& workload, Built& b, double seconds) {
    const std::size_t count = std::min(workload.events(), engine::EventBatch::events_max);
    const engine::EventBatch batch = workload.batch(0, count, *b.program->attributes());
    std::vector<engine::Match> found;
    for (const auto start = Clock::now(); seconds_since(start) < seconds; b.program = b.set->compile()) {
        found.clear();
        b.program->match(batch, found);
    }
}

void print(const std::string& name, const Built& b, std::size_t batch, const Figures& f, const Options& options) {
    const double per_second = f.us_per_event > 0 ? 1e6 / f.us_per_event : 0;
    if (options.json) {
        std::printf(
            "{\"workload\": \"%s\", \"backend\": \"%s\", \"subscriptions\": %zu, \"threads\": %zu, \"batch\": %zu, "
            "\"build_seconds\": %.3f, \"bytes_per_subscription\": %.1f, \"us_per_event\": %.3f, "
            "\"cpu_us_per_event\": %.3f, "
            "\"events_per_second\": %.0f, \"matches\": %zu, \"checksum\": \"%016llx\"}\n",
            name.c_str(), options.backend.c_str(), b.ids.size(), options.threads, batch, b.build_seconds,
            b.bytes_per_subscription, f.us_per_event, f.cpu_us_per_event, per_second, f.tally.matches,
            static_cast<unsigned long long>(f.tally.checksum));
    } else {
        std::printf(
            "%-10s %10zu subscriptions  built in %6.2f s  %6.1f bytes each  batch %4zu  %10.2f us/event  "
            "(processor %.2f)  "
            "%9.0f events/s  %9zu matches  checksum %016llx\n",
            name.c_str(), b.ids.size(), b.build_seconds, b.bytes_per_subscription, batch, f.us_per_event,
            f.cpu_us_per_event, per_second, f.tally.matches, static_cast<unsigned long long>(f.tally.checksum));
    }
    std::fflush(stdout);
}

// The device time for the batches since `before`, by the measured sample.
void print_devices(const Built& b, const engine::EngineStatus& before, const Options& options) {
    const engine::EngineStatus now = b.set->status();
    for (std::size_t d = 0; d < now.devices.size(); ++d) {
        const engine::DeviceStatus& device = now.devices[d];
        const double seconds = device.sampled_seconds - before.devices[d].sampled_seconds;
        const auto events = static_cast<double>(device.sampled_events - before.devices[d].sampled_events);
        std::printf(options.json ? "{\"device\": %d, \"state\": \"%s\", \"copies_mib\": %.1f, \"batches\": %llu, "
                                   "\"device_us_per_event\": %.4f, \"device_events_per_second\": %.0f, "
                                   "\"faults\": %llu, \"reason\": \"%s\"}\n"
                                 : "           device %d: %s, copies of %.1f MiB, %llu batches, %.4f us/event of its "
                                   "time, %.0f events/s, %llu faults; %s\n",
                    device.device, device.state.c_str(), static_cast<double>(device.bytes) / (1u << 20),
                    static_cast<unsigned long long>(device.batches - before.devices[d].batches),
                    events > 0 ? 1e6 * seconds / events : 0, seconds > 0 ? events / seconds : 0,
                    static_cast<unsigned long long>(device.faults), now.reason.c_str());
    }
    std::fflush(stdout);
}

struct UpdateFigures {
    double per_second = 0;
    double processor_us = 0;                        // of all threads, per change
    double live_mib = 0, resident_mib = 0;          // of the whole program, after all merges
    double visible_ms_p99 = 0, visible_ms_max = 0;  // from the first change after a compile to the end of the next
    double busy_ms_max = 0;                         // the most processor time of the thread within that
};

double thread_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Waits until the heap has been stable for a while, except for the few bytes by which programs differ.
void wait_for_merges(Built& b) {
    constexpr double change_min = 1 << 16;
    double heap = 0;
    for (int same = 0; same < 50; ++same) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        b.program = b.set->compile();
        if (std::abs(heap_bytes() - heap) > change_min) {
            heap = heap_bytes();
            same = 0;
        }
    }
}

// The resident memory after freed memory has been returned to the system.
double resident_bytes() {
    malloc_trim(0);
    std::size_t pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Calls change(i) for all i, with a compile every few hundred.
template <class Change>
UpdateFigures measure_changes(Built& b, std::size_t changes, Change change) {
    constexpr std::size_t step = 500;
    std::vector<double> visible;
    UpdateFigures f;
    const std::clock_t cpu_start = std::clock();
    const auto start = Clock::now();
    for (std::size_t i = 0; i < changes;) {
        const auto step_start = Clock::now();
        const double busy_start = thread_seconds();
        for (const std::size_t end = std::min(changes, i + step); i < end; ++i) change(i);
        b.program = b.set->compile();
        visible.push_back(seconds_since(step_start));
        f.busy_ms_max = std::max(f.busy_ms_max, 1e3 * (thread_seconds() - busy_start));
    }
    f.per_second = static_cast<double>(changes) / seconds_since(start);
    f.processor_us =
        1e6 * static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC / static_cast<double>(changes);
    wait_for_merges(b);
    f.live_mib = heap_bytes() / (1u << 20);
    f.resident_mib = resident_bytes() / (1u << 20);
    std::sort(visible.begin(), visible.end());
    f.visible_ms_p99 = 1e3 * visible[visible.size() * 99 / 100];
    f.visible_ms_max = 1e3 * visible.back();
    return f;
}

void print(const std::string& name, const char* what, std::size_t changes, const UpdateFigures& f,
           const Options& options) {
    std::printf(options.json ? "{\"workload\": \"%s\", \"change\": \"%s\", \"changes\": %zu, \"per_second\": %.0f, "
                               "\"processor_us\": %.3f, \"visible_ms_p99\": %.3f, \"visible_ms_max\": %.3f, "
                               "\"busy_ms_max\": %.3f, \"live_mib\": %.1f, \"resident_mib\": %.1f}\n"
                             : "%-10s %s: %zu, %.0f/s (processor %.2f us each), visible within %.2f ms (p99), %.2f ms "
                               "(max; processor %.2f ms), then %.1f MiB live, %.1f resident\n",
                name.c_str(), what, changes, f.per_second, f.processor_us, f.visible_ms_p99, f.visible_ms_max,
                f.busy_ms_max, f.live_mib, f.resident_mib);
}

// Measures additions, removals, and as many pairs of both, which must leave the heap as large as it was.
void measure_updates(const std::string& name, const Workload& workload, Built& b, const Options& options) {
    std::vector<engine::Disjunction> filters;
    for (std::size_t i = 0; i < std::min(options.updates, workload.subscriptions()); ++i)
        filters.push_back(workload.filter(i * 7919 % workload.subscriptions()));
    std::vector<engine::SubscriptionId> ids = b.ids;
    ids.reserve(ids.size() + options.updates);
    const auto run = [&](const char* what, auto change) {
        print(name, what, options.updates, measure_changes(b, options.updates, change), options);
    };
    run("additions", [&](std::size_t i) { ids.push_back(b.set->add(filters[i % filters.size()])); });
    run("removals", [&](std::size_t i) {
        std::swap(ids[i * 7919 % ids.size()], ids.back());
        b.set->remove(ids.back());
        ids.pop_back();
    });
    for (int round = 0; round < 3; ++round) {
        run("additions and removals", [&](std::size_t i) {
            std::swap(ids[i * 7919 % ids.size()], ids.back());
            b.set->remove(ids.back());
            ids.back() = b.set->add(filters[i % filters.size()]);
        });
    }
}

void run(const std::string& name, const Workload& workload, const Options& options) {
    if (options.write) return write_files(workload, *options.write);
    Built b = build(workload, options);
    if (options.settle > 0) settle(workload, b, options.settle);
    for (const std::size_t batch : options.batches) {
        const engine::EngineStatus before = b.set->status();
        print(name, b, batch, measure(workload, b, batch, options), options);
        print_devices(b, before, options);
    }
    if (options.updates > 0) measure_updates(name, workload, b, options);
}

std::size_t positive(const std::string& option, const std::string& text) {
    char* end = nullptr;
    const unsigned long long n = std::strtoull(text.c_str(), &end, 10);
    if (text.empty() || *end != 0 || n == 0 || text.front() == '-')
        throw std::invalid_argument(option + " needs a positive number, not '" + text + "'");
    return n;
}

std::vector<int> device_numbers(const std::string& text) {
    std::vector<int> numbers;
    std::istringstream stream(text);
    for (std::string number; std::getline(stream, number, ',');) {
        if (number.empty() || number.find_first_not_of("0123456789") != std::string::npos || number.size() > 3)
            throw std::invalid_argument("--devices needs numbers, not '" + text + "'");
        numbers.push_back(std::stoi(number));
    }
    return numbers;
}

Options parse(int argc, char** argv) {
    Options o;
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        if (option == "--help") {
            std::cout << help;
            std::exit(0);
        }
        if (option == "--json") {
            o.json = true;
            continue;
        }
        if (i + 1 == argc) throw std::invalid_argument("unknown option, or no value for it: " + option);
        const std::string value = argv[++i];
        if (option == "--workload")
            o.workloads = {value};
        else if (option == "--subscriptions")
            o.subscriptions = positive(option, value);
        else if (option == "--events")
            o.events = positive(option, value);
        else if (option == "--files")
            o.files = value;
        else if (option == "--write")
            o.write = value;
        else if (option == "--batch")
            o.batches = {std::min(positive(option, value), engine::EventBatch::events_max)};
        else if (option == "--threads")
            o.threads = positive(option, value);
        else if (option == "--updates")
            o.updates = positive(option, value);
        else if (option == "--devices")
            o.devices = device_numbers(value);
        else if (option == "--settle")
            o.settle = std::atof(value.c_str());
        else if (option == "--seconds")
            o.seconds = std::atof(value.c_str());
        else if (option == "--backend" && (value == "cpu" || value == "cuda" || value == "auto" || value == "naive"))
            o.backend = value;
        else
            throw std::invalid_argument("unknown option or value: " + option + " " + value);
    }
    if (o.write && o.workloads.size() > 1 && !o.files) throw std::invalid_argument("--write needs --workload");
    return o;
}

}  // namespace

}  // namespace sluice::bench

int main(int argc, char** argv) {
    using namespace sluice::bench;
    try {
        const Options options = parse(argc, argv);
        if (options.files) {
            run(*options.files, read_files(*options.files), options);
            return 0;
        }
        for (const std::string& name : options.workloads)
            run(name, generate(name, options.subscriptions, options.events), options);
        return 0;
    } catch (const std::invalid_argument& e) {
        std::cerr << "bench_matcher: " << e.what() << "\n\n" << help;
        return 2;
    } catch (const std::exception& e) {
        std::cerr << "bench_matcher: " << e.what() << '\n';
        return 1;
    }
}
