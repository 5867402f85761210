#include "protocol/filter/case_folding.hpp"

#include <catch2/catch.hpp>

#include "protocol/text/utf8.hpp"

using namespace sluice;
using namespace sluice::filter;

TEST_CASE("letters of every script are folded one by one") {
    CHECK(fold_case("") == "");
    CHECK(fold_case("Hello, WORLD 42") == "hello, world 42");
    CHECK(fold_case("ÄÖÜ Größe ẞ ß") == "äöü größe ß ß");
    CHECK(fold_case("ΣΊΣΥΦΟΣ ς") == "σίσυφοσ σ");
    CHECK(fold_case("ПРИВЕТ Ёж") == "привет ёж");
    CHECK(fold_case("ĲŊŽ ſ K Å") == "ĳŋž s k å");
    CHECK(fold_case("ՀԱՅ") == "հայ");
    CHECK(fold_case("\U00010400 \U0001E900") == "\U00010428 \U0001E922");
    CHECK(fold_case("Ꭰ ꭰ") == "Ꭰ Ꭰ");  // Cherokee folds to capitals
    CHECK(fold_case("標題 😀 עברית") == "標題 😀 עברית");
}

TEST_CASE("simple folding has no entries of several letters and none of Turkish") {
    CHECK(fold_case("İ I ı ŉ ﬁ") == "İ i ı ŉ ﬁ");
}

TEST_CASE("bytes that are no UTF-8 stay") {
    CHECK(fold_case("A\xFF"
                    "B\xC3") ==
          "a\xFF"
          "b\xC3");
    CHECK(fold_case("\xED\xA0\x80"
                    "Z") ==
          "\xED\xA0\x80"
          "z");
}

TEST_CASE("folding twice is folding once") {
    for (char32_t c = 0x80; c < 0x20000; ++c) {
        if (c >= 0xD800 && c < 0xE000) continue;
        std::string text;
        text::append_utf8(text, c);
        const std::string folded = fold_case(text);
        if (fold_case(folded) != folded) FAIL("U+" << std::hex << static_cast<unsigned>(c));
    }
}
