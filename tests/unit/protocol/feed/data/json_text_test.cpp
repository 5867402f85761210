#include "protocol/feed/data/json_text.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>

#include "protocol/text/utf8.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

std::string json_string(std::string_view text) {
    std::string json;
    append_json_string(json, text);
    return json;
}

// The definition: a character at a time.
std::string json_string_by_character(std::string_view text) {
    std::string json = "\"";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = text::utf8_at(text, at).length;
        const char c = text[at];
        char code[8];
        std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned char>(c));
        if (length != 1)
            json += length == 0 ? "\xEF\xBF\xBD" : text.substr(at, length);
        else if (c == '"' || c == '\\')
            json += std::string("\\") + c;
        else if (c == '\n' || c == '\r' || c == '\t')
            json += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
        else
            json += c < 0x20 || c == 0x7f ? std::string(code) : std::string(1, c);
        at += length == 0 ? 1 : length;
    }
    return json + '"';
}

// A random value, written by the writer and, by definition, as text.
std::string write_value(JsonWriter& json, std::mt19937& random, int depth) {
    const std::string_view texts[] = {"", "a", "two \"words\"", "\n", "é", "the river rose over its banks on Tuesday"};
    const auto any_text = [&] { return texts[random() % std::size(texts)]; };
    const std::size_t kind = random() % (depth < 4 ? 6u : 4u);
    if (kind == 0) {
        const auto number = static_cast<std::int64_t>(random()) - (1 << 30);
        json.number(number);
        return std::to_string(number);
    }
    if (kind == 1) {
        json.literal("[1, ");
        json.more("2]");
        return "[1, 2]";
    }
    if (kind <= 3) {
        const std::string_view text = any_text();
        json.string(text);
        return json_string_by_character(text);
    }
    const bool is_object = kind == 4;
    std::string expected(1, is_object ? '{' : '[');
    json.open(expected[0]);
    for (std::size_t n = random() % 5, i = 0; i < n; ++i) {
        if (i > 0) expected += ',';
        if (is_object && random() % 2 == 0) {
            json.written_name(R"("name":)");
            expected += R"("name":)";
        } else if (is_object) {
            const std::string_view name = any_text();
            json.name(name);
            expected += json_string_by_character(name) + ':';
        }
        expected += write_value(json, random, depth + 1);
    }
    json.close(is_object ? '}' : ']');
    return expected + (is_object ? '}' : ']');
}

}  // namespace

TEST_CASE("JsonWriter: any values, with room or without → their JSON") {
    std::mt19937 random(9);
    for (int i = 0; i < 3'000; ++i) {
        JsonWriter json(random() % 2 == 0 ? 0 : random() % 1'000);
        const std::string expected = write_value(json, random, 0);
        CHECK(json.view() == expected);
        REQUIRE(json.take() == expected);
    }
}

TEST_CASE("JsonWriter: members that follow others → with a comma before the first") {
    JsonWriter json;
    json.follow_members();
    json.written_name(R"("a":)");
    json.open('[');
    json.number(1);
    json.number(std::numeric_limits<std::int64_t>::min());
    json.number(std::numeric_limits<std::uint64_t>::max());
    json.close(']');
    json.name("b");
    json.literal("null");
    CHECK(json.take() == R"(,"a":[1,-9223372036854775808,18446744073709551615],"b":null)");
}

TEST_CASE("strings are escaped where JSON asks for it") {
    CHECK(json_string("") == R"("")");
    CHECK(json_string("plain") == R"("plain")");
    CHECK(json_string("a\"b\\c\n\r\td\x01\x1f") == R"("a\"b\\c\n\r\td\u0001\u001f")");
    CHECK(json_string("é€😀") == "\"é€😀\"");
    CHECK(json_string(std::string("\0", 1)) == R"("\u0000")");
}

TEST_CASE("bytes that are no UTF-8 become U+FFFD") {
    CHECK(json_string("a\xff z") == "\"a\xEF\xBF\xBD z\"");
    CHECK(json_string("\xED\xA0\x80") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // a surrogate
    CHECK(json_string("\xC3") == "\"\xEF\xBF\xBD\"");
}

TEST_CASE("strings are written as if character by character") {
    std::mt19937 random(8);
    const std::string_view pieces[] = {
        "a",    "b c d", "\"", "\\",       "\n\t\r", "é",    "😀\xE2\x80\xA8",
        "\x7f", "\x1b",  "</", "\xE2\x82", "\x80",   "\xFF", "the river rose over its banks"};
    for (int i = 0; i < 5000; ++i) {
        const std::size_t kinds = 1 + random() % std::size(pieces), first = random() % std::size(pieces);
        std::string text = "x";
        for (std::size_t n = random() % 200; n > 0; --n) text += pieces[(first + random() % kinds) % std::size(pieces)];
        CAPTURE(text);
        REQUIRE(json_string(text) == json_string_by_character(text));
    }
    for (int c = 0; c < 256; ++c) {
        const std::string text(1, static_cast<char>(c));
        CHECK(json_string(text) == json_string_by_character(text));
    }
}

TEST_CASE("every text gives valid JSON, and every valid text comes back") {
    std::mt19937 random(7);
    const std::string_view pieces[] = {"a", "\"", "\\", "\n", "é", "😀", "\xE2\x80\xA8", "\x7f", "\x1b", "</"};
    for (int i = 0; i < 2000; ++i) {
        std::string valid, any;
        for (std::size_t n = random() % 20; n > 0; --n) {
            valid += pieces[random() % std::size(pieces)];
            any += static_cast<char>(random());
        }
        CHECK(boost::json::parse(json_string(valid)).as_string() == valid);
        boost::json::error_code error;
        boost::json::parse(json_string(any), error);
        CHECK_FALSE(error);
    }
}
