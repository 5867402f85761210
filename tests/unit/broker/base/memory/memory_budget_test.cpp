#include "broker/base/memory/memory_budget.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

using namespace sluice;
using namespace sluice::base;

TEST_CASE("a budget gives what it has and no more", "[memory]") {
    MemoryBudget budget(100);
    MemoryCharge first = budget.charge(MemoryUse::evaluation, 60);
    REQUIRE(first);
    CHECK_FALSE(budget.charge(MemoryUse::mailboxes, 41));
    CHECK(budget.refusals() == 1);
    const MemoryCharge second = budget.charge(MemoryUse::mailboxes, 40);
    REQUIRE(second);
    CHECK(budget.used() == 100);
    CHECK(budget.used(MemoryUse::evaluation) == 60);
    CHECK_FALSE(first.resize(61));
    CHECK(first.bytes() == 60);
    CHECK(first.resize(10));
    CHECK(budget.used() == 50);
    CHECK(first.resize(60));
    first.release();
    CHECK_FALSE(first);
    CHECK(budget.used() == 40);
}

TEST_CASE("a charge is given back once, whoever holds it in the end", "[memory]") {
    MemoryBudget budget(100);
    {
        MemoryCharge a = budget.charge(MemoryUse::documents, 30);
        MemoryCharge b = std::move(a);
        MemoryCharge c;
        c = std::move(b);
        CHECK(budget.used() == 30);
        c = budget.charge(MemoryUse::documents, 20);
        CHECK(c.bytes() == 20);
    }
    CHECK(budget.used() == 0);
    CHECK(budget.used(MemoryUse::documents) == 0);
}

TEST_CASE("a request for more than there can be is refused, however large", "[memory]") {
    MemoryBudget budget(100);
    const MemoryCharge held = budget.charge(MemoryUse::mailboxes, 100);
    CHECK_FALSE(budget.charge(MemoryUse::mailboxes, ~std::size_t{0}));
    CHECK_FALSE(budget.charge(MemoryUse::mailboxes, 1));
    CHECK(budget.charge(MemoryUse::mailboxes, 0));
}

TEST_CASE("overhead takes from what can be charged, and may exceed the bound", "[memory]") {
    MemoryBudget budget(100);
    budget.set_overhead(150);
    CHECK(budget.used() == 150);
    CHECK_FALSE(budget.charge(MemoryUse::mailboxes, 1));
    budget.set_overhead(50);
    CHECK(budget.charge(MemoryUse::mailboxes, 50));
    budget.set_overhead(0);
    CHECK(budget.used() == 0);
}

TEST_CASE("what comes in leaves room for what goes out", "[memory]") {
    MemoryBudget budget(800);
    CHECK_FALSE(budget.charge(MemoryUse::bodies, 601));
    const MemoryCharge body = budget.charge(MemoryUse::bodies, 600);
    REQUIRE(body);
    CHECK_FALSE(budget.charge(MemoryUse::filters, 1));
    const MemoryCharge document = budget.charge(MemoryUse::documents, 100);
    REQUIRE(document);
    CHECK_FALSE(budget.charge(MemoryUse::documents, 1));
    CHECK(budget.charge(MemoryUse::mailboxes, 100));
    CHECK(budget.could_fit(MemoryUse::bodies, 600));
    CHECK_FALSE(budget.could_fit(MemoryUse::bodies, 601));
    budget.set_overhead(700);
    CHECK(budget.could_fit(MemoryUse::bodies, 600));  // later
    CHECK(budget.could_fit(MemoryUse::bodies, 400, 200));
    CHECK_FALSE(budget.could_fit(MemoryUse::bodies, 401, 200));
    budget.set_idle_overhead(100);
    CHECK(budget.could_fit(MemoryUse::bodies, 300, 200));
    CHECK_FALSE(budget.could_fit(MemoryUse::bodies, 301, 200));
    CHECK_FALSE(budget.could_fit(MemoryUse::bodies, 1, 600));
    budget.set_idle_overhead(700);
    CHECK_FALSE(budget.could_fit(MemoryUse::bodies, 1));
}

TEST_CASE("a little finds room when much does not", "[memory]") {
    MemoryBudget budget(64'000);
    const MemoryCharge much = budget.charge(MemoryUse::bodies, 48'000);
    REQUIRE(much);
    CHECK_FALSE(budget.charge(MemoryUse::bodies, 63));
    MemoryCharge little = budget.charge(MemoryUse::bodies, 62);
    REQUIRE(little);
    CHECK_FALSE(little.resize(63));
    std::vector<MemoryCharge> others;
    for (MemoryCharge charge; (charge = budget.charge(MemoryUse::bodies, 50));) others.push_back(std::move(charge));
    CHECK(others.size() == (4'000 - 62) / 50);
}

TEST_CASE("what was accepted is charged beyond the bound, and keeps others out", "[memory]") {
    MemoryBudget budget(100);
    MemoryCharge charge = budget.force_charge(MemoryUse::mailboxes, 150);
    CHECK(budget.used(MemoryUse::mailboxes) == 150);
    charge.force_resize(170);
    CHECK(budget.used() == 170);
    CHECK_FALSE(budget.charge(MemoryUse::connections, 1));
    charge.force_resize(10);
    CHECK(budget.charge(MemoryUse::connections, 1));
}

TEST_CASE("a charge of no budget grows uncounted", "[memory]") {
    MemoryCharge charge;
    CHECK(charge.resize(10));
    charge.force_resize(20);
    CHECK(charge.bytes() == 0);
    CHECK_FALSE(charge);
}

TEST_CASE("threads that charge and release never exceed the bound", "[memory]") {
    constexpr std::size_t bytes_max = 1000;
    MemoryBudget budget(bytes_max);
    std::atomic<bool> exceeded{false};
    std::vector<std::thread> threads;
    for (std::size_t t = 1; t <= 4; ++t) {
        threads.emplace_back([&, t] {
            for (std::size_t i = 0; i < 10'000; ++i) {
                MemoryCharge charge = budget.charge(MemoryUse::queues, 100 * t + i % 100);
                if (charge && !charge.resize(charge.bytes() + 50)) charge.release();
                if (budget.used() > bytes_max) exceeded = true;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK_FALSE(exceeded);
    CHECK(budget.used() == 0);
}

TEST_CASE("asking for room is no refusal", "[memory]") {
    MemoryBudget budget(100);
    const MemoryCharge held = budget.charge(MemoryUse::mailboxes, 60);
    CHECK(budget.has_room(MemoryUse::mailboxes, 40));
    CHECK_FALSE(budget.has_room(MemoryUse::mailboxes, 41));
    CHECK_FALSE(budget.has_room(MemoryUse::mailboxes, ~std::size_t{0}));
    CHECK(budget.has_room(MemoryUse::bodies, 15));
    CHECK_FALSE(budget.has_room(MemoryUse::bodies, 16));
    CHECK(budget.refusals() == 0);
    CHECK(budget.used() == 60);
}
