#include "protocol/filter/compile/searches.hpp"

#include <catch2/catch.hpp>

#include "protocol/filter/filter.hpp"
#include "protocol/filter/syntax/checker.hpp"
#include "protocol/filter/syntax/parser.hpp"

using namespace sluice;
using namespace sluice::filter;
using namespace sluice::filter;

TEST_CASE("searches are counted where they multiply") {
    const auto [text, expected] = GENERATE(table<const char*, std::size_t>({
        {"title = 'x' and price < 3", 0},
        {"media:content[@type = 'x']/@url", 0},
        {"*[*[*[a]]]", 0},
        {"../title", 1},
        {"count(//item) > 2", 1},
        {".//a//b/c", 1},
        {"/rss/channel/item", 1},
        {"//a + //b", 1},
        {"//a = //b", 1},
        {"//a != 'x'", 1},
        {"b = ../a/b", 1},
        {"//c[//a < //b]", 1},
        {"(//a)[1]", 1},
        {"ancestor::*", 0},
        {"preceding-sibling::item", 1},
        {"item[//a]", 1},
        {"../parent::node()[//a]", 1},
        {"(//a)[//b]", 1},
        {"//a/following::b", 1},
        {"//a/following::b[1]", 2},
        {"//a[following::b]", 2},
        {"//a[following::b = //c]", 2},
        {"a = preceding::b", 1},
        {"//item[not(title = preceding-sibling::item/title)]", 2},
        {"/a/b[/a/b[/a/b]]", 1},
        {"../*[../*[../*]]", 3},
        {"//*[//*[//*[zzz]]]", 1},
        {"count(//*[count(//*[count(//*) > 5]) > 5]) > 5", 1},
        {"//*[following::*[preceding::x]]", 3},
    }));
    INFO(text);
    Expression expression = parse(text, 100);
    check(expression);
    CHECK(nested_searches(expression) == expected);
}

TEST_CASE("only scanned leaves are bounded: what a path selects is indexed by name") {
    CHECK(compile_filter("//item[following::*[preceding::x]]", {.searches_max = 2}).has_value());
    CHECK_FALSE(compile_filter("//item[following::*[preceding::*[following::x]]]", {.searches_max = 2}).has_value());
    CHECK(compile_filter("../title = 'x'", {.searches_max = 0}).has_value());
}
