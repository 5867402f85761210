#include "gpu/device/device_health.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/failing_allocations.hpp"

using sluice::cuda::DeviceHealth;
using sluice::testing::FailingAllocations;

TEST_CASE("DeviceHealth: no memory for a failure's text → the state changes all the same", "[alloc]") {
    const std::string text(100, 'x');
    const DeviceHealth::Clock::time_point now{};
    DeviceHealth failed, noted, lost;
    FailingAllocations::fail_above(0);
    failed.failed(text, now);
    noted.note(text, now);
    lost.lose(text, now);
    FailingAllocations::stop();
    CHECK_FALSE(failed.might_try(now));
    CHECK(noted.might_try(now));
    CHECK(lost.is_lost());
    for (const DeviceHealth* const health : {&failed, &noted, &lost}) {
        CHECK(health->failures() == 1);
        CHECK(health->last_failure().what == "out of memory");
        CHECK(health->last_failure().at == now);
    }
    failed.failed(text, now);
    CHECK(failed.last_failure().what == text);
}
