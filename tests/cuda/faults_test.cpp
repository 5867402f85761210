// Device failures: every call that can fail is made to fail, with each kind of error. The answers stay the naive
// backend's, the faults are counted by name, and the device is used again when possible.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "gpu/device/arena.hpp"
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
         {std::pair("cudaStreamQuery", cudaErrorMemoryAllocation),
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
    const FaultPlan failing("cudaStreamQuery", cudaErrorIllegalAddress, 1);
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
        const FaultPlan failing("cudaStreamQuery", cudaErrorIllegalAddress, 1);
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
        // Two devices of one number share their context, and lose it together.
        if (error == cudaErrorIllegalAddress && options.devices[0] == options.devices[1]) continue;
        INFO(cudaGetErrorName(error));
        recoveries = 0;
        BothSets sets(options);
        for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
        for (int i = 0; i < 6; ++i) REQUIRE(sets.differences(random_events(random)) == 0);
        CHECK(sets.status().devices[0].batches >= 2);
        CHECK(sets.status().devices[1].batches >= 2);
        CHECK(sets.status().cpu_batches == 0);
        {
            const FaultPlan failing("cudaStreamQuery", error, 1);
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

TEST_CASE("no memory for another slot → threads share the slots that there are, on the device", "[cuda]") {
    if (!has_device()) return;
    Random random(9);
    BothSets sets(on_device());
    for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
    const auto events = random_events(random);
    for (int i = 0; i < 4; ++i) REQUIRE(sets.differences(events) == 0);  // makes a slot, and all that it needs
    const auto program = sets.compile();
    const Answers expected = answers(*program, events);
    const engine::EngineStatus before = sets.status();
    const FaultPlan failing({{"cudaMalloc", cudaErrorMemoryAllocation, FaultPlan::always},
                             {"cudaMallocHost", cudaErrorMemoryAllocation, FaultPlan::always}});
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 50; ++i) wrong += answers(*program, events) == expected ? 0 : 1;
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    const engine::EngineStatus after = sets.status();
    CHECK(after.devices[0].batches == before.devices[0].batches + 200);
    CHECK(after.cpu_batches == before.cpu_batches);
    CHECK(after.devices[0].state == "ready");
}

TEST_CASE("no memory for any slot → the CPU matches, and the device the next batch that finds memory", "[cuda]") {
    if (!has_device()) return;
    Random random(10);
    for (const char* const call : {"cudaMalloc", "cudaMallocHost"}) {
        INFO(call);
        BothSets sets(on_device());
        for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
        const auto program = sets.compile();  // makes the copies
        REQUIRE(sets.status().devices[0].segments > 0);
        {
            const FaultPlan failing(call, cudaErrorMemoryAllocation, FaultPlan::always);
            for (int i = 0; i < 3; ++i) REQUIRE(sets.differences(random_events(random)) == 0);
        }
        CHECK(sets.status().cpu_batches == 3);
        CHECK(count(sets.status(), "cudaErrorMemoryAllocation") == 3);
        CHECK(sets.status().devices[0].state == "ready");
        REQUIRE(sets.differences(random_events(random)) == 0);
        CHECK(sets.status().devices[0].batches == 1);
    }
}

TEST_CASE("copies leave memory for a slot", "[cuda]") {
    if (!has_device()) return;
    Random random(11);
    std::size_t available = 0, total = 0;
    BothSets sets(on_device());
    {
        const cuda::Stream stream;  // so that the context's own memory is not counted as available
        cuda::check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
        const std::size_t head_room = std::min(cuda::MemoryPool::head_room_max, total / 16);
        REQUIRE(available > 2 * head_room);
        const cuda::DeviceBuffer<char> filler(available - head_room / 2);
        for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
        REQUIRE(sets.differences(random_events(random)) == 0);
        CHECK(sets.status().devices[0].segments == 0);
        CHECK(count(sets.status(), "cudaErrorMemoryAllocation") >= 1);
        CHECK(sets.status().devices[0].state.starts_with("ready, but has no room for"));
    }
    CHECK(match_until_device_does(sets, random));
}

namespace {

std::atomic<int> allocations_to_fail = 0;

cudaError_t fail_on_host(cudaError_t code, const char* what) {
    if (std::strcmp(what, "cudaStreamQuery") == 0 && allocations_to_fail.exchange(0) > 0) throw std::bad_alloc();
    return code;
}

}  // namespace

TEST_CASE("no memory on the host during a batch → the CPU matches it, and no fault is counted", "[cuda]") {
    if (!has_device()) return;
    Random random(12);
    BothSets sets(on_device());
    for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
    REQUIRE(sets.differences(random_events(random)) == 0);
    cuda::fault_hook = fail_on_host;
    allocations_to_fail = 1;
    CHECK(sets.differences(random_events(random)) == 0);
    cuda::fault_hook = nullptr;
    CHECK(allocations_to_fail == 0);
    CHECK(sets.status().rematched_batches == 1);
    CHECK(sets.status().faults.empty());
    REQUIRE(sets.differences(random_events(random)) == 0);
    CHECK(sets.status().devices[0].batches == 2);
}

TEST_CASE("functions for faults and recoveries that throw → the engine continues", "[cuda]") {
    if (!has_device()) return;
    Random random(13);
    engine::EngineOptions options = on_device();
    std::atomic<int> calls = 0;
    options.on_fault = [&calls](const std::string&) {
        ++calls;
        throw std::runtime_error("a full disk");
    };
    options.on_recovery = options.on_fault;
    BothSets sets(options);
    for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
    REQUIRE(sets.differences(random_events(random)) == 0);
    {
        const FaultPlan failing("cudaStreamQuery", cudaErrorIllegalAddress, 1);
        REQUIRE(sets.differences(random_events(random)) == 0);
    }
    CHECK(match_until_device_does(sets, random));
    CHECK(calls == 2);
}

TEST_CASE("an error that has corrupted the context under another name → the device is lost", "[cuda]") {
    if (!has_device()) return;
    Random random(14);
    std::atomic<int> recoveries = 0;
    engine::EngineOptions options = on_device();
    options.on_recovery = [&recoveries](const std::string&) { ++recoveries; };
    BothSets sets(options);
    for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
    REQUIRE(sets.differences(random_events(random)) == 0);
    {
        const FaultPlan failing({{"cudaStreamQuery", cudaErrorUnknown, 1}, {"context", cudaErrorIllegalAddress, 1}});
        REQUIRE(sets.differences(random_events(random)) == 0);
        CHECK(failing.done());
    }
    CHECK(match_until_device_does(sets, random));
    CHECK(recoveries == 1);
}

TEST_CASE("two sets on one device: a loss that one meets makes the other one release the device, too", "[cuda]") {
    if (!has_device()) return;
    Random random(15);
    std::atomic<int> idle_recoveries = 0;
    engine::EngineOptions options = on_device();
    BothSets busy(options);
    options.on_recovery = [&idle_recoveries](const std::string&) { ++idle_recoveries; };
    BothSets idle(options);
    for (BothSets* const sets : {&busy, &idle}) {
        for (int i = 0; i < 500; ++i) sets->add(random_filter({}, random));
        REQUIRE(sets->differences(random_events(random)) == 0);
    }
    {
        const FaultPlan failing("cudaStreamQuery", cudaErrorIllegalAddress, 1);
        REQUIRE(busy.differences(random_events(random)) == 0);
    }
    EVENTUALLY(idle_recoveries == 1);
    CHECK(match_until_device_does(busy, random));
    CHECK(match_until_device_does(idle, random));
    CHECK(idle.status().faults.empty());
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
