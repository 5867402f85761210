#include "protocol/filter/xpath_number.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <pugixml.hpp>
#include <random>
#include <string>

using namespace sluice;
using namespace sluice::filter;

namespace {

class Pugixml {
public:
    double number(const std::string& text) {
        text_.set(text.c_str());
        return to_number_.evaluate_number(pugi::xpath_node());
    }
    std::string string(double number) {
        number_.set(number);
        return to_string_.evaluate_string(pugi::xpath_node());
    }

private:
    pugi::xpath_variable_set variables_;
    pugi::xpath_variable& text_ = *variables_.add("text", pugi::xpath_type_string);
    pugi::xpath_variable& number_ = *variables_.add("number", pugi::xpath_type_number);
    pugi::xpath_query to_number_{"number($text)", &variables_};
    pugi::xpath_query to_string_{"string($number)", &variables_};
};

bool same(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
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

TEST_CASE("string() of numbers is pugixml's") {
    Pugixml pugixml;
    const double numbers[] = {0,
                              -0.0,
                              1,
                              -1,
                              0.1,
                              0.1 + 0.2,
                              1e15,
                              1e16,
                              123456789012345678.0,
                              1e21,
                              1e300,
                              5e-324,
                              1e-7,
                              -2.5,
                              1.0 / 3,
                              100,
                              1200,
                              1e22,
                              NAN,
                              INFINITY,
                              -INFINITY,
                              1.7976931348623157e308};
    for (const double number : numbers) {
        INFO(number);
        CHECK(xpath_string(number) == pugixml.string(number));
    }
    std::mt19937_64 random(1);
    for (int i = 0; i < 200'000; ++i) {
        const double number =
            i % 2 ? std::bit_cast<double>(random()) : static_cast<double>(random() % 1'000'000) / 1000;
        INFO(number);
        if (xpath_string(number) != pugixml.string(number)) FAIL();
    }
}
