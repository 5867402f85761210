#include "broker/base/memory_keeper.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <new>

#include "tests/support/eventually.hpp"

using namespace sluice;
using namespace sluice::base;

TEST_CASE("what nobody charged for is overhead, smoothed and never negative", "[memory]") {
    OverheadEstimate estimate;
    CHECK(estimate.update(1000, 200) == 800);
    CHECK(estimate.update(600, 200) == 600);
    CHECK(estimate.update(100, 200) == 300);
    for (int i = 0; i < 20; ++i) estimate.update(0, 200);
    CHECK(estimate.update(0, 200) == 0);
}

TEST_CASE("IdleOverhead: measurements of a busy broker do not count, and of an idle one the least", "[memory]") {
    IdleOverhead idle;
    CHECK(idle.update(1'000, 5, 10) == 1'000);
    CHECK(idle.update(2'000, 5, 10) == 1'500);
    CHECK(idle.update(900, 10, 10) == 900);
    for (int i = 0; i < 100; ++i) CHECK(idle.update(50'000, 11, 10) == 900);
    for (int i = 0; i < 7; ++i) CHECK(idle.update(100, 0, 10) == 900);  // what was charged may distort it
    CHECK(idle.update(1'700, 0, 10) == 1'100);                          // a quarter, since it is the fourth measurement
    for (int i = 0; i < 10'000; ++i) idle.update(1'700, 0, 10);
    CHECK(idle.update(1'700, 0, 10) > 1'600 / 2);
    CHECK(idle.update(300, 0, 10) == 300);
}

TEST_CASE("a keeper measures at once", "[memory]") {
    MemoryBudget budget(std::size_t{1} << 40);
    const MemoryKeeper keeper(budget, [] {});
    CHECK(budget.used(MemoryUse::overhead) > 0);
    CHECK(budget.idle_overhead() > 0);
}

TEST_CASE("a keeper asks for relief when something was refused, and survives what comes of it", "[memory]") {
    MemoryBudget budget(1);
    std::atomic<int> calls = 0;
    const MemoryKeeper keeper(budget, [&] {
        ++calls;
        throw std::bad_alloc();
    });
    CHECK_FALSE(budget.charge(MemoryUse::bodies, 1));
    EVENTUALLY(calls >= 2);
}
