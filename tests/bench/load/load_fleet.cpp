#include "tests/bench/load/load_fleet.hpp"

#include <algorithm>
#include <future>
#include <stdexcept>

namespace sluice::load {

namespace {

// The i-th part of `all`, divided into `parts`.
std::size_t share(std::size_t all, std::size_t i, std::size_t parts) { return all * (i + 1) / parts - all * i / parts; }

void append(Latencies& all, const Latencies& more) {
    all.samples_us.insert(all.samples_us.end(), more.samples_us.begin(), more.samples_us.end());
}

// Times are of the whole process and of the broker's; the duration is the longest of all.
LoadResult join(const std::vector<LoadResult>& results) {
    LoadResult all;
    double matched = 0;
    for (const LoadResult& r : results) {
        matched += r.filters_per_event * static_cast<double>(r.events);
        all.seconds = std::max(all.seconds, r.seconds);
        all.broker_cpu_seconds = std::max(all.broker_cpu_seconds, r.broker_cpu_seconds);
        all.own_cpu_seconds = std::max(all.own_cpu_seconds, r.own_cpu_seconds);
        all.events += r.events;
        all.accepted += r.accepted;
        all.refused += r.refused;
        all.deliveries += r.deliveries;
        all.lost += r.lost;
        all.unexpected += r.unexpected;
        all.out_of_order += r.out_of_order;
        all.disconnected += r.disconnected;
        all.received_bytes += r.received_bytes;
        append(all.deliver, r.deliver);
        append(all.reply, r.reply);
    }
    all.filters_per_event = all.events == 0 ? 0 : matched / static_cast<double>(all.events);
    return all;
}

}  // namespace

LoadFleet::LoadFleet(const LoadOptions& options, std::size_t threads) {
    if (threads == 0 || threads > std::min(options.subscribers, options.publishers))
        throw std::runtime_error("each thread needs a subscriber and a publisher");
    std::vector<std::future<std::unique_ptr<LoadTest>>> starting;
    for (std::size_t i = 0; i < threads; ++i) {
        LoadOptions own = options;
        own.subscribers = share(options.subscribers, i, threads);
        own.filters = share(options.filters, i, threads);
        own.publishers = share(options.publishers, i, threads);
        own.seed += i;
        if (threads > 1) own.stream = "load-" + std::to_string(i);
        starting.push_back(std::async(std::launch::async, [own] { return std::make_unique<LoadTest>(own); }));
    }
    for (auto& test : starting) tests_.push_back(test.get());
}

LoadResult LoadFleet::run(double rate, double seconds) {
    std::vector<std::future<LoadResult>> running;
    const double own_rate = rate / static_cast<double>(tests_.size());
    for (const auto& test : tests_)
        running.push_back(
            std::async(std::launch::async, [&test, own_rate, seconds] { return test->run(own_rate, seconds); }));
    std::vector<LoadResult> results;
    for (auto& result : running) results.push_back(result.get());
    return join(results);
}

}  // namespace sluice::load
