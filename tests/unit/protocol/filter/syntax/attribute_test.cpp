#include "protocol/filter/syntax/attribute.hpp"

#include <catch2/catch.hpp>

#include "protocol/filter/filter.hpp"

using namespace sluice;
using namespace sluice::filter;

TEST_CASE("an attribute's text reads back as itself, and is a filter") {
    const char* const texts[] = {
        "title",
        "dc:creator",
        "enclosure/@length",
        "../title",
        "../../@version",
        "..",
        ".",
        "*",
        "@*",
        "@id",
        "../*/@*",
        "author/name/text()",
        "text()",
        "größe",
        "$title",
        "$path",
        "string(title)",
        "string(../@id)",
        "string($category)",
        "normalize-space(title)",
        "string-length(title)",
        "count(category)",
        "count($category)",
        "sum(price/text())",
        "lower-case(title)",
        "lower-case($author)",
        "string(lower-case(title))",
        "date(pubDate)",
        "name(.)",
        "name(../..)",
    };
    for (const char* text : texts) {
        INFO(text);
        const auto attribute = parse_attribute(text);
        REQUIRE(attribute);
        CHECK(to_string(*attribute) == text);
        CHECK(compile_filter(text).has_value());
    }
}

TEST_CASE("only canonical texts are attributes") {
    const char* const texts[] = {
        "",         " title",    "title ",  "a//b",          "/a",          "a/..",
        "./a",      "a/.",       "@a/b",    "text()/a",      "a:b:c",       ":a",
        "a:",       "1a",        "a b",     "$titel",        "$",           "name(a)",
        "name(@a)", "name($id)", "count()", "count(a",       "string( a )", "sum(count(a))",
        "a|b",      "a[1]",      "dc:*",    "string($path)", "@",           "../@*/a",
        "node()",   "child::a",
    };
    for (const char* text : texts) {
        INFO(text);
        CHECK_FALSE(parse_attribute(text));
    }
}

TEST_CASE("an attribute's parts") {
    const auto attribute = parse_attribute("string-length(../../link/@href)");
    REQUIRE(attribute);
    CHECK(attribute->function == Attribute::Function::string_length);
    CHECK(attribute->path.parents == 2);
    CHECK(attribute->path.children == std::vector<std::string>{"link"});
    CHECK(attribute->path.last == AttributePath::Last::attribute);
    CHECK(attribute->path.attribute == "href");
    CHECK(attribute->variable.empty());
}
