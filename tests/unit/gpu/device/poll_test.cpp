#include "gpu/device/poll.hpp"

#include <catch2/catch.hpp>
#include <vector>

using sluice::cuda::poll;
using sluice::cuda::Polling;
using namespace std::chrono_literals;

namespace {

// Time passes only in pauses, each of a microsecond, and in naps.
struct ManualClock {
    std::chrono::nanoseconds time{};
    int pauses = 0;
    std::vector<std::chrono::nanoseconds> naps;

    std::chrono::nanoseconds now() const { return time; }
    void pause() {
        ++pauses;
        time += 1us;
    }
    void sleep(std::chrono::nanoseconds duration) {
        naps.push_back(duration);
        time += duration;
    }
};

}  // namespace

TEST_CASE("poll: work that has ended → no wait, even if the limit is zero") {
    ManualClock clock;
    CHECK(poll(clock, 0ns, {}, [] { return true; }));
    CHECK(clock.time == 0ns);
    int asked = 0;
    CHECK_FALSE(poll(clock, 0ns, {}, [&] {
        ++asked;
        return false;
    }));
    CHECK(asked == 1);
}

TEST_CASE("poll: short work → the core is kept, and of long work naps that grow between their bounds") {
    ManualClock clock;
    CHECK(poll(clock, 1h, {}, [&] { return clock.time >= 900us; }));
    CHECK(clock.pauses == 900);
    CHECK(clock.naps.empty());
    CHECK(poll(clock, 1h, {}, [&] { return clock.time >= 200ms; }));
    REQUIRE(clock.naps.size() > 2);
    CHECK(clock.naps.front() == 31'250ns);
    CHECK(clock.naps.back() == 1ms);
    for (std::size_t i = 1; i < clock.naps.size(); ++i) CHECK(clock.naps[i] >= clock.naps[i - 1]);
}

TEST_CASE("poll: without spinning → the first nap is the shortest") {
    ManualClock clock;
    Polling asleep;
    asleep.spin = 0ns;
    CHECK(poll(clock, 1h, asleep, [&] { return clock.time > 0ns; }));
    CHECK(clock.pauses == 0);
    CHECK(clock.naps == std::vector<std::chrono::nanoseconds>{30us});
}

TEST_CASE("poll: work that hangs → an end after the limit, and at most one nap later") {
    ManualClock clock;
    CHECK_FALSE(poll(clock, 30s, {}, [] { return false; }));
    CHECK(clock.time >= 30s);
    CHECK(clock.time <= 30s + 1ms);
}
