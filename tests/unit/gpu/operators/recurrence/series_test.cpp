#include "gpu/operators/recurrence/series.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

using namespace sluice::recurrence;
using Values = std::vector<double>;

namespace {

Values parsed(std::string_view text) {
    Values values{99};
    const auto error = parse_series(text, values);
    INFO(text);
    REQUIRE_FALSE(error);
    return values;
}

std::string message(std::string_view text, std::size_t points_max = series_points_max) {
    Values values;
    const auto error = parse_series(text, values, points_max);
    return error ? std::to_string(error->offset) + ": " + error->message : "";
}

}  // namespace

TEST_CASE("a series is separated by white space, commas or semicolons", "[recurrence]") {
    const Values expected{0.1, -2, 3.5};
    for (const char* text : {"0.1 -2 3.5", "0.1,-2,3.5", "0.1;-2;3.5", " 0.1\n-2\t3.5\r\n", "0.1 , -2 ;3.5",
                             "0.1,-2,3.5,", "0.1,-2,3.5 ; ", "+0.1 -2.0 35e-1", ".1 -2. 3.50"})
        CHECK(parsed(text) == expected);
    CHECK(parsed("").empty());
    CHECK(parsed(" \n ").empty());
    CHECK(parsed("7") == Values{7});
}

TEST_CASE("the ends of a double's range are numbers", "[recurrence]") {
    CHECK(parsed("1.7976931348623157e308 -4.9e-324 1e-999") ==
          Values{std::numeric_limits<double>::max(), -std::numeric_limits<double>::denorm_min(), 0});
}

TEST_CASE("numbers are the nearest doubles to what is written", "[recurrence]") {
    std::mt19937 random(3);
    const auto digits = [&](std::size_t most) {
        std::string text;
        for (std::size_t n = random() % (most + 1); n > 0; --n) text += static_cast<char>('0' + random() % 10);
        return text;
    };
    for (int i = 0; i < 20'000; ++i) {
        std::string text = (random() % 3 == 0 ? "-" : "") + digits(i % 2 == 0 ? 4 : 12) + "7";
        if (random() % 4 != 0) text += "." + digits(i % 3 == 0 ? 3 : 12);
        if (random() % 8 == 0) text += "e" + std::to_string(static_cast<int>(random() % 40) - 20);
        const Values values = parsed(text + " " + text);
        const double nearest = std::strtod(text.c_str(), nullptr);
        REQUIRE(values == Values{nearest, nearest});
    }
    CHECK(std::signbit(parsed("-0.0").front()));
    CHECK(parsed("123456789012345 999999999999999.9 0.000000000000001") ==
          Values{123456789012345.0, 999999999999999.9, 1e-15});
}

TEST_CASE("what is no number is refused with its place", "[recurrence]") {
    CHECK(message("1 2 abc 4") == "4: value 3 is not a number: \"abc\"");
    CHECK(message("1,2x,3") == "2: value 2 is not a number: \"2x\"");
    CHECK(message("nan") == "0: value 1 is not a number: \"nan\"");
    CHECK(message("1 inf") == "2: value 2 is not a number: \"inf\"");
    CHECK(message("-Infinity") == "0: value 1 is not a number: \"-Infinity\"");
    CHECK(message("0x10") == "0: value 1 is not a number: \"0x10\"");
    CHECK(message("1e999") == "0: value 1 is too large: \"1e999\"");
    CHECK(message("+-1") == "0: value 1 is not a number: \"+-1\"");
    CHECK(message("- 1") == "0: value 1 is not a number: \"-\"");
    CHECK(message("+") == "0: value 1 is not a number: \"+\"");
    CHECK(message(".") == "0: value 1 is not a number: \".\"");
    CHECK(message("1,5 €") == "4: value 3 is not a number: \"€\"");
    CHECK(message(std::string_view("1 \0", 3)) == "2: value 2 is not a number: \"" + std::string(1, '\0') + "\"");
    CHECK(message(std::string(30, 'x') + "ä€ä") == "0: value 1 is not a number: \"" + std::string(30, 'x') + "ä…\"");
}

TEST_CASE("a missing value is refused", "[recurrence]") {
    CHECK(message("1,,2") == "2: value 2 is missing");
    CHECK(message("1 , ; 2") == "4: value 2 is missing");
    CHECK(message(",1") == "0: value 1 is missing");
    CHECK(message("1,,") == "2: value 2 is missing");
    CHECK(message(";") == "0: value 1 is missing");
}

TEST_CASE("a series has a greatest length", "[recurrence]") {
    CHECK(message("1 2 3", 3).empty());
    CHECK(message("1 2 3 4", 3) == "6: more than 3 values");
}

TEST_CASE("values are counted as they are parsed", "[recurrence]") {
    CHECK(count_values("") == 0);
    CHECK(count_values(" 1 2, 3;\n4; ") == 4);
    CHECK(count_values("1 2 x") == 0);
    CHECK(count_values("1,,2") == 0);
}
