// Device failures: every call that can fail is made to fail, with each kind of error. The answers stay the naive
// backend's, the faults are counted by name, and the device is used again when possible.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include "gpu/device/device.hpp"
#include "tests/cuda/fault_plan.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/differential/matcher_random.hpp"
#include "tests/support/eventually.hpp"

namespace sluice::test {

using testing::Deadline;
using testing::FaultPlan;
using testing::has_device;

namespace {

engine::EngineOptions on_device(std::vector<std::string>* told = nullptr) {
    engine::EngineOptions options(engine::Backend::cuda);
    options.device_rows_min = 1;
    if (told != nullptr)
        options.on_fault = [told](const std::string& failure) {
            static std::mutex mutex;
            const std::lock_guard lock(mutex);
            told->push_back(failure);
        };
    return options;
}

std::vector<RandomEvent> random_events(Random& random) {
    std::vector<RandomEvent> events(40);
    for (RandomEvent& event : events) event = random_event({}, random);
    return events;
}

constexpr std::chrono::seconds patience{60};

// Matches, always with the right answers, until the device has matched another batch.
bool match_until_device_does(BothSets& sets, Random& random) {
    const std::uint64_t batches = sets.status().devices[0].batches;
    for (const Deadline deadline(patience); !deadline.passed();) {
        REQUIRE(sets.differences(random_events(random)) == 0);
        if (sets.status().devices[0].batches > batches) return true;
    }
    return false;
}

std::uint64_t count(const engine::EngineStatus& status, const std::string& name) {
    const auto at = status.faults.find(name);
    return at == status.faults.end() ? 0 : at->second;
}

}  // namespace

TEST_CASE("without a device, and without a driver, the CPU answers", "[cuda]") {
    if (cuda::device_count() > 0) return;
    std::vector<std::string> told;
    BothSets sets(on_device(&told));
    Random random(1);
    for (int i = 0; i < 100; ++i) sets.add(random_filter({}, random));
    REQUIRE(sets.differences(random_events(random)) == 0);
    const engine::EngineStatus status = sets.status();
    REQUIRE(status.faults.size() == 1);
    CHECK(status.cpu_batches == 1);
    CHECK(status.rematched_batches == 0);
    CHECK(status.reason.starts_with("the CPU matches: cudaGetDeviceCount: cuda"));
    CHECK(told.size() >= 1);
}

TEST_CASE("a device that fails at start is tried again", "[cuda]") {
    BothSets sets(on_device());
    Random random(2);
    const bool there = cuda::device_count() > 0;
    for (const auto& [call, error, name] :
         {std::tuple("cudaGetDeviceCount", cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver"),
          std::tuple("cudaGetDeviceCount", cudaErrorNoDevice, "cudaErrorNoDevice"),
          std::tuple("cudaMallocHost", cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation")}) {
        if (!there && std::strcmp(call, "cudaMallocHost") == 0) continue;
        INFO(name);
        BothSets fresh(on_device());
        {
            const FaultPlan failing(call, error, 1);
            for (int i = 0; i < 100; ++i) fresh.add(random_filter({}, random));
            REQUIRE(fresh.differences(random_events(random)) == 0);
            CHECK(count(fresh.status(), name) == 1);
            CHECK(fresh.status().cpu_batches == 1);
        }
        if (!there) continue;
        // The background thread retries without any change of the set.
        EVENTUALLY(fresh.status().devices[0].segments > 0);
        REQUIRE(fresh.differences(random_events(random)) == 0);
        CHECK(fresh.status().devices[0].batches >= 1);
        CHECK(fresh.status().devices[0].state == "ready");
    }
}

TEST_CASE("a device that fails in a batch: the CPU matches it anew, and the device the next ones", "[cuda]") {
    if (!has_device()) return;
    Random random(3);
    std::vector<std::string> told;
    BothSets sets(on_device(&told));
    for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
    REQUIRE(sets.differences(random_events(random)) == 0);
    std::uint64_t rematched = 0;
    for (const auto& [call, error] :
         {std::pair("cudaStreamSynchronize", cudaErrorMemoryAllocation),
          std::pair("access_kernel", cudaErrorLaunchOutOfResources), std::pair("copy to device", cudaErrorUnknown)}) {
        INFO(call);
        {
            const FaultPlan failing(call, error, 1);
            for (int i = 0; i < 3 && !failing.done(); ++i) REQUIRE(sets.differences(random_events(random)) == 0);
            if (!failing.done()) continue;  // a batch this small is not copied
        }
        const engine::EngineStatus status = sets.status();
        CHECK(status.rematched_batches == ++rematched);
        CHECK(count(status, cudaGetErrorName(error)) == 1);
        CHECK(told.size() == rematched);
        CHECK_THAT(status.devices[0].last_fault, Catch::Contains(cudaGetErrorName(error)));
        CHECK(match_until_device_does(sets, random));
        CHECK(sets.status().devices[0].state == "ready");
    }
    CHECK(rematched >= 2);
}

TEST_CASE("a lost device: batches of several threads are matched on the CPU until it is revived", "[cuda]") {
    if (!has_device()) return;
    Random random(4);
    BothSets sets(on_device());
    for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
    const auto events = random_events(random);
    const auto program = sets.compile();
    const Answers expected = answers(*program, events);
    const FaultPlan failing("cudaStreamSynchronize", cudaErrorIllegalAddress, 1);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) wrong += answers(*program, events) == expected ? 0 : 1;
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(count(sets.status(), "cudaErrorIllegalAddress") == 1);
    CHECK(match_until_device_does(sets, random));
    CHECK(sets.status().devices[0].state == "ready");
}

TEST_CASE("a lost device that cannot be revived is tried again", "[cuda]") {
    if (!has_device()) return;
    Random random(5);
    BothSets sets(on_device());
    for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
    const auto events = random_events(random);
    REQUIRE(sets.differences(events) == 0);
    {
        const FaultPlan failing("cudaStreamSynchronize", cudaErrorIllegalAddress, 1);
        REQUIRE(sets.differences(events) == 0);
    }
    const FaultPlan failing("probe", cudaErrorLaunchFailure, 2);  // of the old context, and of the new one
    for (const Deadline deadline(patience);
         count(sets.status(), "cudaErrorLaunchFailure") == 0 && !deadline.passed();) {
        REQUIRE(sets.status().devices[0].state != "ready");
        REQUIRE(sets.differences(events) == 0);
    }
    CHECK(count(sets.status(), "cudaErrorLaunchFailure") >= 1);
    CHECK(sets.status().reason.find("cudaErrorLaunchFailure") != std::string::npos);
    CHECK(match_until_device_does(sets, random));
}

TEST_CASE("two devices take turns, and where one fails the other has its batches", "[cuda]") {
    if (!has_device()) return;
    Random random(7);
    engine::EngineOptions options = on_device();
    options.devices = testing::two_devices();
    std::atomic<int> recoveries = 0;
    options.on_recovery = [&recoveries](const std::string&) { ++recoveries; };
    for (const cudaError_t error : {cudaErrorIllegalAddress, cudaErrorUnknown}) {
        INFO(cudaGetErrorName(error));
        recoveries = 0;
        BothSets sets(options);
        for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
        for (int i = 0; i < 6; ++i) REQUIRE(sets.differences(random_events(random)) == 0);
        CHECK(sets.status().devices[0].batches >= 2);
        CHECK(sets.status().devices[1].batches >= 2);
        CHECK(sets.status().cpu_batches == 0);
        {
            const FaultPlan failing("cudaStreamSynchronize", error, 1);
            REQUIRE(sets.differences(random_events(random)) == 0);
        }
        const auto is_ready = [&](std::size_t device) { return sets.status().devices[device].state == "ready"; };
        EVENTUALLY(is_ready(0) != is_ready(1) || recoveries > 0);
        for (int i = 0; i < 30; ++i) REQUIRE(sets.differences(random_events(random)) == 0);
        CHECK(sets.status().cpu_batches == 1);  // the batch that had failed
        CHECK(sets.status().rematched_batches == 1);
    }
}

TEST_CASE("what is too large for the memory that is left does not keep out what is smaller", "[cuda]") {
    if (!has_device()) return;
    Random random(8);
    engine::EngineOptions options = on_device();
    options.device_bytes_max = 1u << 18;
    BothSets sets(options);
    for (int i = 0; i < 20'000; ++i)
        sets.add({{{{"a", engine::Operator::number_equal, {}, static_cast<double>(i)}, false}}});
    REQUIRE(sets.differences(random_events(random)) == 0);
    CHECK(sets.status().devices[0].segments == 0);
    CHECK(sets.status().devices[0].state == "ready, but has no room for 1 segment");
    for (int i = 0; i < 20; ++i) sets.add(random_filter({}, random));
    REQUIRE(sets.differences(random_events(random)) == 0);
    CHECK(sets.status().devices[0].segments == 1);
    CHECK(sets.status().devices[0].batches == 1);
}

TEST_CASE("a limit of memory: what does not fit stays with the CPU", "[cuda]") {
    if (!has_device()) return;
    Random random(5);
    engine::EngineOptions options = on_device();
    options.device_bytes_max = 1000;
    BothSets sets(options);
    for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
    REQUIRE(sets.differences(random_events(random)) == 0);
    CHECK(count(sets.status(), "cudaErrorMemoryAllocation") >= 1);
    CHECK(sets.status().devices[0].batches == 0);
    CHECK(sets.status().devices[0].bytes == 0);
}

TEST_CASE("auto gives the same answers wherever it matches, and says why", "[cuda]") {
    Random random(6);
    engine::EngineOptions options = on_device();
    options.backend = engine::Backend::automatic;
    BothSets sets(options);
    for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
    for (int i = 0; i < 30; ++i) REQUIRE(sets.differences(random_events(random)) == 0);
    if (cuda::device_count() == 0) return;
    const auto both = [&] { return sets.status().cpu_batches >= 1 && sets.status().devices[0].batches >= 1; };
    for (const Deadline deadline(patience); !both() && !deadline.passed();)
        REQUIRE(sets.differences(random_events(random)) == 0);
    CHECK(both());
    CHECK(sets.status().reason.starts_with("2^5 events"));
}

}  // namespace sluice::test
