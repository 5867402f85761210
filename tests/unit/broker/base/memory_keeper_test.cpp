#include "broker/base/memory_keeper.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <new>

#include "tests/support/eventually.hpp"

using namespace sluice;
using namespace sluice::base;

TEST_CASE("what nobody charged for is overhead, smoothed and never negative", "[memory]") {
    OverheadEstimate estimate;
    CHECK(estimate.update(1000, 200) == 400);
    CHECK(estimate.update(1000, 200) == 600);
    CHECK(estimate.update(100, 200) == 300);
    for (int i = 0; i < 20; ++i) estimate.update(0, 200);
    CHECK(estimate.update(0, 200) == 0);
}

TEST_CASE("a keeper measures at once", "[memory]") {
    MemoryBudget budget(std::size_t{1} << 40);
    const MemoryKeeper keeper(budget, [] {});
    CHECK(budget.used(MemoryUse::overhead) > 0);
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
