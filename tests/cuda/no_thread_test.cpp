// The engine when no thread can be started. A program of its own, since it replaces pthread_create().
#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <dlfcn.h>
#include <optional>
#include <pthread.h>
#include <thread>
#include <vector>

#include "tests/cuda/fault_plan.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/differential/matcher_random.hpp"
#include "tests/support/eventually.hpp"

namespace {

std::atomic<bool> refuses_threads = false;

}  // namespace

// Called by std::thread.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) noexcept {
    if (refuses_threads) return EAGAIN;
    static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
    return create(thread, attributes, start, argument);
}

namespace sluice::test {

namespace {

class NoThreads {
public:
    NoThreads() { refuses_threads = true; }
    NoThreads(const NoThreads&) = delete;
    ~NoThreads() { refuses_threads = false; }
};

std::vector<RandomEvent> random_events(Random& random) {
    std::vector<RandomEvent> events(40);
    for (RandomEvent& event : events) event = random_event({}, random);
    return events;
}

}  // namespace

TEST_CASE("no thread for the keeper of the devices → a set all the same, with the right answers", "[cuda]") {
    Random random(1);
    for (const engine::Backend backend : {engine::Backend::cuda, engine::Backend::automatic}) {
        engine::EngineOptions options(backend);
        options.device_rows_min = 1;
        const NoThreads none;
        CHECK_THROWS(std::thread([] {}));
        BothSets sets(options);
        for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
        REQUIRE(sets.differences(random_events(random)) == 0);
    }
}

TEST_CASE("a device is lost while no thread can be started → it is revived when one can", "[cuda]") {
    if (!testing::has_device()) return;
    Random random(2);
    engine::EngineOptions options(engine::Backend::cuda);
    options.device_rows_min = 1;
    {
        BothSets first(options);  // for which the driver starts its own threads
        for (int i = 0; i < 500; ++i) first.add(random_filter({}, random));
        REQUIRE(first.differences(random_events(random)) == 0);
    }
    std::optional<NoThreads> none(std::in_place);
    BothSets sets(options);
    for (int i = 0; i < 500; ++i) sets.add(random_filter({}, random));
    REQUIRE(sets.differences(random_events(random)) == 0);
    REQUIRE(sets.status().devices[0].batches == 1);
    {
        const testing::FaultPlan failing("cudaStreamQuery", cudaErrorIllegalAddress, 1);
        REQUIRE(sets.differences(random_events(random)) == 0);
    }
    REQUIRE(sets.differences(random_events(random)) == 0);
    CHECK(sets.status().devices[0].state.starts_with("lost"));
    none.reset();
    const auto matches_on_device = [&] {
        REQUIRE(sets.differences(random_events(random)) == 0);
        return sets.status().devices[0].batches > 1;
    };
    EVENTUALLY(matches_on_device());
}

}  // namespace sluice::test
