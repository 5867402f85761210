#include "broker/base/repeat_guard.hpp"

#include <catch2/catch.hpp>

namespace sluice::base {

TEST_CASE("a message is not new within an hour, whatever came between", "[log]") {
    RepeatGuard guard;
    const RepeatGuard::Clock::time_point start{};
    CHECK(guard.is_new("no driver", start));
    CHECK_FALSE(guard.is_new("no driver", start + std::chrono::minutes(59)));
    CHECK(guard.is_new("out of memory", start + std::chrono::minutes(59)));
    CHECK_FALSE(guard.is_new("no driver", start + std::chrono::minutes(59)));
    CHECK(guard.is_new("no driver", start + std::chrono::minutes(60)));
    CHECK_FALSE(guard.is_new("out of memory", start + std::chrono::minutes(118)));
    guard.forget();
    CHECK(guard.is_new("no driver", start + std::chrono::minutes(61)));
    CHECK(guard.is_new("", start));
}

TEST_CASE("as many messages are remembered, no more", "[log]") {
    RepeatGuard guard;
    const RepeatGuard::Clock::time_point now{};
    for (std::size_t i = 0; i < RepeatGuard::messages_max; ++i) CHECK(guard.is_new(std::to_string(i), now));
    CHECK_FALSE(guard.is_new("0", now));
    CHECK(guard.is_new("one more", now));
    CHECK(guard.is_new("0", now));
}

}  // namespace sluice::base
