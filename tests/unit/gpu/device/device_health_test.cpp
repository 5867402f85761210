#include "gpu/device/device_health.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

using sluice::cuda::DeviceHealth;
using namespace std::chrono_literals;

TEST_CASE("a device that has failed is tried again after pauses that double") {
    DeviceHealth health;
    DeviceHealth::Clock::time_point now{};
    CHECK(health.can_attempt(now));
    CHECK(health.state(now) == "ready");
    for (auto pause = DeviceHealth::pause_min; pause <= DeviceHealth::pause_max; pause *= 2) {
        health.failed("no memory", now);
        CHECK_FALSE(health.can_attempt(now + pause - 1ms));
        now += pause;
        CHECK(health.can_attempt(now));
        CHECK_FALSE(health.can_attempt(now));  // one at a time
    }
    health.failed("no memory", now);
    CHECK(health.state(now) == "retry in 64 s");
    CHECK_FALSE(health.can_attempt(now + DeviceHealth::pause_max - 1ms));
    CHECK(health.can_attempt(now + DeviceHealth::pause_max));
    health.succeeded();
    CHECK(health.state(now) == "ready");
    health.failed("again", now);
    CHECK(health.can_attempt(now + DeviceHealth::pause_min));
    CHECK(health.last_failure().what == "again");
}

TEST_CASE("batches that fail together are one failure, and one that was begun before does not make it good") {
    DeviceHealth health;
    const DeviceHealth::Clock::time_point now{};
    for (int i = 0; i < 5; ++i) health.failed("a kernel", now);
    CHECK(health.failures() == 5);
    health.succeeded();
    CHECK_FALSE(health.can_attempt(now + DeviceHealth::pause_min - 1ms));
    CHECK(health.can_attempt(now + DeviceHealth::pause_min));
}

TEST_CASE("an attempt whose outcome is never reported does not block others") {
    DeviceHealth health;
    DeviceHealth::Clock::time_point now{};
    health.failed("a", now);
    now += DeviceHealth::pause_min;
    CHECK(health.can_attempt(now));
    CHECK_FALSE(health.can_attempt(now));
    CHECK(health.can_attempt(now + 2 * DeviceHealth::pause_min));
}

TEST_CASE("a lost device is not used until it has been revived, after pauses that double with every loss") {
    DeviceHealth health;
    DeviceHealth::Clock::time_point now{};
    CHECK_FALSE(health.may_revive(now));
    for (auto pause = DeviceHealth::pause_min; pause <= DeviceHealth::pause_max; pause *= 2) {
        health.lose("an illegal address", now);
        health.lose("an illegal address", now);  // reported by another batch under way
        health.succeeded();
        health.failed("whatever", now);
        CHECK(health.is_lost());
        CHECK_FALSE(health.can_attempt(DeviceHealth::Clock::time_point::max()));
        CHECK_FALSE(health.may_revive(now + pause - 1ms));
        now += pause;
        CHECK(health.may_revive(now));
        CHECK(health.state(now) == "lost, retry due");
    }
    health.lose("no context", now);
    CHECK(health.state(now) == "lost, retry in 64 s");
    health.revived();
    CHECK_FALSE(health.is_lost());
    CHECK(health.can_attempt(now));
    CHECK(health.state(now) == "ready");
    CHECK(health.last_failure().what == "no context");
    now += DeviceHealth::forgotten_after + 1ms;
    health.lose("again", now);
    CHECK(health.may_revive(now + DeviceHealth::pause_min));
}

TEST_CASE("what was not lost is not revived") {
    DeviceHealth health;
    health.failed("no memory", {});
    health.revived();
    CHECK_FALSE(health.can_attempt({}));
}

TEST_CASE("looking whether a device might be tried does not take the attempt from others") {
    DeviceHealth health;
    DeviceHealth::Clock::time_point now{};
    CHECK(health.might_try(now));
    health.failed("no memory", now);
    CHECK_FALSE(health.might_try(now));
    now += DeviceHealth::pause_min;
    CHECK(health.might_try(now));
    CHECK(health.can_attempt(now));
    CHECK_FALSE(health.might_try(now));
    health.lose("an illegal address", now);
    CHECK_FALSE(health.might_try(DeviceHealth::Clock::time_point::max()));
}

TEST_CASE("a failure that is noted is counted, and nothing else") {
    DeviceHealth health;
    const DeviceHealth::Clock::time_point now = DeviceHealth::Clock::now();
    CHECK(health.last_failure().at < now);
    health.note("too large", now);
    CHECK(health.state(now) == "ready");
    CHECK(health.failures() == 1);
    CHECK(health.last_failure().what == "too large");
    CHECK(health.last_failure().at == now);
}

TEST_CASE("of many threads, only one tries") {
    DeviceHealth health;
    health.failed("a", {});
    std::atomic<int> tries = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            if (health.can_attempt(DeviceHealth::Clock::time_point{} + DeviceHealth::pause_min)) ++tries;
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(tries == 1);
}
