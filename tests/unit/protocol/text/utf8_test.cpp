#include "protocol/text/utf8.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace sluice;
using namespace sluice::text;

namespace {

// The definition: a character at a time.
std::optional<std::size_t> find_bad_character(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char c = utf8_at(text, at);
        if (c.length == 0 || !is_xml_char(c.code)) return at;
        at += c.length;
    }
    return std::nullopt;
}

}  // namespace

TEST_CASE("every character is written and read back") {
    for (char32_t code = 0; code <= 0x10FFFF; code += code < 0x1000 ? 1 : 97) {
        if (code >= 0xD800 && code <= 0xDFFF) continue;
        std::string text;
        append_utf8(text, code);
        const Utf8Char c = utf8_at(text, 0);
        REQUIRE(c.code == code);
        REQUIRE(c.length == text.size());
        REQUIRE(find_bad_text(text).has_value() == !is_xml_char(code));
    }
}

TEST_CASE("what is no UTF-8 has length 0") {
    for (const char* bytes : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x80\x80", "\xE0\x9F\xBF",
                              "\xE2\x82", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF",
                              "\xF0\x9F\x98", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE", "\xFF"}) {
        CHECK(utf8_at(bytes, 0).length == 0);
        CHECK(find_bad_text("0123456789" + std::string(bytes)) == 10u);
    }
    CHECK(utf8_at("", 0).length == 0);
    CHECK(utf8_at("a", 1).length == 0);
}

TEST_CASE("bad text is found wherever it stands") {
    const std::string good(40, 'x');
    CHECK_FALSE(find_bad_text(good));
    CHECK_FALSE(find_bad_text("a\tb\r\nc\x7F" + good));
    for (std::size_t at = 0; at < good.size(); ++at) {
        for (const char bad : {'\0', '\x01', '\x1F', '\x80', '\xFF'}) {
            std::string text = good;
            text[at] = bad;
            CHECK(find_bad_text(text) == at);
        }
    }
}

TEST_CASE("bad text is found as if character by character") {
    std::mt19937 random(5);
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (std::size_t n = random() % 100; n > 0; --n)
            append_utf8(text, static_cast<char32_t>(random() % (random() % 2 == 0 ? 0x80 : 0x11000)));
        CHECK(find_bad_text(text) == find_bad_character(text));
        std::string good;
        for (std::size_t n = random() % 100; n > 0; --n)
            append_utf8(good,
                        static_cast<char32_t>(random() % 3 == 0 ? 0x20 + random() % 0x500 : 0x20 + random() % 0x5f));
        CHECK(find_bad_text(good) == find_bad_character(good));
        if (good.empty()) continue;
        good[random() % good.size()] = static_cast<char>(random());
        CHECK(find_bad_text(good) == find_bad_character(good));
    }
}

TEST_CASE("a text is shortened between characters") {
    CHECK(sluice::text::shortened_utf8("abc", 3) == "abc");
    CHECK(sluice::text::shortened_utf8("abcd", 3) == "abc…");
    CHECK(sluice::text::shortened_utf8("aéb", 2) == "a…");
    CHECK(sluice::text::shortened_utf8("aéb", 3) == "aé…");
    CHECK(sluice::text::shortened_utf8("\xF0\x9F\x98\x80", 3) == "…");
    CHECK(sluice::text::shortened_utf8("", 0).empty());
}
