#include "protocol/filter/siblings.hpp"

#include <catch2/catch.hpp>

#include "protocol/filter/filter.hpp"

using namespace sluice;
using namespace sluice::filter;

namespace {

// The part of the filter that needs siblings; empty: none does.
std::string needs(const char* text) {
    const auto filter = compile_filter(text);
    if (!filter) FAIL(text << ": " << filter.error().message);
    return needs_siblings(*filter).value_or("");
}

}  // namespace

TEST_CASE("filters that see the item and what is above it") {
    const char* const filters[] = {
        "true()",
        "title = 'x'",
        "not(category != 'a') or price * 2 < 90",
        "category[2] = 'x'",
        "category[last()] = category[position() = 1]",
        ".//@href",
        "*//b/following-sibling::c[1]",
        "a/preceding-sibling::*",
        "title/.. = link/..",
        "a/ancestor::b",
        "count(*/ancestor::*) > 3",
        "../@id = 'x'",
        "../../@*",
        "../../..",
        "name(..) = 'channel'",
        "local-name(../..) = 'rss'",
        "count(ancestor::*) = 2",
        "count(ancestor-or-self::node()) = 3",
        "ancestor::*[last()]/@version > 1",
        "ancestor::*[@xml:lang][1]/@xml:lang = 'de'",
        "not(parent::channel)",
        "parent::*[@a = 'x' or name() = 'y']",
        "lang('de')",
        "self::item[title]",
        "boolean(/)",
        "title and /",
        "id('a') = 'x'",
        "../@a/.. and title",
        "../@a/following-sibling::b",
        "$title = 'x' and $category = $author",
        "$feed_title = 'x' or $stream = 'y'",
        "contains($path, 'item')",
        "approx-contains(title, 'abc', 1)",
        "align(sequence, 'ACGT') > 3",
        "lower-case(../@id) = 'x'",
        "//item",
        "//item[price < 90]",
        "//*[@id]",
        "/rss/channel/item[contains(title, 'x')]",
        "/rss[@version = '2.0']/*[@id]/item[a/b[2]]",
        "//item[a] | /feed/entry",
    };
    for (const char* filter : filters) {
        INFO(filter);
        CHECK(needs(filter) == "");
    }
}

TEST_CASE("filters that see more name the part that does") {
    struct Case {
        const char* filter;
        const char* part;
    };
    const Case cases[] = {
        {"../title = 'x'", "../title"},
        {"title = ../title", "../title"},
        {"price < 90 and not(../../image)", "../../image"},
        {"count(../item) > 2", "../item"},
        {"../text() = 'x'", "../text()"},
        {"../node()", "../node()"},
        {"preceding-sibling::item", "preceding-sibling::item"},
        {"not(following-sibling::*)", "following-sibling::*"},
        {"following::a[b = 'x']", "following::a[b = 'x']"},
        {"title/preceding::a", "title/preceding::a"},
        {"a//ancestor::channel/title", "a//ancestor::channel/title"},
        {"ancestor-or-self::*/link", "ancestor-or-self::*/link"},
        {"../.. = 'x'", "../.."},
        {"string(..) = 'x'", ".."},
        {"string-length(..) > 5", ".."},
        {"contains(.., 'x')", ".."},
        {"normalize-space(ancestor::channel) = 'x'", "ancestor::channel"},
        {"title = ancestor::*", "ancestor::*"},
        {"ancestor::*[. = 'x']", "."},
        {"ancestor::*[string-length() > 5]", "."},
        {"ancestor::*[starts-with(., 'x')]", "."},
        {"ancestor::*[title]", "title"},
        {"parent::*[item[2]]", "item[2]"},
        {"self::item/..//@id", ".//@id"},
        {"count(//item) > 2", "//item"},
        {"boolean(/rss/@version)", "/rss/@version"},
        {"title = /rss/channel/title", "/rss/channel/title"},
        {"a[b = //c]", "//c"},
        {"(title | ../title)[. = 'x']", "../title"},
        {"(../title)[1] = 'x'", "../title"},
        {"sum(../item/price) > 3", "../item/price"},
        {"position() = 1 and title", "position()"},
        {"last() > 3", "last()"},
        {"approx-contains(../title, 'abc', 1)", "../title"},
        {"lower-case(..) = 'x'", ".."},
        {"//item[1]", "//item[1]"},
        {"//item[last()]", "//item[last()]"},
        {"(//item)[3]", "//item"},
        {"//channel[title = 'x']/item", "../title"},
        {"/rss/channel[item/title = 'x']/item", "../item/title"},
        {"//item[preceding-sibling::item]", "preceding-sibling::item"},
        {"//item[a] | //item[2]", "//item[2]"},
        {"/rss/channel[contains(., 'x')]/item", ".."},
    };
    for (const Case& c : cases) {
        INFO(c.filter);
        CHECK(needs(c.filter) == c.part);
    }
}
