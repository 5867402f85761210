// The benchmark's workloads: the CUDA backend finds the same matches as the CPU.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/bench/matcher_workload.hpp"
#include "tests/cuda/on_device.hpp"

namespace sluice::bench {

namespace {

Tally tally(const Workload& workload, engine::Backend backend, std::size_t batch_size) {
    engine::EngineOptions options;
    options.backend = backend;
    options.device_rows_min = 1;
    const auto set = engine::make_subscription_set(options);
    std::vector<std::uint32_t> number_of_slot;
    for (std::uint32_t i = 0; i < workload.subscriptions(); ++i) {
        const engine::SubscriptionId id = set->add(workload.filter(i));
        number_of_slot.resize(std::max<std::size_t>(number_of_slot.size(), id.slot + 1));
        number_of_slot[id.slot] = i;
    }
    const auto program = set->compile();
    Tally sum;
    std::vector<engine::Match> matches;
    for (std::size_t first = 0; first < workload.events(); first += batch_size) {
        const std::size_t count = std::min(batch_size, workload.events() - first);
        matches.clear();
        program->match(workload.batch(first, count, *program->attributes()), matches);
        sum.count(matches, number_of_slot, first);
    }
    CHECK(set->status().faults.empty());
    return sum;
}

}  // namespace

TEST_CASE("workloads: cuda's checksums are cpu's, in batches of any size", "[cuda]") {
    if (!testing::has_device()) return;
    for (const char* name : {"W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8"}) {
        INFO(name);
        const Workload workload = generate(name, 20'000, 1000);
        const Tally cpu = tally(workload, engine::Backend::cpu, 1000);
        for (const std::size_t batch_size : {1u, 32u, 1000u})
            CHECK(tally(workload, engine::Backend::cuda, batch_size) == cpu);
    }
}

}  // namespace sluice::bench
