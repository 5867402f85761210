// A device whose context a kernel has corrupted permanently: batches go to the CPU, then the engine gives the device a
// new context and new copies, and it matches again. A program of its own, since a context belongs to the process.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "gpu/device/context.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/renewal.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/cuda/spoil_context.hpp"
#include "tests/differential/matcher_random.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/skip.hpp"

namespace sluice::test {

namespace {

struct Told {
    std::atomic<int> faults = 0, recoveries = 0;
};

engine::EngineOptions on_device(Told& told) {
    engine::EngineOptions options(engine::Backend::cuda);
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

// The longest that a driver may take to give a new context; and to change its mind, if it does not give one.
constexpr std::chrono::seconds patience{60}, patience_with_refusal{8};
constexpr const char* refusal = "cudaErrorDevicesUnavailable";

class Deadline {
public:
    explicit Deadline(std::function<bool()> is_refused = [] { return false; }) : is_refused_(std::move(is_refused)) {}
    explicit Deadline(const BothSets& sets) : Deadline([&sets] { return sets.status().faults.count(refusal) != 0; }) {}
    bool passed() const { return end_.passed() || (end_with_refusal_.passed() && is_refused_()); }

private:
    testing::Deadline end_{patience}, end_with_refusal_{patience_with_refusal};
    std::function<bool()> is_refused_;
};

constexpr const char* refused =
    "this driver gives a process that has spoiled its context no new one: what follows a renewal is not tested";

bool has_usable_device() {
    if (!testing::has_device()) return false;
    REQUIRE(cuda::residents(0) == 0);
    if (cudaFree(nullptr) == cudaSuccess) return true;
    sluice::testing::skip("an earlier test of this process has spoiled the device for good");
    return false;
}

template <class Action>
bool is_done(Action action) {
    try {
        action();
        return true;
    } catch (const cuda::CudaError&) {
        return false;
    }
}

// Matches, always with the right answers, until the device is used again. False if the driver refuses.
bool match_until_ready(BothSets& sets, Random& random) {
    const std::uint64_t batches_before = sets.status().devices[0].batches;
    for (const Deadline deadline(sets); !deadline.passed();) {
        REQUIRE(sets.differences(random_events(random)) == 0);
        if (sets.status().devices[0].batches > batches_before) {
            CHECK(sets.status().devices[0].state == "ready");
            return true;
        }
    }
    const engine::EngineStatus status = sets.status();
    INFO(status.reason);
    REQUIRE(status.faults.count(refusal) == 1);
    CHECK(status.devices[0].state.starts_with("lost"));
    CHECK(status.reason.starts_with("the CPU matches: a new context after a corrupted one"));
    WARN(refused);
    return false;
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
    if (!has_usable_device()) return;
    {
        const cuda::DeviceBuffer<int> mine(1);
        REQUIRE(testing::spoil_context() == cudaErrorIllegalAddress);
        CHECK_THROWS_AS(cuda::DeviceBuffer<int>(1), cuda::CudaError);
        CHECK_THROWS_WITH(cuda::renew_context(0), Catch::Contains("1 objects still in the old one"));
    }
    bool renewed = false;
    std::string error;
    const Deadline deadline([&error] { return error.find(refusal) != std::string::npos; });
    while (!renewed && !deadline.passed()) {
        try {
            cuda::renew_context(0);
            renewed = true;
        } catch (const cuda::CudaError& failure) {
            error = failure.what();
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    }
    CHECK(cuda::residents(0) == 0);
    if (!renewed) {
        CHECK_THROWS_WITH(cuda::renew_context(0), Catch::Contains(refusal));
        WARN(refused);
        return;
    }
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

TEST_CASE("an allocation while a context is renewed is refused, or the renewal is, and nobody waits", "[cuda]") {
    if (!has_usable_device()) return;
    REQUIRE(testing::spoil_context() == cudaErrorIllegalAddress);
    std::atomic<bool> done = false;
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            while (!done) is_done([] { const cuda::Stream stream; });
        });
    const Deadline deadline;
    for (int attempts = 0; attempts < 20 && !deadline.passed(); ++attempts) is_done([] { cuda::renew_context(0); });
    done = true;
    for (std::thread& thread : threads) thread.join();
    CHECK(cuda::residents(0) == 0);
    // No residents remain, and none is counted: only the driver may refuse now, or the renewal below succeeds.
    try {
        cuda::renew_context(0);
        const cuda::Stream stream;
        CHECK(cuda::residents(0) == 1);
    } catch (const cuda::CudaError& error) {
        CHECK_THAT(error.what(),
                   Catch::Contains("a new context after a corrupted one") || Catch::Contains("cudaDevice"));
    }
}

TEST_CASE("a set comes back to a device that was lost, as often as that happens", "[cuda]") {
    if (!has_usable_device()) return;
    Random random(1);
    Told told;
    BothSets sets(on_device(told));
    for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
    REQUIRE(sets.differences(random_events(random)) == 0);
    for (int loss = 1; loss <= 2; ++loss) {
        REQUIRE(testing::spoil_context() == cudaErrorIllegalAddress);
        cudaGetLastError();
        REQUIRE(sets.differences(random_events(random)) == 0);
        EVENTUALLY(sets.status().devices[0].state != "ready" || told.recoveries == loss);
        CHECK(sets.status().rematched_batches >= 1);
        CHECK(sets.status().faults.at("cudaErrorIllegalAddress") >= 1);
        CHECK(told.faults >= loss);
        if (!match_until_ready(sets, random)) return;
        CHECK(told.recoveries == loss);
    }
    for (int i = 0; i < 3000; ++i) sets.add(random_filter({}, random));
    for (int i = 0; i < 5; ++i) REQUIRE(sets.differences(random_events(random)) == 0);
}

TEST_CASE("two sets on one device: both leave a corrupted context, also the one that is idle", "[cuda]") {
    if (!has_usable_device()) return;
    Random random(4);
    Told told, told_idle;
    BothSets busy(on_device(told)), idle(on_device(told_idle));
    for (BothSets* const sets : {&busy, &idle}) {
        for (int i = 0; i < 500; ++i) sets->add(random_filter({}, random));
        REQUIRE(sets->differences(random_events(random)) == 0);
    }
    REQUIRE(testing::spoil_context() == cudaErrorIllegalAddress);
    cudaGetLastError();
    REQUIRE(busy.differences(random_events(random)) == 0);
    if (!match_until_ready(busy, random)) {
        EVENTUALLY(idle.status().devices[0].segments == 0);  // nothing is left in the old context
        return;
    }
    REQUIRE(match_until_ready(idle, random));
    CHECK(told_idle.recoveries == 1);
    CHECK(idle.status().rematched_batches == 0);
}

TEST_CASE("one of two devices is lost: the other one goes on alone, if the driver lets it", "[cuda]") {
    if (!has_usable_device()) return;
    if (cuda::device_count() < 2) {
        sluice::testing::skip("only one CUDA device");
        return;
    }
    Random random(3);
    Told told;
    engine::EngineOptions options = on_device(told);
    options.devices = {0, 1};
    BothSets sets(options);
    for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
    for (int i = 0; i < 4; ++i) REQUIRE(sets.differences(random_events(random)) == 0);
    REQUIRE(sets.status().devices[0].batches >= 1);
    REQUIRE(sets.status().devices[1].batches >= 1);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    REQUIRE(testing::spoil_context() == cudaErrorIllegalAddress);
    cudaGetLastError();
    for (int i = 0; i < 50; ++i) REQUIRE(sets.differences(random_events(random)) == 0);
    const engine::EngineStatus before = sets.status();
    CHECK(told.faults >= 1);
    if (told.recoveries == 0) CHECK(before.devices[1].state != "ready");
    if (before.devices[0].state != "ready") {
        WARN("this driver has spoiled the process' context on the other device as well");
        CHECK(before.cpu_batches >= 40);
        return;
    }
    for (int i = 0; i < 50; ++i) REQUIRE(sets.differences(random_events(random)) == 0);
    if (told.recoveries == 0) CHECK(sets.status().devices[0].batches >= before.devices[0].batches + 50);
    CHECK(sets.status().cpu_batches == before.cpu_batches);
}

TEST_CASE("a device is lost while several threads match and another one changes the set", "[cuda]") {
    if (!has_usable_device()) return;
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
    const auto join = [&] {
        done = true;
        for (std::thread& thread : threads) thread.join();
        threads.clear();
    };
    int differences = 0;  // REQUIRE is used only after the threads have ended
    const auto change = [&] {
        for (int i = 0; i < 50; ++i) sets.add(random_filter({}, random));
        for (int i = 0; i < 40; ++i) sets.remove(random.below(sets.size()));
        differences += static_cast<int>(sets.differences(random_events(random)));
    };
    for (const Deadline deadline; batches < 50 && !deadline.passed();) change();
    testing::spoil_context();
    for (const Deadline deadline(sets); told.recoveries == 0 && !deadline.passed();) change();
    const std::uint64_t before = sets.status().devices[0].batches;
    if (told.recoveries > 0) {
        for (const Deadline deadline; sets.status().devices[0].batches == before && !deadline.passed();) change();
    }
    join();
    CHECK(batches >= 50);
    CHECK(wrong == 0);
    CHECK(differences == 0);
    CHECK(told.faults >= 1);
    if (told.recoveries > 0) CHECK(sets.status().devices[0].batches > before);
    match_until_ready(sets, random);
}

}  // namespace sluice::test
