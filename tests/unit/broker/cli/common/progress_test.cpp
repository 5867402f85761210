#include "broker/cli/common/progress.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using namespace sluice::cli;
using namespace std::chrono_literals;

TEST_CASE("durations are rounded to what people use") {
    CHECK(duration_in_words(0s) == "0 s");
    CHECK(duration_in_words(59.4s) == "59 s");
    CHECK(duration_in_words(59.6s) == "1 min 0 s");
    CHECK(duration_in_words(72s) == "1 min 12 s");
    CHECK(duration_in_words(3h + 5min + 59s) == "3 h 5 min");
    CHECK(duration_in_words(-1s) == "0 s");
}

TEST_CASE("a progress line has a bar, the share, and the time left at the pace so far") {
    CHECK(progress_line(0.25, 24s, 80) == "[##########                              ]  25 %, 1 min 12 s left");
    CHECK(progress_line(0, 5s, 80) == "[                                        ]   0 %");
    CHECK(progress_line(0.999, 999s, 80) == "[####################################### ]  99 %, 1 s left");
    CHECK(progress_line(7, 1s, 80) == "[########################################] 100 %, 0 s left");
}

TEST_CASE("a progress line fits into its terminal") {
    CHECK(progress_line(0.5, 1s, 42) == "[#####     ]  50 %, 1 s left");
    CHECK(progress_line(0.5, 1s, 10) == "[]  50 %, 1 s left");
    for (const std::size_t columns : {40u, 60u, 80u, 500u}) CHECK(progress_line(0.001, 2h, columns).size() < columns);
}

TEST_CASE("the bar appears after a second, changes ten times a second, and leaves nothing behind") {
    auto now = ProgressBar::Clock::time_point{};
    std::ostringstream out;
    {
        ProgressBar bar(out, 80, [&] { return now; });
        now += 999ms;
        bar.show(0.5);
        bar.hide();
        CHECK(out.str().empty());
        now += 1ms;
        bar.show(0.5);
        CHECK(out.str() == "\r\x1B[K" + progress_line(0.5, 1s, 80));
        out.str("");
        now += 99ms;
        bar.show(0.6);
        CHECK(out.str().empty());
        now += 1ms;
        bar.show(0.6);
        CHECK(out.str() == "\r\x1B[K" + progress_line(0.6, 1100ms, 80));
        out.str("");
    }
    CHECK(out.str() == "\r\x1B[K");
}

TEST_CASE("no bar is drawn where there is no terminal") {
    auto now = ProgressBar::Clock::time_point{};
    std::ostringstream out;
    ProgressBar bar(out, 0, [&] { return now; });
    now += 1h;
    bar.show(0.5);
    bar.hide();
    CHECK(out.str().empty());
}
