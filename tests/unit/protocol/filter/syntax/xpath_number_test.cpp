#include "protocol/filter/syntax/xpath_number.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <pugixml.hpp>
#include <random>
#include <string>
#include <utility>

#include "protocol/filter/filter.hpp"

using namespace sluice;
using namespace sluice::filter;

namespace {

class Pugixml {
public:
    double number(const std::string& text) {
        text_.set(text.c_str());
        return to_number_.evaluate_number(pugi::xpath_node());
    }

private:
    pugi::xpath_variable_set variables_;
    pugi::xpath_variable& text_ = *variables_.add("text", pugi::xpath_type_string);
    pugi::xpath_query to_number_{"number($text)", &variables_};
};

bool same(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// The first decimal fraction, by its number of digits after the point, that is read back as the number. Of an integer,
// all digits.
std::string shortest(double number) {
    std::array<char, 1'500> text;
    const int exponent = number == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(number))));
    for (int digits = std::max(0, -exponent - 1);; ++digits) {
        std::snprintf(text.data(), text.size(), "%.*f", digits, number);
        if (std::strtod(text.data(), nullptr) == number) return text.data();
    }
}

}  // namespace

TEST_CASE("number() of texts is pugixml's") {
    Pugixml pugixml;
    const std::string nines(400, '9');
    const std::string texts[] = {
        "",
        " ",
        "0",
        "-0",
        "1",
        "-1",
        "+1",
        "1.",
        ".5",
        "-.5",
        ".",
        "-",
        "--1",
        "- 1",
        " 12 ",
        "\t1\n",
        "\r1",
        "1 2",
        "1e3",
        "1E3",
        "0x10",
        "inf",
        "NaN",
        "Infinity",
        "1,5",
        "1.5.",
        "1..5",
        "007",
        "0.1",
        "9007199254740993",
        "1.7976931348623159e308",
        nines,
        "-" + nines,
        "0." + std::string(400, '0') + "1",
        "-0." + std::string(400, '0') + "1",
        "\xC2\xA0"
        "1",
        "\v1",
        "\f1",
        "1\xC2\xA0",
        "2.2250738585072011e-308",
        "0." + std::string(323, '0') + "49",
    };
    for (const std::string& text : texts) {
        INFO("'" << text << "'");
        CHECK(same(xpath_number(text), pugixml.number(text)));
    }
}

TEST_CASE("number() of random texts is pugixml's") {
    Pugixml pugixml;
    std::mt19937 random(1);
    const std::string alphabet = "0123456789012345678901234567890123456789..-- \te+";
    for (int i = 0; i < 200'000; ++i) {
        std::string text;
        for (auto n = random() % 24; n > 0; --n) text += alphabet[random() % alphabet.size()];
        INFO("'" << text << "'");
        if (!same(xpath_number(text), pugixml.number(text))) FAIL();
    }
}

TEST_CASE("string() of numbers has the digits that distinguish them, and no exponent") {
    const std::pair<double, const char*> numbers[] = {
        {0, "0"},
        {-0.0, "0"},
        {1, "1"},
        {-1, "-1"},
        {100, "100"},
        {-2.5, "-2.5"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {0.3, "0.3"},
        {1.1 * 1.1, "1.2100000000000002"},
        {1.0 / 3, "0.3333333333333333"},
        {2.0 / 3, "0.6666666666666666"},
        {100.0 / 3, "33.333333333333336"},
        {5e-324, nullptr},
        {1e-7, "0.0000001"},
        {6.62607015e-34, "0.000000000000000000000000000000000662607015"},
        {9007199254740993.0, "9007199254740992"},
        {2251799813685248.5, "2251799813685248.5"},
        {1e15, "1000000000000000"},
        {1e21, "1000000000000000000000"},
        {1e23, "99999999999999991611392"},
        {18446744073709551616.0, "18446744073709551616"},
        {NAN, "NaN"},
        {INFINITY, "Infinity"},
        {-INFINITY, "-Infinity"},
    };
    for (const auto& [number, text] : numbers)
        CHECK(xpath_string(number) == (text ? std::string(text) : "0." + std::string(323, '0') + "5"));
}

TEST_CASE("string() of random numbers is what the C library finds digit by digit") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 200'000; ++i) {
        double number = i % 2 ? std::bit_cast<double>(random()) : static_cast<double>(random() % 1'000'000) / 1000;
        if (i % 4 == 1) number = std::ldexp(static_cast<double>(random() >> 11), -static_cast<int>(random() % 100));
        if (std::isnan(number)) continue;
        INFO(number);
        if (xpath_string(number) != shortest(number)) FAIL(xpath_string(number) << " is not " << shortest(number));
    }
}

TEST_CASE("round, floor and ceiling are exact") {
    struct Rounding {
        const char *call, *value;
    };
    for (const Rounding& r : {
             Rounding{"round(4503599627370496)", "4503599627370496"},
             {"round(4503599627370497)", "4503599627370497"},
             {"round(-4503599627370497)", "-4503599627370497"},
             {"round(9007199254740991)", "9007199254740991"},
             {"round(-9007199254740991)", "-9007199254740991"},
             {"round(6755399441055745)", "6755399441055745"},
             {"round(4503599627370495.5)", "4503599627370496"},
             {"round(-4503599627370495.5)", "-4503599627370495"},
             {"round(2251799813685248.5)", "2251799813685249"},
             {"round(100000000000000000000000)", "99999999999999991611392"},
             {"round(0.49999999999999994)", "0"},
             {"round(-0.49999999999999994)", "0"},
             {"1 div round(-0.49999999999999994)", "-Infinity"},
             {"1 div round(-0.5)", "-Infinity"},
             {"1 div round(-0.2)", "-Infinity"},
             {"1 div round(0.2)", "Infinity"},
             {"round(0.5)", "1"},
             {"round(1.5)", "2"},
             {"round(2.5)", "3"},
             {"round(-1.5)", "-1"},
             {"round(-2.5)", "-2"},
             {"round(-0.5000000000000001)", "-1"},
             {"round(1 div 0)", "Infinity"},
             {"round(-1 div 0)", "-Infinity"},
             {"round(0 div 0)", "NaN"},
             {"floor(4503599627370497)", "4503599627370497"},
             {"ceiling(-4503599627370497)", "-4503599627370497"},
             {"floor(-0.5)", "-1"},
             {"1 div ceiling(-0.5)", "-Infinity"},
             {"substring('abc', 0.49999999999999994, 2)", "a"},
         }) {
        INFO(r.call);
        CHECK(compile_filter("a = string(" + std::string(r.call) + ")").value().canonical ==
              "a = '" + std::string(r.value) + "'");
    }
}
