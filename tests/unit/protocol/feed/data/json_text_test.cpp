#include "protocol/feed/data/json_text.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <cstdio>
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

}  // namespace

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
