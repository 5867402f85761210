// By hand; tests/e2e/lower_case_test.py compares every letter with Python's.
#include "protocol/filter/syntax/lower_case.hpp"

#include <catch2/catch.hpp>

#include "protocol/text/utf8.hpp"

using namespace sluice;
using namespace sluice::filter;

TEST_CASE("letters of every script become lower case one by one") {
    CHECK(lower_case("") == "");
    CHECK(lower_case("Hello, WORLD 42 [\\]^_`{|}~@") == "hello, world 42 [\\]^_`{|}~@");
    CHECK(lower_case("ÄÖÜ Größe ẞ ß") == "äöü größe ß ß");
    CHECK(lower_case("ПРИВЕТ Ёж") == "привет ёж");
    CHECK(lower_case("ĲŊŽ K Å Ω") == "ĳŋž k å ω");
    CHECK(lower_case("ǅ ǲ") == "ǆ ǳ");  // title case
    CHECK(lower_case("ՀԱՅ") == "հայ");
    CHECK(lower_case("Ꭰ ꭰ Ᏸ ᏸ") == "ꭰ ꭰ ᏸ ᏸ");  // Cherokee
    CHECK(lower_case("Ა ა Ⴀ ⴀ") == "ა ა ⴀ ⴀ");          // Georgian
    CHECK(lower_case("\U00010400") == "\U00010428");            // Deseret
    CHECK(lower_case("\U0001E900") == "\U0001E922");            // Adlam
    CHECK(lower_case("Ⅷ Ⓐ Ａ") == "ⅷ ⓐ ａ");
    CHECK(lower_case("標題 😀 עברית") == "標題 😀 עברית");
}

TEST_CASE("small letters stay, whatever case folding makes of them") {
    for (const char* text : {"µm", "ſ", "ϐ ϑ ϕ ϖ ϰ ϱ ϵ", "ς", "ŉ ﬁ ǰ ΐ", "ı", "ͅ"}) CHECK(lower_case(text) == text);
}

TEST_CASE("İ keeps its dot") {
    CHECK(lower_case("İ I ı") == "i̇ i ı");
    CHECK(lower_case("İSTANBUL") == "i̇stanbul");
}

TEST_CASE("a sigma at the end of a word is final") {
    CHECK(lower_case("ΟΔΌΣ") == "οδός");
    CHECK(lower_case("οδός") == "οδός");
    CHECK(lower_case("ΣΊΣΥΦΟΣ") == "σίσυφος");
    CHECK(lower_case("ΟΔΟΣ ΟΔΟΣ, ΟΔΟΣ") == "οδος οδος, οδος");
    CHECK(lower_case("Σ") == "σ");
    CHECK(lower_case("ΣΑΣ ΣΣ Σ ΑΣΑ") == "σας σς σ ασα");
    CHECK(lower_case("1Σ aΣ aΣ1 Σa") == "1σ aς aς1 σa");
    // Apostrophes, points and accents are passed over.
    CHECK(lower_case("Α'Σ ΑΣ' ΑΣ'Α ΑΣ.Α Α.Σ") == "α'ς ας' ασ'α ασ.α α.ς");
    CHECK(lower_case("Α\u0301Σ\u0301 Σ\u0301\u0301Α \u0301Σ") == "α\u0301ς\u0301 σ\u0301\u0301α \u0301σ");
    CHECK(lower_case("\U00010400Σ\U000E0001 \U00010400Σ\U00010400") == "\U00010428ς\U000E0001 \U00010428σ\U00010428");
    CHECK(lower_case("AΣ") == "aς");
}

TEST_CASE("a word of nothing but sigmas and accents takes time linear in it") {
    std::string text;
    for (int i = 0; i < 50'000; ++i) text += "Σ\u0301\u0301\u0301\u0301";
    CHECK(lower_case(text).size() == text.size());
    const std::string accents(200'000, '\'');
    CHECK(lower_case("Α" + accents + "Σ" + accents) == "α" + accents + "ς" + accents);
}

TEST_CASE("bytes that are no UTF-8 stay") {
    CHECK(lower_case("A\xFF"
                     "B\xC3") ==
          "a\xFF"
          "b\xC3");
    CHECK(lower_case("\xED\xA0\x80"
                     "Z") ==
          "\xED\xA0\x80"
          "z");
    CHECK(lower_case("Α\xFFΣ Σ\xFF Α\x80\x80\x80\x80\x80Σ ΑΣ\xCE") == "α\xFFσ σ\xFF α\x80\x80\x80\x80\x80σ ας\xCE");
}

TEST_CASE("the lower case of a lower case is itself") {
    for (char32_t c = 0x80; c < 0x20000; ++c) {
        if (c >= 0xD800 && c < 0xE000) continue;
        std::string text;
        text::append_utf8(text, c);
        const std::string lower = lower_case("A" + text + "Σ");
        if (lower_case(lower) != lower) FAIL("U+" << std::hex << static_cast<unsigned>(c));
    }
}
