// bench_updates: batch times while the set changes. One thread matches batches of 32 without pause; another adds
// thousands of subscriptions, again and again. Per backend, in the same run: batch times before and during changes, and
// the time until each addition was matched. One JSON object per line.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/api/matcher.hpp"
#include "tests/bench/matcher_workload.hpp"

namespace sluice::bench {

namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// Sorts `times`.
std::string quantiles(std::vector<double>& times) {
    if (times.empty()) return "null";
    std::sort(times.begin(), times.end());
    const auto at = [&](double share) { return times[static_cast<std::size_t>(share * double(times.size() - 1))]; };
    char text[128];
    std::snprintf(text, sizeof text, "{\"n\": %zu, \"p50\": %.1f, \"p99\": %.1f, \"p99.9\": %.1f, \"max\": %.1f}",
                  times.size(), at(0.5), at(0.99), at(0.999), times.back());
    return text;
}

// Matches the same batches in sequence, with the latest program.
class Matching {
public:
    Matching(std::vector<engine::EventBatch> batches, std::shared_ptr<const engine::Program> program)
        : batches_(std::move(batches)), program_(std::move(program)), thread_([this] { run(); }) {}
    ~Matching() {
        done_ = true;
        thread_.join();
    }

    void use(std::shared_ptr<const engine::Program> program) {
        const std::lock_guard lock(mutex_);
        program_.swap(program);
    }
    // Microseconds of each batch since the last call.
    std::vector<double> times() {
        const std::lock_guard lock(mutex_);
        return std::exchange(times_, {});
    }

private:
    void run() {
        std::vector<engine::Match> found;
        std::shared_ptr<const engine::Program> program;
        for (std::size_t i = 0; !done_; ++i) {
            {
                const std::lock_guard lock(mutex_);
                program = program_;
            }
            found.clear();
            const auto start = Clock::now();
            program->match(batches_[i % batches_.size()], found);
            const double time = microseconds_since(start);
            const std::lock_guard lock(mutex_);
            times_.push_back(time);
        }
    }

    const std::vector<engine::EventBatch> batches_;
    std::mutex mutex_;
    std::shared_ptr<const engine::Program> program_;
    std::vector<double> times_;
    std::atomic<bool> done_ = false;
    std::thread thread_;  // last member: it uses the others
};

void run(const std::string& name, std::size_t subscriptions, std::size_t added, const char* backend) {
    constexpr std::size_t events = 32, rounds = 20;
    constexpr std::chrono::milliseconds quiet{500}, pause{30};
    const Workload workload = generate(name, subscriptions, 1024);
    const auto set =
        make_subscription_set(std::string(backend) == "cuda" ? engine::Backend::cuda : engine::Backend::cpu);
    for (std::size_t i = 0; i < subscriptions; ++i) set->add(workload.filter(i));
    std::vector<engine::Disjunction> filters;
    for (std::size_t i = 0; i < added; ++i) filters.push_back(workload.filter(i * 7919 % subscriptions));
    auto program = set->compile();
    std::vector<engine::EventBatch> batches;
    for (std::size_t e = 0; e < workload.events(); e += events)
        batches.push_back(workload.batch(e, events, *program->attributes()));

    Matching matching(std::move(batches), program);
    std::this_thread::sleep_for(pause);
    matching.times();
    std::this_thread::sleep_for(quiet);
    std::vector<double> before = matching.times(), visible;
    for (std::size_t round = 0; round < rounds; ++round) {
        const auto start = Clock::now();
        for (const engine::Disjunction& filter : filters) set->add(filter);
        matching.use(set->compile());
        visible.push_back(microseconds_since(start));
        std::this_thread::sleep_for(pause);
    }
    std::vector<double> meanwhile = matching.times();
    std::printf(
        "{\"workload\": \"%s\", \"backend\": \"%s\", \"subscriptions\": %zu, \"events\": %zu, \"batch_us\": %s, "
        "\"batch_us_meanwhile\": %s, \"added\": %zu, \"visible_us\": %s, \"reason\": \"%s\"}\n",
        name.c_str(), backend, subscriptions, events, quantiles(before).c_str(), quantiles(meanwhile).c_str(), added,
        quantiles(visible).c_str(), set->status().reason.c_str());
    std::fflush(stdout);
}

}  // namespace

}  // namespace sluice::bench

int main(int argc, char** argv) {
    try {
        const auto number = [&](int i, std::size_t usual) {
            return argc > i ? std::strtoull(argv[i], nullptr, 10) : usual;
        };
        for (const char* backend : {"cpu", "cuda"})
            sluice::bench::run(argc > 1 ? argv[1] : "W3", number(2, 500'000), number(3, 7'000), backend);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "bench_updates: " << error.what() << "\nusage: bench_updates [WORKLOAD [SUBSCRIPTIONS [ADDED]]]\n";
        return 1;
    }
}
