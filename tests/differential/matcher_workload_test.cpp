// The benchmark's workloads, scaled down: they have the described properties, and both backends find the same matches.
#include "tests/bench/matcher_workload.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <unistd.h>

namespace sluice::bench {

namespace {

Tally tally(const Workload& workload, engine::Backend backend, std::size_t batch_size) {
    const auto set = engine::make_subscription_set(backend);
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
    return sum;
}

}  // namespace

TEST_CASE("workloads: cpu's checksums are naive's, in batches of any size") {
    for (const char* name : {"W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8"}) {
        INFO(name);
        const Workload workload = generate(name, 2000, 200);
        const Tally naive = tally(workload, engine::Backend::naive, 200);
        for (const std::size_t batch_size : {1u, 32u, 200u})
            CHECK(tally(workload, engine::Backend::cpu, batch_size) == naive);
        const std::string which = name;
        if (which == "W1" || which == "W2" || which == "W6") CHECK(naive.matches > 0);
    }
}

// The counts come from another program on the same files.
TEST_CASE("workloads: as many matches as the reference") {
    const std::pair<const char*, std::size_t> reference[] = {{"W1", 9902}, {"W2", 65}, {"W3", 7},
                                                             {"W4", 0},    {"W5", 0},  {"W6", 5137}};
    for (const auto& [name, matches] : reference) {
        INFO(name);
        CHECK(tally(generate(name, 10'000, 1000), engine::Backend::cpu, 1000).matches == matches);
    }
}

TEST_CASE("workloads: files hold what was written") {
    const auto prefix = std::filesystem::temp_directory_path() / ("workload" + std::to_string(::getpid()));
    for (const char* name : {"W5", "W6"}) {
        const Workload workload = generate(name, 500, 50);
        write_files(workload, prefix);
        CHECK(tally(read_files(prefix), engine::Backend::cpu, 32) == tally(workload, engine::Backend::cpu, 32));
    }
    for (const char* end : {".subs", ".events"}) std::filesystem::remove(prefix.string() + end);
    CHECK_THROWS_WITH(read_files(prefix), Catch::Contains(prefix.string() + ".subs"));
}

}  // namespace sluice::bench
