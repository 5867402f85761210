#include "config/units.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;

TEST_CASE("durations have a unit") {
    CHECK(sluice::config::parse_duration("200us") == 200us);
    CHECK(sluice::config::parse_duration("5ms") == 5ms);
    CHECK(sluice::config::parse_duration("0s") == 0s);
    CHECK(sluice::config::parse_duration("15s") == 15s);
    CHECK(sluice::config::parse_duration("10min") == 10min);
    CHECK(sluice::config::parse_duration("24h") == 24h);
    for (const char* bad :
         {"", "5", "ms", "-5ms", "5 ms", "1.5s", "5m", "5MS", "99999999999999999999s", "9999999999999h"}) {
        CAPTURE(bad);
        CHECK_FALSE(sluice::config::parse_duration(bad));
    }
}

TEST_CASE("sizes are bytes or have a binary unit") {
    CHECK(sluice::config::parse_size("0") == 0u);
    CHECK(sluice::config::parse_size("4096") == 4096u);
    CHECK(sluice::config::parse_size("7B") == 7u);
    CHECK(sluice::config::parse_size("64KiB") == 65'536u);
    CHECK(sluice::config::parse_size("16MiB") == 16u << 20);
    CHECK(sluice::config::parse_size("2GiB") == std::size_t{2} << 30);
    for (const char* bad :
         {"", "MiB", "16MB", "16mib", "1.5MiB", "-1", "0x10", "99999999999999999999", "99999999999GiB"}) {
        CAPTURE(bad);
        CHECK_FALSE(sluice::config::parse_size(bad));
    }
}

TEST_CASE("durations and sizes are written in the largest unit that keeps them whole") {
    CHECK(sluice::config::duration_text(0us) == "0us");
    CHECK(sluice::config::duration_text(1500us) == "1500us");
    CHECK(sluice::config::duration_text(24h) == "1d");
    CHECK(sluice::config::parse_duration("90d") == 90 * 24h);
    CHECK(sluice::config::size_text(0) == "0B");
    CHECK(sluice::config::size_text(1025) == "1025B");
    CHECK(sluice::config::size_text(16u << 20) == "16MiB");
}
