// Work that is divided among threads, when threads can't be started, and when work or its observers throw.
#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "gpu/operators/alignment/scheme/scheme.hpp"
#include "gpu/operators/alignment/tiles.hpp"
#include "gpu/simd/on_threads.hpp"
#include "tests/support/failing_allocations.hpp"

using namespace sluice;
using testing::FailingAllocations;

namespace {

struct Given : std::runtime_error {
    Given() : std::runtime_error("given up") {}
};

}  // namespace

TEST_CASE("work is done by the threads that can be started", "[alloc]") {
    for (std::uint64_t n = 1; n < 20; ++n) {
        CAPTURE(n);
        std::atomic<int> next = 0, sum = 0;
        FailingAllocations::fail_here(n);
        std::size_t calls = 0;
        {
            const FailingAllocations::Here here;
            calls = simd::on_threads(8, [&](std::size_t) {
                for (int i = next++; i < 1000; i = next++) sum += i;
            });
        }
        FailingAllocations::stop();
        CHECK(sum == 499'500);
        CHECK(calls >= 1);
        CHECK(calls <= 8);
        CHECK((calls < 8) == (FailingAllocations::failed() > 0));
    }
}

TEST_CASE("an exception on any thread is thrown when all have ended") {
    for (std::size_t thrower = 0; thrower < 4; ++thrower) {
        std::atomic<int> ended = 0;
        CHECK_THROWS_AS(simd::on_threads(4,
                                         [&](std::size_t thread) {
                                             ++ended;
                                             if (thread == thrower) throw Given();
                                         }),
                        Given);
        CHECK(ended == 4);
    }
}

TEST_CASE("each task is run once, until the watcher stops them") {
    for (const std::size_t tasks : {0u, 1u, 100u}) {
        std::vector<std::atomic<int>> runs(tasks);
        const auto run = [&](std::size_t task, const std::atomic<bool>&) { ++runs[task]; };
        double share = -1;
        CHECK(simd::run_tasks(
            tasks, 4, [&](double now) { return (share = now) <= 1; }, run));
        CHECK(simd::run_tasks(tasks, 4, {}, run));
        for (const std::atomic<int>& each : runs) CHECK(each == 2);
        CHECK(share >= 0);
    }
    std::atomic<int> begun = 0, ended = 0;
    CHECK_FALSE(simd::run_tasks(
        100, 2, [&](double) { return begun < 2; },
        [&](std::size_t, const std::atomic<bool>& stop) {
            ++begun;
            while (!stop) std::this_thread::yield();
            ++ended;
        }));
    CHECK(ended == 2);
}

TEST_CASE("what watches or follows work on several threads may throw") {
    CHECK_THROWS_AS(simd::run_tasks(
                        100, 4, [](double) -> bool { throw Given(); }, [](std::size_t, const std::atomic<bool>&) {}),
                    Given);
    CHECK_THROWS_AS(simd::run_tasks(100, 4, {},
                                    [](std::size_t task, const std::atomic<bool>&) {
                                        if (task == 50) throw Given();
                                    }),
                    Given);

    const std::vector<alignment::Code> sequence(8000);  // enough for four threads
    const alignment::Scheme scheme = alignment::Scheme::dna();
    CHECK_THROWS_AS(alignment::align_tiles(scheme, alignment::Mode::global, sequence, sequence, false, 4,
                                           [](std::uint64_t) -> bool { throw Given(); }),
                    Given);
}
