// A device whose context a kernel has spoiled for good: batches go to the CPU, then the engine gives the device a new
// context and all copies anew, and it matches again. A program of its own, since a context belongs to the process.
#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gpu/cuda/context.hpp"
#include "gpu/cuda/device.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/cuda/spoil_context.hpp"
#include "tests/differential/matcher_random.hpp"

namespace sluice::test {

namespace {

struct Told {
    std::atomic<int> faults = 0, recoveries = 0;
};

EngineOptions on_device(Told& told) {
    EngineOptions options(Backend::cuda);
    options.device_rows_min = 1;
    options.on_fault = [&told](const std::string&) { ++told.faults; };
    options.on_recovery = [&told](const std::string&) { ++told.recoveries; };
    return options;
}

std::vector<RandomEvent> random_events(Random& random) {
    std::vector<RandomEvent> events(40);
    for (RandomEvent& event : events) event = random_event({}, random);
    return events;
}

// Matches until the device does so again, all the while with the right answers.
void match_until_ready(BothSets& sets, Random& random) {
    const std::uint64_t batches = sets.status().devices[0].batches;
    while (sets.status().devices[0].batches == batches) REQUIRE(sets.differences(random_events(random)) == 0);
    CHECK(sets.status().devices[0].state == "ready");
}

}  // namespace

TEST_CASE("what lives in a context is counted", "[cuda]") {
    if (!testing::has_device()) return;
    const std::size_t before = cuda::residents(0);
    {
        cuda::Stream stream;
        const cuda::DeviceBuffer<int> buffer(10), none;
        CHECK(cuda::residents(0) == before + 2);
        const cuda::Stream moved = std::move(stream);
        CHECK(cuda::residents(0) == before + 2);
    }
    CHECK(cuda::residents(0) == before);
}

TEST_CASE("a spoiled context is renewed, but not while somebody lives in it", "[cuda]") {
    if (!testing::has_device()) return;
    REQUIRE(cuda::residents(0) == 0);
    {
        const cuda::DeviceBuffer<int> mine(1);
        REQUIRE(testing::spoil_context() == cudaErrorIllegalAddress);
        CHECK_THROWS_AS(cuda::DeviceBuffer<int>(1), cuda::CudaError);
        CHECK_THROWS_WITH(cuda::renew_context(0), Catch::Contains("1 objects still in the old one"));
    }
    cuda::renew_context(0);
    const std::vector<int> sent{1, 2, 3};
    const auto there = cuda::to_device(std::span<const int>(sent));
    std::vector<int> received(3);
    const cuda::Stream stream;
    cuda::copy_to_host(std::span(received), there.data(), stream);
    stream.wait();
    CHECK(received == sent);
    cuda::renew_context(0);  // nothing to do
    CHECK(cuda::residents(0) == 2);
}

TEST_CASE("a set comes back to a device that was lost, as often as that happens", "[cuda]") {
    if (!testing::has_device()) return;
    REQUIRE(cuda::residents(0) == 0);
    Random random(1);
    Told told;
    BothSets sets(on_device(told));
    for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
    REQUIRE(sets.differences(random_events(random)) == 0);
    for (int loss = 1; loss <= 2; ++loss) {
        REQUIRE(testing::spoil_context() == cudaErrorIllegalAddress);
        cudaGetLastError();
        REQUIRE(sets.differences(random_events(random)) == 0);
        CHECK(sets.status().devices[0].state != "ready");
        CHECK(sets.status().rematched_batches >= 1);
        match_until_ready(sets, random);
        CHECK(told.recoveries == loss);
    }
    CHECK(told.faults >= 2);
    CHECK(sets.status().faults.at("cudaErrorIllegalAddress") >= 2);
    for (int i = 0; i < 3000; ++i) sets.add(random_filter({}, random));
    for (int i = 0; i < 5; ++i) REQUIRE(sets.differences(random_events(random)) == 0);
}

TEST_CASE("a device is lost while several threads match and another one changes the set", "[cuda]") {
    if (!testing::has_device()) return;
    REQUIRE(cuda::residents(0) == 0);
    Random random(2);
    Told told;
    BothSets sets(on_device(told));
    for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
    const auto events = random_events(random);
    const auto program = sets.compile();
    const Answers expected = answers(*program, events);
    std::atomic<bool> done = false;
    std::atomic<int> wrong = 0, batches = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            while (!done) {
                wrong += answers(*program, events) == expected ? 0 : 1;
                ++batches;
            }
        });
    const auto change = [&] {
        for (int i = 0; i < 50; ++i) sets.add(random_filter({}, random));
        for (int i = 0; i < 40; ++i) sets.remove(random.below(sets.size()));
        REQUIRE(sets.differences(random_events(random)) == 0);
    };
    while (batches < 50) change();
    testing::spoil_context();
    while (told.recoveries == 0) change();
    match_until_ready(sets, random);
    done = true;
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}

}  // namespace sluice::test
