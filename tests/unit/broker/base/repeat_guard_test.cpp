#include "broker/base/repeat_guard.hpp"

#include <catch2/catch.hpp>

namespace sluice {

TEST_CASE("what is the same as before is not new within an hour", "[log]") {
    RepeatGuard guard;
    const RepeatGuard::Clock::time_point start{};
    CHECK(guard.is_new("no driver", start));
    CHECK_FALSE(guard.is_new("no driver", start + std::chrono::minutes(59)));
    CHECK(guard.is_new("out of memory", start + std::chrono::minutes(59)));
    CHECK(guard.is_new("no driver", start + std::chrono::minutes(59)));
    CHECK_FALSE(guard.is_new("no driver", start + std::chrono::minutes(118)));
    CHECK(guard.is_new("no driver", start + std::chrono::minutes(119)));
    guard.forget();
    CHECK(guard.is_new("no driver", start + std::chrono::minutes(119)));
}

}  // namespace sluice
