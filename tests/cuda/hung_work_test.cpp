// Work on a device that does not end: no thread waits for it longer than the limit, nothing that it may use is freed,
// and the device is used again once it has ended. A program of its own, since the limit belongs to the process.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "gpu/device/abandoned_work.hpp"
#include "gpu/device/context.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/renewal.hpp"
#include "tests/cuda/fault_plan.hpp"
#include "tests/cuda/occupied_device.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/differential/matcher_random.hpp"
#include "tests/support/eventually.hpp"

namespace sluice::test {

using namespace std::chrono_literals;
using testing::FaultPlan;
using testing::has_device;
using testing::OccupiedDevice;

namespace {

class WaitLimit {
public:
    explicit WaitLimit(std::chrono::milliseconds limit) { cuda::wait_limit = limit; }
    WaitLimit(const WaitLimit&) = delete;
    ~WaitLimit() { cuda::wait_limit = before_; }

private:
    const std::chrono::milliseconds before_ = cuda::wait_limit;
};

engine::EngineOptions on_device(std::atomic<int>* recoveries = nullptr) {
    engine::EngineOptions options(engine::Backend::cuda);
    options.device_rows_min = 1;
    if (recoveries != nullptr) options.on_recovery = [recoveries](const std::string&) { ++*recoveries; };
    return options;
}

void add_filters(BothSets& sets, Random& random) {
    for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
}

std::vector<RandomEvent> random_events(std::size_t count, Random& random) {
    std::vector<RandomEvent> events(count);
    for (RandomEvent& event : events) event = random_event({}, random);
    return events;
}

std::uint64_t count(const engine::EngineStatus& status, const std::string& name) {
    const auto at = status.faults.find(name);
    return at == status.faults.end() ? 0 : at->second;
}

std::uint64_t timeouts(const BothSets& sets) { return count(sets.status(), "cudaErrorLaunchTimeout"); }

bool matches_on_device(BothSets& sets, const std::vector<RandomEvent>& events) {
    const std::uint64_t before = sets.status().devices[0].batches;
    REQUIRE(sets.differences(events) == 0);
    return sets.status().devices[0].batches > before;
}

// Matches the events until all that such a batch needs has been made: kernels are loaded, and memory is allocated, when
// first needed, and both would wait for an occupied device.
void warm_up(BothSets& sets, const std::vector<RandomEvent>& events) {
    for (int i = 0; i < 4; ++i) REQUIRE(matches_on_device(sets, events));
}

// Queries of work answer "not ready", also those of abandoned work.
std::vector<FaultPlan::Fault> hanging() {
    return {{"cudaStreamQuery", cudaErrorNotReady, FaultPlan::always},
            {"cudaEventQuery", cudaErrorNotReady, FaultPlan::always},
            {"abandoned work", cudaErrorNotReady, FaultPlan::always}};
}

}  // namespace

TEST_CASE("wait: work that hangs → an error after the limit, and its memory is kept until it ends", "[cuda]") {
    if (!has_device()) return;
    const WaitLimit limit(50ms);
    const cuda::LimitedWaits limited;
    const cuda::Stream stream;
    testing::enqueue_kernel(stream);  // loads it, which would wait for the occupied device
    stream.wait();
    std::optional<cuda::DeviceBuffer<int>> buffer(1000);
    std::optional<cuda::PinnedBuffer<int>> pinned(1000);
    OccupiedDevice occupied;
    const cuda::Event end;
    testing::enqueue_kernel(stream);
    end.record(stream);
    CHECK_THROWS_WITH(stream.wait(), Catch::Contains("work that hangs: cudaErrorLaunchTimeout"));
    CHECK_THROWS_WITH(cuda::wait_asleep(end, stream), Catch::Contains("a device that hangs"));
    CHECK_FALSE(cuda::drain(stream));
    CHECK(cuda::has_abandoned_work(0));
    buffer.reset();
    pinned.reset();
    CHECK_THROWS_WITH(cuda::DeviceBuffer<int>(1), Catch::Contains("a device that hangs"));
    CHECK_THROWS_WITH(cuda::renew_context(0), Catch::Contains("a device that hangs"));
    CHECK_FALSE(occupied.has_given_up());
    occupied.release();
    EVENTUALLY(!cuda::has_abandoned_work(0));
    CHECK(cuda::drain(stream));
    const cuda::DeviceBuffer<int> again(1);
}

TEST_CASE("wait: outside of LimitedWaits → no limit", "[cuda]") {
    if (!has_device()) return;
    const WaitLimit limit(10ms);
    const cuda::Stream stream;
    testing::enqueue_kernel(stream);
    stream.wait();
    OccupiedDevice occupied;
    testing::enqueue_kernel(stream);
    std::thread later([&] {
        std::this_thread::sleep_for(200ms);
        occupied.release();
    });
    CHECK_NOTHROW(stream.wait());
    later.join();
    CHECK_FALSE(cuda::has_abandoned_work(0));
}

TEST_CASE("a batch that hangs is matched on the CPU, and its device is used again when the work has ended", "[cuda]") {
    if (!has_device()) return;
    for (const std::size_t size : {std::size_t{40}, std::size_t{200}}) {  // for which a thread spins, and sleeps
        INFO(size);
        Random random(1);
        const auto events = random_events(size, random);
        std::atomic<int> recoveries = 0;
        BothSets sets(on_device(&recoveries));
        add_filters(sets, random);
        warm_up(sets, events);
        const WaitLimit limit(100ms);
        {
            OccupiedDevice occupied;
            REQUIRE(sets.differences(events) == 0);
            CHECK(sets.status().rematched_batches == 1);
            EVENTUALLY(timeouts(sets) >= 2);  // a revival has failed, too
            CHECK(sets.status().devices[0].state.starts_with("lost"));
            REQUIRE(sets.differences(events) == 0);
            CHECK(sets.status().rematched_batches == 1);
            CHECK(recoveries == 0);
            CHECK_FALSE(occupied.has_given_up());
        }
        EVENTUALLY(matches_on_device(sets, events));
        CHECK(recoveries == 1);
        CHECK_FALSE(cuda::has_abandoned_work(0));
    }
    CHECK(cuda::residents(0) == 0);
}

TEST_CASE("several threads whose batches hang: all are matched on the CPU", "[cuda]") {
    if (!has_device()) return;
    Random random(2);
    BothSets sets(on_device());
    add_filters(sets, random);
    const auto events = random_events(40, random);
    warm_up(sets, events);
    const auto program = sets.compile();
    const Answers expected = answers(*program, events);
    const WaitLimit limit(100ms);
    std::atomic<int> wrong = 0;
    {
        const FaultPlan plan(hanging());
        std::vector<std::thread> threads;
        for (int t = 0; t < 40; ++t)  // more than there are slots
            threads.emplace_back([&] {
                for (int i = 0; i < 3; ++i) wrong += answers(*program, events) == expected ? 0 : 1;
            });
        for (std::thread& thread : threads) thread.join();
        CHECK(timeouts(sets) >= 1);
        CHECK(sets.status().devices[0].state.starts_with("lost"));
    }
    CHECK(wrong == 0);
    EVENTUALLY(matches_on_device(sets, events));
}

TEST_CASE("a set whose batch hangs can be destroyed, and the next one uses the device when the work has ended",
          "[cuda]") {
    if (!has_device()) return;
    Random random(3);
    const WaitLimit limit(100ms);
    {
        std::optional<BothSets> sets(std::in_place, on_device());
        add_filters(*sets, random);
        const auto events = random_events(40, random);
        warm_up(*sets, events);
        OccupiedDevice occupied;
        REQUIRE(sets->differences(events) == 0);
        CHECK(sets->status().rematched_batches == 1);
        sets.reset();
        CHECK(cuda::has_abandoned_work(0));
        BothSets next(on_device());
        add_filters(next, random);
        REQUIRE_FALSE(matches_on_device(next, events));
        CHECK_FALSE(occupied.has_given_up());
        occupied.release();
        EVENTUALLY(matches_on_device(next, events));
    }
    EVENTUALLY(!cuda::has_abandoned_work(0));
    CHECK(cuda::residents(0) == 0);
}

TEST_CASE("a copy of a segment that hangs: the CPU matches it", "[cuda]") {
    if (!has_device()) return;
    Random random(4);
    const auto events = random_events(40, random);
    const WaitLimit limit(100ms);
    BothSets sets(on_device());
    {
        const FaultPlan plan(hanging());
        add_filters(sets, random);
        REQUIRE_FALSE(matches_on_device(sets, events));
        CHECK(timeouts(sets) >= 1);
        CHECK(sets.status().devices[0].segments == 0);
    }
    EVENTUALLY(matches_on_device(sets, events));
}

TEST_CASE("operators whose work hangs are computed on the CPU", "[cuda]") {
    if (!has_device()) return;
    const WaitLimit limit(100ms);
    engine::EngineOptions options(engine::Backend::cuda);
    options.device_rows_min = 1u << 30;
    options.device_cells_min = 0;
    BothSets sets(options);
    engine::Predicate p{"text", engine::Operator::less_equal, "", 1};
    p.measure = engine::Measure{engine::Measure::Kind::approx_distance, "kernel", "unit", 0, 0};
    sets.add({{{p, false}}});
    const std::vector<RandomEvent> events(40, {{"text", "a karnel", 0}});
    const auto operator_batches = [&] {
        REQUIRE(sets.differences(events) == 0);
        return sets.status().devices[0].operator_batches;
    };
    EVENTUALLY(operator_batches() > 0);
    {
        OccupiedDevice occupied;
        REQUIRE(sets.differences(events) == 0);
        CHECK(timeouts(sets) >= 1);
        CHECK(sets.status().devices[0].state.starts_with("lost"));
        CHECK_FALSE(occupied.has_given_up());
    }
    const std::uint64_t before = sets.status().devices[0].operator_batches;
    EVENTUALLY(operator_batches() > before);
}

}  // namespace sluice::test
