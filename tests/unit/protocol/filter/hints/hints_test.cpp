// Hints about valid filters: what gets one, what it suggests, and what must not get one.
#include "protocol/filter/hints/hints.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "gpu/api/predicate.hpp"
#include "protocol/filter/filter.hpp"

using namespace sluice;
using namespace sluice::filter;

namespace {

Filter compiled(const std::string& text) {
    auto filter = compile_filter(text);
    if (!filter) FAIL(text << "\n" << filter.error().message);
    return std::move(*filter);
}

struct Case {
    const char* text;
    std::size_t offset;
    const char* message;  // a part of the only hint
};

void check(const Case& c) {
    const Filter filter = compiled(c.text);
    INFO(c.text);
    REQUIRE(filter.hints.size() == 1);
    INFO(filter.hints[0].message);
    CHECK(filter.hints[0].message.find(c.message) != std::string::npos);
    CHECK(filter.hints[0].offset == c.offset);
    CHECK(filter.hints[0].column == c.offset + 1);
}

}  // namespace

TEST_CASE("a path that leads past the item gets the path to write") {
    const Case cases[] = {
        {"//item/title", 0, "selects <title> elements inside items, and only items match; write //item[title]"},
        {"/rss/channel/item/title", 0, "write /rss/channel/item[title]"},
        {"//entry/link/@rel", 0, "selects attributes inside items, and only items match; write //entry[link/@rel]"},
        {"//item//b", 0, "write //item[.//b]"},
        {"//item[price < 5]/title[. = 'x']", 0, "write //item[price < 5][title[. = 'x']]"},
        {"//item/text()", 0, "selects texts inside items"},
        {"//entry | //item/title", 10, "write //item[title]"},
        {"//@id", 0, "selects attributes, and only items match; write //*[@id]"},
        {"/rss/@version", 0, "selects attributes, and only items match; write //item, //entry or //*"},
        {"/", 0, "selects the document"},
        {"//title", 0, "write title for items that have one"},
        {"//category[. = 'a']", 0, "write category[. = 'a'] for items"},
        {"/rss/channel", 0, "such as /rss/channel/item"},
        {"//channel[title = 'x']", 0, "selects <channel> elements"},
        {"//item/title = 'x'", 0, "looks at all items of the document; for the item itself write title"},
        {"//category = 'x' and price < 5", 0, "for the item itself write category"},
        {"/title = 'x'", 0, "starts at the root of the document; for the item itself write title"},
        {"contains(//item/title, 'x')", 9, "write title"},
        {"price < 5 and not(//item/title)", 18, "write title"},
        {"//item[//item/title = 'x']", 7, "write title"},
        {"channel/item[price < 5]", 0, "starts at the item, which contains no <channel>; write //item[price < 5]"},
        {"rss/channel/item", 0, "write //item"},
        {"feed/entry/title = 'x'", 0, "write title"},
        {"contains(channel/item/title, 'x')", 9, "write title"},
    };
    for (const Case& c : cases) check(c);
}

TEST_CASE("a name that should be text gets quotes") {
    const Case cases[] = {
        {"category = politics", 9, "write category = 'politics'"},
        {"politics = category", 9, "write 'politics' = category"},
        {"$category = politics", 10, "write $category = 'politics'"},
        {"//item[category != sports]", 16, "write category != 'sports'"},
        {"enclosure/@type = audio", 16, "write enclosure/@type = 'audio'"},
        {"dc:creator = bob", 11, "'bob'"},
        {"name() = item", 7, "'item'"},
        {"local-name() = title", 13, "'title'"},
        {"a = true", 2, "write a = 'true'"},
        {"contains(title, news)", 16, "write contains(title, 'news')"},
        {"starts-with($link, http)", 19, "write starts-with($link, 'http')"},
        {"$published > yesterday", 11, "write a date such as '2024-01-31'"},
        {"'category' = 'politics'", 11, "a name has no quotes: category = 'politics'"},
        {"contains('title', 'news')", 0, "a name has no quotes: contains(title, 'news')"},
    };
    for (const Case& c : cases) check(c);
}

TEST_CASE("a condition that is the same for every item gets a hint") {
    const Case cases[] = {
        {"'news'", 0, "always holds; to search for it write contains($title, 'news')"},
        {"5", 0, "always holds"},
        {"0", 0, "never holds"},
        {"''", 0, "never holds"},
        {"category = 'a' or 'b'", 18, "write category = 'a' or category = 'b'"},
        {"//item[category = 'a' or 'b']", 25, "write category = 'a' or category = 'b'"},
        {"price > 5 and 7", 14, "write price > 5 and price > 7"},
        {"not('a')", 4, "always holds"},
        {"5 < 3", 2, "both sides are constants"},
        {"price and not(price)", 6, "no item can satisfy this filter"},
    };
    for (const Case& c : cases) check(c);
    for (const char* text : {"true()", "false()"}) CHECK(compiled(text).hints.empty());
}

TEST_CASE("a comparison of true or false with something else gets a hint") {
    const Case cases[] = {
        {"1 < price < 5", 10, "write 1 < price and price < 5"},
        {"5 > price > 1", 10, "write 5 > price and price > 1"},
        {"1 < (price < 5)", 2, "write 1 < price and price < 5"},
        {"title = link = guid", 13, "write title = link and link = guid"},
        {"not(category) = 'politics'", 14, "write not(category = 'politics')"},
        {"contains(title, 'x') = 'false'", 21, "write true() or false()"},
        {"contains(title, 'x') > 1", 21, "never holds"},
        {"contains(title, 'x') < 2", 21, "always holds"},
        {"guid/@isPermaLink = false()", 18, "write guid/@isPermaLink = 'false'"},
        {"price > true()", 6, "this asks whether there is any price, whatever its text"},
        {"true() = draft", 7, "write 'true' = draft"},
    };
    for (const Case& c : cases) check(c);
}

TEST_CASE("a comparison with what is no number gets a hint") {
    const Case cases[] = {
        {"price > 'cheap'", 6, "'cheap' is not a number, and > compares numbers, so this never holds"},
        {"'cheap' < price", 8, "never holds"},
        {"count(category) = 'x'", 16, "never holds"},
        {"count(category) != 'x'", 16, "always holds"},
        {"pubDate > '2024-01-01'", 8, "write date(pubDate) > '2024-01-01', or compare $published"},
        {"pubDate > 2024", 8, "pubDate is a date; write date(pubDate) > '2024', or compare $published"},
        {"'2024' <= pubDate", 7, "write '2024' <= date(pubDate)"},
        {"//item[updated < 2024]", 15, "write date(updated) < '2024'"},
        {"$published > 'yesterday'", 11, "'yesterday' is not a date"},
        {"$published > '2024-13-45'", 11, "write it as '2024-01-31' or '2024-01-31T10:00:00Z'"},
        {"$published = '01/02/2006'", 11, "single meaning"},
        {"$updated != 'x'", 9, "always holds"},
        {"$published > 2024", 11, "for the date write '2024-01-01'"},
        {"$published > 20240131", 11, "for the date write '2024-01-31'"},
        {"$published > 1704067200000", 11, "write '2024-01-01T00:00:00Z'"},
        {"$published = '2024-01-31'", 11, "$published >= '2024-01-31' and $published < '2024-02-01'"},
        {"$published[. = '2024-12-31']", 13, ". >= '2024-12-31' and . < '2025-01-01'"},
        {"date(pubDate) > date('tomorrow')", 16, "date() can't read 'tomorrow'"},
        {"contains($published, '2024')", 0, "$published >= '2024-01-31'"},
    };
    for (const Case& c : cases) check(c);
}

TEST_CASE("a text that lower-case() never gives gets a hint") {
    const Case cases[] = {
        {"lower-case(title) = 'ABC'", 18, "lower-case(title) never contains 'ABC'; write lower-case(title) = 'abc'"},
        {"'Bob' != lower-case($author)", 6, "write 'bob' != lower-case($author)"},
        {"string(lower-case(title)) = 'ΟΔΌΣ'", 26, "write string(lower-case(title)) = 'οδός'"},
        {"contains(lower-case(category), 'Politics')", 31,
         "lower-case(category) never contains 'Politics'; write contains(lower-case(category), 'politics')"},
        {"starts-with(lower-case(link), 'HTTPS:')", 30, "write starts-with(lower-case(link), 'https:')"},
        {"not(ends-with(lower-case(link), '.PDF'))", 32, "'.pdf'"},
        {"//item[contains(lower-case(title), 'GPU')]", 35, "'gpu'"},
    };
    for (const Case& c : cases) check(c);
    if (!engine::invalid_reason({engine::Measure::Kind::matches, "a", "", 0, 0}).empty()) return;  // no RE2
    check({"matches(lower-case(title), '^GPU.A')", 27, "write matches(lower-case(title), '^gpu.a')"});
    for (const char* text : {"(?i)GPU", "GPU|gpu", "[A-z]", "\\W", "aB?", "aB*"})
        CHECK(compiled("matches(lower-case(title), '" + std::string(text) + "')").hints.empty());
}

TEST_CASE("hints: a test that holds for all items of a document or for none says how to select them") {
    const Case cases[] = {
        {"//a[x] or //b[y]", 0,
         "each of these paths is true for all items of the document if it is for one; write //a[x] | //b[y]"},
        {"//item[price < 5] or //entry[price < 5]", 0, "write //item[price < 5] | //entry[price < 5]"},
        {"/rss/channel/item or /feed/entry", 0, "write /rss/channel/item | /feed/entry"},
        {"(//item[a]) or (//item[b]) or //entry", 1, "write //item[a] | //item[b] | //entry"},
        {"//item[a] and //item[b = 'x']", 0, "write //item[a][b = 'x']"},
        {"//item and //item[b]", 0, "write //item[b]"},
        {"/feed/entry[a] and /feed/entry[b]", 0, "write /feed/entry[a][b]"},
        {"//item[a] and price < 5", 0, "for the item itself write self::item[a]"},
        {"price < 5 or //entry[a][b]", 13, "for the item itself write self::entry[a][b]"},
        {"/rss/channel/item[a] or price < 5", 0, "write self::item[a]"},
        {"item[price < 5]", 0, "looks for an <item> inside it; write //item[price < 5]"},
        {"entry", 0, "write //entry"},
        {"item", 0, "write //item"},
        {"entry[a = 'x'][1]", 0, "write //entry[a = 'x'][1]"},
        {"item[a] | //entry[a]", 0, "write //item[a]"},
        {"item[a] and price < 5", 0, "write self::item[a]"},
    };
    for (const Case& c : cases) check(c);
    for (const char* text :
         {"//a[x] | //b[y]", "boolean(//a[x]) or boolean(//b[y])", "self::item[a] and price < 5", "//order[item]",
          "item/price < 5", "not(//item[price < 5])", "//channel[title = 'x'] and price < 5", "/rss or /feed"}) {
        INFO(text);
        CHECK(compiled(text).hints.empty());
    }
}

TEST_CASE("hints: a word alone is the name of an element") {
    const Case cases[] = {
        {"politics", 0,
         "politics alone asks whether the item has an element <politics>; for the text write category = 'politics' or "
         "contains(., 'politics')"},
        {" sports", 1, "category = 'sports'"},
        {"(news)", 1, "contains(., 'news')"},
        {"covid-19", 0, "category = 'covid-19'"},
        {"politik", 0, "'politik'"},
        {"Größe", 0, "'Größe'"},
        {"sold", 0, "<sold>"},
        {"politics or sports", 0, "'politics'"},
        {"politics and sports and news", 0, "'politics'"},
        {"politics | sports", 0, "'politics'"},
    };
    for (const Case& c : cases) check(c);
    for (const char* text :
         {"title", "enclosure", "dc:creator", "author or contributor", "not(sold)", "@id", "//*[sold]",
          "sold and price < 5", "sold = 'true'", "channel", "link | guid", "a/b", "a", "ab"}) {
        INFO(text);
        CHECK(compiled(text).hints.empty());
    }
}

TEST_CASE("hints: a '-' in a name does not subtract") {
    const Case cases[] = {
        {"price-10 < 100", 9, "price-10 is one name, since names may have a '-'; to subtract write price - 10"},
        {"100 > price-10", 4, "write price - 10"},
        {"price-10 = 5", 9, "write price - 10"},
        {"price-10 != -1", 9, "write price - 10"},
        {"price-1.5 <= 5", 10, "write price - 1.5"},
        {"enclosure/@length-100 > 5", 22, "write enclosure/@length - 100"},
        {"a/b-1 > 5", 6, "write a/b - 1"},
        {"2 * price-10 > 5", 13, "write price - 10"},
        {"total < price-10", 6, "write price - 10"},
        {"//item[price-10 < 100]", 16, "write price - 10"},
        {"old-price-10 < 100", 13, "write old-price - 10"},
    };
    for (const Case& c : cases) check(c);
    for (const char* text : {"price - 10 < 100", "price -10 < 100", "old-price < 100", "version-2 = 'x'",
                             "contains(covid-19, 'x')", "10 - price < 5"}) {
        INFO(text);
        CHECK(compiled(text).hints.empty());
    }
}

TEST_CASE("hints: a function that reads the first of several values says how to test each") {
    const Case cases[] = {
        {"contains($category, 'x')", 0,
         "contains() reads only the first $category of an item; to test each write $category[contains(., 'x')]"},
        {"starts-with($category, 'x')", 0, "starts-with() reads only the first $category"},
        {"contains($author, 'x')", 0, "write $author[contains(., 'x')]"},
        {"contains(category, 'x')", 0, "write category[contains(., 'x')]"},
        {"contains(category/@term, 'x')", 0, "write category/@term[contains(., 'x')]"},
        {"contains(dc:subject, 'x')", 0, "write dc:subject[contains(., 'x')]"},
        {"not(contains($category, 'x'))", 4, "write $category[contains(., 'x')]"},
        {"//item[contains(category, 'x')]", 7, "write category[contains(., 'x')]"},
        {"contains(normalize-space($category), 'x')", 0,
         "normalize-space() reads only the first $category of an item; to test each write "
         "$category[contains(normalize-space(.), 'x')]"},
        {"normalize-space($category) = 'x'", 27, "write $category[normalize-space(.) = 'x']"},
        {"'x' = string(category)", 4, "write category['x' = string(.)]"},
        {"string-length($category) > 3", 25, "write $category[string-length(.) > 3]"},
        {"substring-before(tags, ':') = 'x'", 28, "write tags[substring-before(., ':') = 'x']"},
    };
    for (const Case& c : cases) {
        check(c);
        const std::string message = compiled(c.text).hints[0].message;
        CHECK(compiled(message.substr(message.find("write ") + 6)).hints.empty());
    }
    for (const char* text :
         {"$category[contains(., 'x')]", "contains(category[2], 'x')", "contains(lower-case(category), 'x')",
          "ends-with(category, 'x')", "contains(title, 'x')", "contains($title, category)", "count(category) > 1"}) {
        INFO(text);
        CHECK(compiled(text).hints.empty());
    }
}

TEST_CASE("hints: a comparison that holds if any of several values differs says how to exclude one") {
    const Case cases[] = {
        {"$category != 'politics'", 10,
         "this holds if any $category of an item differs; where none may be 'politics' write "
         "not($category = 'politics')"},
        {"'x' != $author", 4, "write not('x' = $author)"},
        {"category != 'x' and price < 5", 9, "write not(category = 'x')"},
        {"category/@term != 'x'", 15, "write not(category/@term = 'x')"},
        {"//item[dc:subject != 'x']", 18, "write not(dc:subject = 'x')"},
    };
    for (const Case& c : cases) check(c);
    for (const char* text : {"not($category = 'x')", "category[1] != 'x'", "$title != 'x'", "price != 'x'",
                             "category != 5", "category != ../category", "$category[. != 'x']"}) {
        INFO(text);
        CHECK(compiled(text).hints.empty());
    }
}

TEST_CASE("filters that mean what they say get no hint") {
    for (const char* text : {
             "category = 'politics'",
             "'politics' = category",
             "$category = 'politics' and price < 90",
             "//item[category = 'politics' and price < 90]",
             "/rss/channel[title = 'World news']/item[starts-with(link, 'https://example.org/')]",
             "//entry[link/@rel = 'enclosure']",
             "//item | //entry",
             "(//item)[1]",
             "//item[1]",
             "//*",
             "//*[price]",
             "/feed/entry",
             "//observation",
             "/readings/sensor",
             "count(//item) > 5",
             "price > //item[1]/price",
             "not(//item[price < 5]) and price > 100",
             "boolean(//image)",
             "/rss/channel/title = 'x'",
             "//image/url = 'x'",
             "price < old-price",
             "title = description",
             "link = guid",
             "title != ../title",
             "a = b",
             "author = source/author",
             "item/price < 5",
             "channel/name = 'x'",
             "../item/title = 'x'",
             "contains(description, title)",
             "contains('breaking news', category)",
             "contains(title, 'news') = true()",
             "contains(title, 'news') = 'true'",
             "contains(title, 'news') = false()",
             "contains(title, 'x') != contains(title, 'y')",
             "(price < 5) = (price > 1)",
             "(price < 5) = 1",
             "true()",
             "false()",
             "not(author)",
             "category[1] = 'a'",
             "category[position() < 3] = 'a'",
             "string-length(title) > 5",
             "price = 'cheap'",
             "price != 'cheap'",
             "price > '5'",
             "price > 2024",
             "updated > 1704067200",
             "pubDate > 2024.5",
             "price > -5",
             "$published > '2024-01-01'",
             "$published >= '2024-01-31T10:00:00+02:00'",
             "$published = '2024-01-31T10:00:00Z'",
             "'2024-01-01' < $updated",
             "$published > date('2024-01-01')",
             "$published > date('2024-01-01') + 86400",
             "$published - (1 + 2) >= '2024-01-01'",
             "60 + $published[./. > '2024-01-01'] >= '2024-01-01'",
             "$published > 1704067200",
             "$published > 0",
             "$updated > $published + 3600",
             "$published[. > '2024-01-01']",
             "date(pubDate) > 'Mon, 01 Jan 2024 00:00:00 GMT'",
             "lower-case($author) = 'ada lovelace'",
             "contains(lower-case(title), lower-case('GPU'))",
             "lower-case(title) = 'οδός 12 µm ſ'",
             "approx-contains(lower-case(title), 'GPU', 3)",
             "(title = 't') > price",
             "price < (title = 't')",
             "(price = 5) > sum(a)",
             "$path = '/rss/channel/item'",
             "name() = 'item'",
             "approx-contains(title, 'harbour', 2)",
             "align(sequence, 'ACGT') > 20",
         }) {
        const Filter filter = compiled(text);
        INFO(text);
        if (!filter.hints.empty()) FAIL(filter.hints[0].message);
    }
}

TEST_CASE("hints come in the order of the text, and are limited") {
    const Filter filter = compiled("category = politics and\n 1 < price < 5");
    REQUIRE(filter.hints.size() == 2);
    CHECK(filter.hints[0].line == 1);
    CHECK(filter.hints[1].line == 2);
    CHECK(filter.hints[1].column == 12);
    CHECK(filter.hints[1].excerpt == " 1 < price < 5\n           ^");

    std::string many = "category = a0";
    for (int i = 1; i < 200; ++i) many += " or category = a" + std::to_string(i);
    CHECK(compiled(many).hints.size() == hints_max);
}

TEST_CASE("a hint about a very long filter is short") {
    std::string steps = "//item";
    for (int i = 0; i < 5'000; ++i) steps += "/a";
    const Filter filter = compiled(steps);
    REQUIRE(filter.hints.size() == 1);
    CHECK(filter.hints[0].message.size() < 400);
    CHECK(filter.hints[0].excerpt.size() < 400);
    CHECK(compiled("category = " + std::string(50'000, 'a')).hints.at(0).message.size() <= hint_bytes_max + 3);
}

TEST_CASE("a hint is one line that does nothing to a terminal") {
    const std::string message = compiled("category = 'a' or 'b\n\x1b[2J'").hints.at(0).message;
    CHECK(message.find_first_of("\n\x1b") == std::string::npos);
}
