#include "protocol/feed/data/json_reader.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "protocol/feed/model/document.hpp"
#include "protocol/feed/parse.hpp"
#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

// Random texts of JSON's characters, most of which are wrong somewhere.
std::string random_json(std::mt19937& random, int depth) {
    const auto pick = [&](int n) { return std::uniform_int_distribution(0, n - 1)(random); };
    static const char* const pieces[] = {
        "1",   "-0.5", "1e3", "true", "null", "\"\"", "\"a\\n\"", " ", "\"\\u00e9\"", "01", "\"\\ud83d\\ude00\"",
        "\"x", "}",    "]",   ",",    ":"};
    std::string text;
    const int kind = depth > 3 ? 4 : pick(8);
    if (kind < 2) {
        text = "{";
        for (int n = pick(4); n > 0; --n)
            text += "\"" + std::string(1, static_cast<char>('a' + pick(3))) + "\":" + random_json(random, depth + 1) +
                    (n > 1 ? "," : "");
        text += "}";
    } else if (kind < 4) {
        text = "[";
        for (int n = pick(4); n > 0; --n) text += random_json(random, depth + 1) + (n > 1 ? " , " : "");
        text += "]";
    } else {
        text = pieces[pick(kind == 7 && pick(8) == 0 ? 16 : 9)];
    }
    return text;
}

}  // namespace

TEST_CASE("Boost.JSON accepts the same objects") {
    std::mt19937 random(7);
    int accepted = 0, refused = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::string text = "{\"v\":" + random_json(random, 0) + "}";
        CAPTURE(text);
        boost::system::error_code error;
        boost::json::parse(text, error);
        const bool is_good = parse_document("[" + text + "]", {}).has_value();
        REQUIRE(is_good == !error);
        ++(is_good ? accepted : refused);
    }
    CHECK(accepted > 5'000);
    CHECK(refused > 500);
}

TEST_CASE("strings are what Boost.JSON reads") {
    std::mt19937 random(11);
    const char* const pieces[] = {"a",       "\xC3\xA9",       "\\n", "\\\"", "\\\\", "\\/",
                                  "\\u00e9", "\\uD83D\\uDE00", "\\t", "]",    "}",    ","};
    for (int i = 0; i < 2'000; ++i) {
        std::string quoted = "\"";
        for (int n = std::uniform_int_distribution(0, 6)(random); n > 0; --n)
            quoted += pieces[std::uniform_int_distribution<std::size_t>(0, std::size(pieces) - 1)(random)];
        quoted += '"';
        JsonReader reader(quoted, 0, quoted.size());
        std::string value;
        REQUIRE(reader.string(value));
        CHECK(value == boost::json::parse(quoted).as_string());
        CHECK(reader.offset() == quoted.size());
        reader.go_to(0);
        reader.skip_value();
        CHECK(reader.offset() == quoted.size());
    }
}

TEST_CASE("a value is skipped up to what follows it") {
    const auto skipped = [](const std::string& text) {
        JsonReader reader(text, 0, text.size());
        reader.skip_value();
        return text.substr(0, reader.offset());
    };
    CHECK(skipped(" {\"a\":\"}\\\"]\"} ,1") == " {\"a\":\"}\\\"]\"}");
    CHECK(skipped("[[],{x}]]") == "[[],{x}]");
    CHECK(skipped("1.5e3,2") == "1.5e3");
    CHECK(skipped("\"a\\") == "\"a\\");
    CHECK(skipped("]").empty());
    CHECK(skipped("").empty());
}
