#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"

using namespace sluice::base;

namespace {

constexpr std::size_t bytes_max = 64u << 20, large = 1u << 20;

// Takes all that there is for documents.
MemoryCharge fill(MemoryBudget& budget) {
    return budget.force_charge(MemoryUse::documents, budget.ceiling(MemoryUse::documents));
}

}  // namespace

TEST_CASE("a watch is called once, when there is room for all of what was refused", "[memory]") {
    MemoryBudget budget(bytes_max);
    MemoryCharge others = fill(budget);
    int calls = 0;
    const RoomWatch watch(budget, MemoryUse::documents, large, [&] {
        CHECK(budget.has_room(MemoryUse::documents, large));
        ++calls;
    });
    others.force_resize(others.bytes() - large + 1);
    CHECK(calls == 0);
    others.force_resize(others.bytes() - 1);
    CHECK(calls == 1);
    others.release();
    CHECK(calls == 1);
}

TEST_CASE("a watch is called at once if there is room, or if nobody is to wait any more", "[memory]") {
    MemoryBudget budget(bytes_max);
    int calls = 0;
    const auto count = [&] { ++calls; };
    const RoomWatch with_room(budget, MemoryUse::documents, large, count);
    CHECK(calls == 1);
    const MemoryCharge others = fill(budget);
    const RoomWatch waits(budget, MemoryUse::documents, large, count);
    CHECK(calls == 1);
    budget.end_watches();
    CHECK(calls == 2);
    const RoomWatch late(budget, MemoryUse::documents, large, count);
    CHECK(calls == 3);
}

TEST_CASE("a watch is called when the overhead shrinks", "[memory]") {
    MemoryBudget budget(bytes_max);
    budget.set_overhead(bytes_max);
    int calls = 0;
    const RoomWatch watch(budget, MemoryUse::documents, large, [&] { ++calls; });
    budget.set_overhead(budget.ceiling(MemoryUse::documents) - large + 1);
    CHECK(calls == 0);
    budget.set_overhead(budget.ceiling(MemoryUse::documents) - large);
    CHECK(calls == 1);
}

TEST_CASE("of several watches those are called for which there is room, and none that has gone", "[memory]") {
    MemoryBudget budget(bytes_max);
    MemoryCharge others = fill(budget);
    int of_small = 0, of_large = 0, of_gone = 0;
    const RoomWatch wants_much(budget, MemoryUse::documents, 2 * large, [&] { ++of_large; });
    const RoomWatch wants_little(budget, MemoryUse::documents, large, [&] { ++of_small; });
    {
        const RoomWatch gone(budget, MemoryUse::documents, large, [&] { ++of_gone; });
    }
    others.force_resize(others.bytes() - large);
    CHECK(of_small == 1);
    CHECK(of_large == 0);
    others.force_resize(others.bytes() - large);
    CHECK(of_large == 1);
    CHECK(of_gone == 0);
}

TEST_CASE("what can never fit is not waited for in vain: it is called when nothing is used", "[memory]") {
    MemoryBudget budget(bytes_max);
    MemoryCharge others = fill(budget);
    int calls = 0;
    const RoomWatch watch(budget, MemoryUse::documents, 2 * bytes_max, [&] { ++calls; });
    others.force_resize(1);
    CHECK(calls == 0);
    others.release();
    CHECK(calls == 1);
}

TEST_CASE("no room that other threads make is missed", "[memory]") {
    MemoryBudget budget(bytes_max);
    constexpr int rounds = 2'000;
    std::atomic<int> round{0};
    std::vector<MemoryCharge> charges(rounds);
    std::thread releasing([&] {
        for (int i = 0; i < rounds; ++i) {
            while (round.load() <= i) std::this_thread::yield();
            charges[static_cast<std::size_t>(i)].release();
        }
    });
    for (int i = 0; i < rounds; ++i) {
        charges[static_cast<std::size_t>(i)] = fill(budget);
        std::atomic<bool> called{false};
        round = i + 1;
        const RoomWatch watch(budget, MemoryUse::documents, large, [&] { called = true; });
        while (!called) std::this_thread::yield();
    }
    releasing.join();
    CHECK(budget.used() == 0);
}
