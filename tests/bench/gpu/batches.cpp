// bench_batches: the time of one batch from host memory to its results, on an idle device: its kernels launched one by
// one, as a graph, and with the kernels of several segments side by side. The median of many; the three alternate.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "gpu/cpu/segment/segment_builder.hpp"
#include "gpu/cuda/batch_slot.hpp"
#include "tests/bench/matcher_workload.hpp"

namespace sluice::bench {

namespace {

using Clock = std::chrono::steady_clock;

double microseconds(cuda::BatchSlot& slot, const engine::EventBatch& batch,
                    std::span<const cuda::SegmentTables* const> tables) {
    const auto start = Clock::now();
    slot.begin(batch, tables);
    slot.wait();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double median(std::vector<double>& times) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

// The workload's subscriptions, divided into this many segments.
void run(const std::string& name, std::size_t subscriptions, std::size_t segments) {
    const Workload workload = generate(name, subscriptions, 1024);
    engine::NameTable attributes, scanned;
    std::vector<std::shared_ptr<const cpu::Segment>> built;
    for (std::size_t s = 0; s < segments; ++s) {
        cpu::SegmentBuilder builder;
        for (std::size_t i = s; i < subscriptions; i += segments)
            builder.add({static_cast<std::uint32_t>(i), 0}, engine::normalise(workload.filter(i)), attributes, scanned);
        built.push_back(builder.build());
    }
    cuda::MemoryPool memory;
    cuda::Uploader uploader;
    std::vector<std::unique_ptr<cuda::SegmentTables>> copies;
    std::vector<const cuda::SegmentTables*> tables;
    bool scans = false;
    for (const auto& segment : built) {
        copies.push_back(std::make_unique<cuda::SegmentTables>(*segment, memory, uploader));
        tables.push_back(copies.back().get());
        scans |= !tables.back()->clusters.empty();
    }
    using Launch = cuda::BatchSlot::Launch;
    cuda::BatchSlot one_by_one(Launch::one_by_one), as_graph(Launch::graph), side_by_side(Launch::side_by_side);
    constexpr int warm_up = 20, samples = 301;
    for (const std::size_t events : {1u, 8u, 32u, 64u, 128u, 1024u}) {
        const engine::EventBatch batch = workload.batch(0, events, *attributes.snapshot());
        std::vector<double> singly, joined, beside;
        for (int i = -warm_up; i < samples; ++i) {
            const double a = microseconds(one_by_one, batch, tables), b = microseconds(as_graph, batch, tables),
                         c = microseconds(side_by_side, batch, tables);
            if (i < 0) continue;
            singly.push_back(a);
            joined.push_back(b);
            beside.push_back(c);
        }
        std::printf(
            "{\"workload\": \"%s\", \"subscriptions\": %zu, \"segments\": %zu, \"scanned_rows\": %s, \"events\": %zu, "
            "\"one_by_one_us\": %.1f, \"graph_us\": %.1f, \"side_by_side_us\": %.1f}\n",
            name.c_str(), subscriptions, segments, scans ? "true" : "false", events, median(singly), median(joined),
            median(beside));
        std::fflush(stdout);
    }
}

}  // namespace

}  // namespace sluice::bench

int main(int argc, char** argv) {
    try {
        const std::size_t subscriptions = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200'000;
        for (const char* name : {"W3", "W5"}) {
            for (const std::size_t segments : {1u, 3u, 6u}) sluice::bench::run(name, subscriptions, segments);
        }
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "bench_batches: " << error.what() << '\n';
        return 1;
    }
}
