#include "gpu/operators/edits/characters.hpp"

#include <catch2/catch.hpp>

using namespace sluice::edits;

TEST_CASE("characters are code points", "[approximate]") {
    CHECK(characters("").empty());
    CHECK(characters("aß漢😀") == U"aß漢😀");
    CHECK(characters(std::string_view("\0\x7f", 2)) == std::u32string({0, 0x7F}));
    CHECK(characters("\xC2\x80\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF") ==
          std::u32string({0x80, 0xD7FF, 0xE000, 0x10FFFF}));
}

TEST_CASE("a byte that belongs to no well-formed sequence is a character", "[approximate]") {
    const auto bad = [](std::initializer_list<unsigned> bytes) {
        std::u32string codes;
        for (const unsigned byte : bytes) codes.push_back(bad_byte_base + byte);
        return codes;
    };
    CHECK(characters("\x80") == bad({0x80}));
    CHECK(characters("\xC3") == bad({0xC3}));
    CHECK(characters("\xC0\x80") == bad({0xC0, 0x80}));                      // overlong
    CHECK(characters("\xE0\x80\x80") == bad({0xE0, 0x80, 0x80}));            // overlong
    CHECK(characters("\xED\xA0\x80") == bad({0xED, 0xA0, 0x80}));            // a surrogate
    CHECK(characters("\xF4\x90\x80\x80") == bad({0xF4, 0x90, 0x80, 0x80}));  // above 10FFFF
    CHECK(characters("\xE6\xBC") == bad({0xE6, 0xBC}));                      // cut off
    CHECK(characters("\xE6"
                     "a\xFF") == bad({0xE6}) + U"a" + bad({0xFF}));
}

TEST_CASE("texts of ASCII are told apart at every place", "[approximate]") {
    for (std::size_t n = 0; n < 20; ++n) {
        CHECK(is_ascii(std::string(n, '\x7f')));
        for (std::size_t i = 0; i < n; ++i) {
            std::string text(n, 'a');
            text[i] = '\x80';
            CHECK_FALSE(is_ascii(text));
        }
    }
}
