#include "protocol/feed/data/element_name.hpp"

#include <catch2/catch.hpp>

#include "protocol/text/utf8.hpp"
#include "tests/unit/protocol/feed/expat_tree.hpp"

using namespace sluice;
using namespace sluice::feed;

TEST_CASE("keys that are names stay, others become names") {
    for (const char* name : {"a", "A-1.b", "_", "dc:date", "\xC3\xA9t\xC3\xA9"}) CHECK(element_name(name) == name);
    CHECK(element_name("") == "_");
    CHECK(element_name("2x") == "_2x");
    CHECK(element_name("my key") == "my_key");
    CHECK(element_name("a:b:c") == "a:b_c");
    CHECK(element_name(":a") == "_a");
    CHECK(element_name("a:1") == "a_1");
    CHECK(element_name("$ref/x") == "_ref_x");
}

TEST_CASE("names have the characters that XML's fourth edition allows") {
    struct Key {
        const char *key, *name;
    };
    for (const Key& k : {
             Key{"Preis \u20ac", "Preis__"},
             {"\u20ac", "_"},
             {"\u2160", "_"},  // a number form, a letter of the fifth edition
             {"a\u2070", "a_"},
             {"\u00aa", "_"},
             {"\u0130", "\u0130"},
             {"\u0132", "_"},  // a ligature
             {"\u01c4", "_"},
             {"\u0301a", "_\u0301a"},  // a mark begins no name
             {"a\u0301", "a\u0301"},
             {"\u0661", "_\u0661"},
             {"\u4ef7\u683c", "\u4ef7\u683c"},
             {"\u9fa6", "_"},  // an ideograph of a later Unicode
             {"\U00020000", "_"},
             {"\U0001F600 face", "__face"},
             {"\u3042\u30a2", "\u3042\u30a2"},
             {"\ud55c\uae00", "\ud55c\uae00"},
             {"a:\u20ac", "a__"},
             {"\u20ac:a", "_:a"},
         }) {
        INFO(k.key);
        CHECK(element_name(k.key) == k.name);
    }
}

TEST_CASE("expat reads the name of every key") {
    std::size_t kept = 0;
    for (char32_t c = 1; c < 0x11000; ++c) {
        std::string character;
        text::append_utf8(character, c);
        if (text::find_bad_text(character)) continue;
        const std::string alone = element_name(character), inside = element_name("a" + character + "b");
        if (!expat_tree("<" + alone + "/>").tree) FAIL(text::code_point_name(c) << " is written as " << alone);
        if (c != ':' && !expat_tree("<" + inside + "/>").tree) FAIL(text::code_point_name(c) << " in " << inside);
        const bool expat_knows = c != ':' && c > 0x20 && expat_tree("<a" + character + "b/>").tree;
        if (expat_knows && c != '/' && inside != "a" + character + "b") FAIL(text::code_point_name(c) << " is lost");
        kept += inside == "a" + character + "b";
    }
    CHECK(kept == 35'121 + 1);  // NameChar of the fourth edition without the colon, and the colon
}
