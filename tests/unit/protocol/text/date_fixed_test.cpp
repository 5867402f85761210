#include "protocol/text/date_fixed.hpp"

#include <catch2/catch.hpp>
#include <cstdio>
#include <random>
#include <string>

#include "protocol/text/date_standard.hpp"

using namespace sluice::text;

namespace {

// A date in one of the layouts; one of its numbers may be out of range.
std::string random_date(std::mt19937& random) {
    const auto upto = [&](unsigned max) { return static_cast<int>(random() % (max + 1)); };
    const char* const weekdays[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    const char* const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const int day = upto(32), year = upto(2200), hour = upto(24), minute = upto(61), second = upto(62);
    const char sign = random() % 2 != 0 ? '+' : '-';
    const int offset_hours = upto(15), offset_minutes = upto(61);
    char text[64];
    if (random() % 2 != 0) {
        std::snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d ", weekdays[random() % 7], day,
                      months[random() % 12], year, hour, minute, second);
    } else {
        std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d", year, upto(13), day, hour, minute, second);
    }
    const bool is_rfc822 = text[3] == ',';
    char zone[16];
    std::snprintf(zone, sizeof zone, is_rfc822 ? "%c%02d%02d" : "%c%02d:%02d", sign, offset_hours, offset_minutes);
    return std::string(text) + (random() % 2 != 0 ? zone : is_rfc822 ? "GMT" : "Z");
}

}  // namespace

TEST_CASE("parse_fixed_date: the layouts → their times") {
    for (const char* text : {"Mon, 16 Oct 2017 15:10:00 GMT", "Mon, 16 Oct 2017 17:10:00 +0200",
                             "Mon, 16 Oct 2017 08:40:00 -0630", "2017-10-16T15:10:00Z", "2017-10-16T17:10:00+02:00"}) {
        INFO(text);
        CHECK(parse_fixed_date(text) == 1508166600.0);
    }
    CHECK(parse_fixed_date("Sat, 31 Dec 2016 23:59:60 GMT") == 1483228800.0);
    CHECK(parse_fixed_date("2016-12-31T24:00:00Z") == 1483228800.0);
}

TEST_CASE("parse_fixed_date: other layouts, and what is no date → nothing") {
    for (const char* text :
         {"", "Mon, 16 Oct 2017 15:10:00", "Mon, 16 Oct 2017 15:10:00 PST", "mon, 16 Oct 2017 15:10:00 GMT",
          "Mon, 16 oct 2017 15:10:00 GMT", "Mon. 16 Oct 2017 15:10:00 GMT", "Mon, 30 Feb 2017 15:10:00 GMT",
          "Mon, 16 Oct 2017 15:10:00 +0260", "2017-10-16T15:10:00z", "2017-10-16 15:10:00Z",
          "2017-10-16T15:10:00+15:00", "2017-13-16T15:10:00Z", "2017-10-16T15:1a:00Z"}) {
        INFO(text);
        CHECK_FALSE(parse_fixed_date(text));
    }
}

TEST_CASE("parse_fixed_date: random dates and damaged ones → as parse_standard_date, or nothing") {
    std::mt19937 random(11);
    const std::string_view damage = "0189 :-+,TZGaM\n\0\x80\xff";
    for (int i = 0; i < 20'000; ++i) {
        std::string text = random_date(random);
        CAPTURE(text);
        REQUIRE(parse_fixed_date(text) == parse_standard_date(text));
        for (std::size_t n = 1 + random() % 2; n > 0; --n)
            text[random() % text.size()] = damage[random() % damage.size()];
        if (random() % 4 == 0) text.erase(random() % text.size(), 1);
        CAPTURE(text);
        const auto fixed = parse_fixed_date(text);
        if (fixed) REQUIRE(fixed == parse_standard_date(text));
    }
}
