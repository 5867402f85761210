#include "protocol/filter/filter.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "protocol/filter/explain.hpp"

using namespace sluice;
using namespace sluice::filter;

namespace {

Filter compiled(const std::string& text) {
    INFO(text);
    const auto filter = compile_filter(text);
    if (!filter) FAIL(text << ": " << filter.error().message);
    return *filter;
}

// The only leaf of a filter that consists of that leaf.
engine::Predicate predicate_of(const std::string& text) {
    const Filter filter = compiled(text);
    INFO(text << " is " << filter.canonical);
    REQUIRE(filter.leaves.size() == 1);
    CHECK(filter.disjunction == engine::Disjunction{{filter.leaves[0].predicate}, {{{0, false}}}});
    CHECK(filter.leaves[0].indexed == (filter.leaves[0].predicate.op != engine::Operator::scanned));
    return filter.leaves[0].predicate;
}

}  // namespace

TEST_CASE("a leaf with an index") {
    struct Case {
        const char* text;
        const char* attribute;
        engine::Operator op;
        const char* operand = "";
        double number = 0;
    };
    const Case cases[] = {
        {"title", "title", engine::Operator::exists},
        {"child::title", "title", engine::Operator::exists},
        {"./title", "title", engine::Operator::exists},
        {"(title)", "title", engine::Operator::exists},
        {"boolean(title)", "title", engine::Operator::exists},
        {"not(not(title))", "title", engine::Operator::exists},
        {"title = true()", "title", engine::Operator::exists},
        {"false() != title", "title", engine::Operator::exists},
        {"parent::node()/child::title", "../title", engine::Operator::exists},
        {"attribute::id", "@id", engine::Operator::exists},
        {"enclosure/@length", "enclosure/@length", engine::Operator::exists},
        {"../../@*", "../../@*", engine::Operator::exists},
        {"(author/name)/text()", "author/name/text()", engine::Operator::exists},
        {"../..", "../..", engine::Operator::exists},
        {"self::item", "name(.)", engine::Operator::equal, "item"},
        {"../self::*", "name(..)", engine::Operator::not_equal, ""},
        {"parent::node()[title]", "../title", engine::Operator::exists},
        {"$title", "$title", engine::Operator::exists},
        {"category = 'politics'", "category", engine::Operator::equal, "politics"},
        {"\"politics\"=category", "category", engine::Operator::equal, "politics"},
        {"category != 'politics'", "category", engine::Operator::not_equal, "politics"},
        {". = 'x'", ".", engine::Operator::equal, "x"},
        {"price = 90", "price", engine::Operator::number_equal, "", 90},
        {"price = '90'", "price", engine::Operator::equal, "90"},
        {"price != 9 * 10", "price", engine::Operator::number_not_equal, "", 90},
        {"price < '90'", "price", engine::Operator::less, "", 90},
        {"90 > price", "price", engine::Operator::less, "", 90},
        {"90 >= price", "price", engine::Operator::less_equal, "", 90},
        {"-1 < price", "price", engine::Operator::greater, "", -1},
        {"--1 <= price", "price", engine::Operator::greater_equal, "", 1},
        {"price != 'x' + 1", "price", engine::Operator::exists},
        {"contains(title, 'GPU')", "string(title)", engine::Operator::contains, "GPU"},
        {"contains(string(title), 5)", "string(title)", engine::Operator::contains, "5"},
        {"contains(., 'x')", "string(.)", engine::Operator::contains, "x"},
        {"contains($title, 'x')", "string($title)", engine::Operator::contains, "x"},
        {"contains(normalize-space(title), 'x')", "normalize-space(title)", engine::Operator::contains, "x"},
        {"contains(lower-case(title), lower-case('GPU'))", "lower-case(title)", engine::Operator::contains, "gpu"},
        {"starts-with(lower-case($category), 'g')", "lower-case($category)", engine::Operator::starts_with, "g"},
        {"contains(lower-case(title), '')", "title", engine::Operator::exists},
        {"contains(string(lower-case(title)), 'g')", "string(lower-case(title))", engine::Operator::contains, "g"},
        {"starts-with(lower-case(string(title)), 'g')", "string(lower-case(title))", engine::Operator::starts_with,
         "g"},
        {"starts-with(link, 'https:')", "string(link)", engine::Operator::starts_with, "https:"},
        {"ends-with(link, '.pdf')", "link", engine::Operator::ends_with, ".pdf"},
        {"ends-with(string(link), '.pdf')", "string(link)", engine::Operator::ends_with, ".pdf"},
        {"ends-with(lower-case(link), '.pdf')", "lower-case(link)", engine::Operator::ends_with, ".pdf"},
        {"ends-with(link, '')", "link", engine::Operator::exists},
        {"category[. = 'x']", "category", engine::Operator::equal, "x"},
        {"category[. != 'x']", "category", engine::Operator::not_equal, "x"},
        {"price[3 > .]", "price", engine::Operator::less, "", 3},
        {"category[contains(., 'x')]", "category", engine::Operator::contains, "x"},
        {"category[starts-with(., 'x')]", "category", engine::Operator::starts_with, "x"},
        {"category[ends-with(., 'x')]", "category", engine::Operator::ends_with, "x"},
        {"link/@href[contains(., 'x')]", "link/@href", engine::Operator::contains, "x"},
        {"category[contains(., '')]", "category", engine::Operator::exists},
        {"string(title)", "string(title)", engine::Operator::not_equal, ""},
        {"string(title) = 'x'", "string(title)", engine::Operator::equal, "x"},
        {"string(title) = 5", "string(title)", engine::Operator::number_equal, "", 5},
        {"number(price) < 3", "string(price)", engine::Operator::less, "", 3},
        {"number(price) = '3'", "string(price)", engine::Operator::number_equal, "", 3},
        {"number(string(price)) = 3", "string(price)", engine::Operator::number_equal, "", 3},
        {"number() = 3", "string(.)", engine::Operator::number_equal, "", 3},
        {"normalize-space() = 'x'", "normalize-space(.)", engine::Operator::equal, "x"},
        {"string-length(title) > 5", "string-length(title)", engine::Operator::greater, "", 5},
        {"string-length(title)", "string-length(title)", engine::Operator::greater, "", 0},
        {"count(category) >= 2", "count(category)", engine::Operator::greater_equal, "", 2},
        {"count(category) = '2'", "count(category)", engine::Operator::number_equal, "", 2},
        {"count($category)", "count($category)", engine::Operator::greater, "", 0},
        {"sum(price) < -3", "sum(price)", engine::Operator::less, "", -3},
        {"name() = 'item'", "name(.)", engine::Operator::equal, "item"},
        {"name(parent::node()) = 'channel'", "name(..)", engine::Operator::equal, "channel"},
        {"starts-with(name(), 'dc:')", "name(.)", engine::Operator::starts_with, "dc:"},
        {"lower-case(title) = 'x'", "lower-case(title)", engine::Operator::equal, "x"},
        {"date(pubDate) >= 1700000000", "date(pubDate)", engine::Operator::greater_equal, "", 1700000000},
        {"$published > 1700000000", "$published", engine::Operator::greater, "", 1700000000},
        {"$path = '/rss/channel/item'", "$path", engine::Operator::equal, "/rss/channel/item"},
        {"//item", "name(.)", engine::Operator::equal, "item"},
        {"//media:*", "name(.)", engine::Operator::starts_with, "media:"},
        {"//*[title]", "title", engine::Operator::exists},
        {"//node()[title]", "title", engine::Operator::exists},
        {"/rss/channel/item", "$path", engine::Operator::equal, "/rss/channel/item"},
    };
    for (const Case& c : cases)
        CHECK(predicate_of(c.text) == engine::Predicate{c.attribute, c.op, c.operand, c.number});
}

TEST_CASE("a leaf without an index") {
    struct Case {
        const char* text;
        const char* key;
    };
    const Case cases[] = {
        {"local-name()='x'", "test local-name(.) = 'x'"},
        {".//title", "test .//title"},
        {"//title and true()", "test boolean(//title)"},
        {"boolean(//title)", "test boolean(//title)"},
        {"//title = 'x'", "test //title = 'x'"},
        {"title[2]", "test title[2]"},
        {"link[@rel='x']/@href = 'y'", "test link[@rel = 'x']/@href = 'y'"},
        {"b = a", "test a = b"},
        {"b > a", "test a < b"},
        {"price * 2 < 10", "test 2 * price < 10"},
        {"10 > 2*price", "test 2 * price < 10"},
        {"a | b", "test a | b"},
        {"b | a", "test a | b"},
        {"following-sibling::item", "test following-sibling::item"},
        {"lang('en')", "test lang('en')"},
        {"$updated < $published", "test $published > $updated"},
        {"translate(title, 'AB', 'ab') = 'x'", "test translate(title, 'AB', 'ab') = 'x'"},
        {"comment()", "test comment()"},
        {"dc:*", "test dc:*"},
        {"@xmlns:dc", "test @xmlns:dc"},
        {"category[not(. < 5)]", "test category[not(. < 5)]"},
        {"category[. = 'x'] = 'y'", "test category[. = 'x'] = 'y'"},
        {"category[. = 'x'][2]", "test category[. = 'x'][2]"},
        {"contains('abc', title)", "test contains('abc', title)"},
        {"(title)[1] = 'x'", "test (title)[1] = 'x'"},
        {"(//item)[1]", "select (//item)[1]"},
        {"//item[1]", "select //item[1]"},
        {"//item[position() < 3]", "select //item[position() < 3]"},
        {"//item[last()]", "select //item[last()]"},
        {"//a//b", "select //a//b"},
        {"//item/..", "select //item/.."},
        {"//item/@id", "select //item/@id"},
        {"/", "select /"},
        {"//item[$title = 'x'][1]", "select //item[$title = 'x'][1]"},
    };
    for (const Case& c : cases) {
        const engine::Predicate predicate = predicate_of(c.text);
        CHECK(predicate == engine::Predicate{c.key, engine::Operator::scanned, "", 0});
        CHECK_FALSE(compiled(c.text).leaves[0].reason.empty());
    }
}

TEST_CASE("filters that differ only in spelling are the same") {
    const std::vector<std::vector<const char*>> groups = {
        {"price<90", "90 > price", " price\n<\t90.0 ", "price < '90'", "./price < 90", "(price) < (90)"},
        {"a = 'x' and b = 'y'", "b = \"y\" and \"x\" = a", "(('y' = b) and a = 'x') and true()",
         "a='x' and (b='y' and a='x')"},
        {"a or b or c", "c or (b or a)", "(c or b) or (a or c)", "a or b or c or false()"},
        {"not(a)", "not(not(not(a)))", "false() = boolean(a)", "not(boolean(a))"},
        {"a + b * 3 = c", "c = 3 * b + a"},
        {"//item[a and b]", "//item[b and a]", "/descendant-or-self::node()/child::item[b and a]"},
        {"//a | //b", "//b|//a | //b"},
        {"contains(title, \"it's\")", "contains(string(./title),concat('it',\"'\",'s'))"},
    };
    for (const auto& group : groups)
        for (const char* text : group) {
            INFO(text);
            CHECK(compiled(text).canonical == compiled(group[0]).canonical);
            CHECK(compiled(text).disjunction == compiled(group[0]).disjunction);
        }
}

TEST_CASE("boolean structure becomes conjunctions") {
    const auto structure = [](const std::string& text) {
        std::string result;
        const engine::Disjunction disjunction = compiled(text).disjunction;
        for (const engine::Conjunction& conjunction : disjunction.conjunctions) {
            result += result.empty() ? "" : " | ";
            for (const engine::Literal& literal : conjunction)
                result += (literal.negated ? "-" : "+") + disjunction.predicates[literal.predicate].attribute;
        }
        return result;
    };
    CHECK(structure("a and b") == "+a+b");
    CHECK(structure("a or b") == "+a | +b");
    CHECK(structure("a and (b or c)") == "+a+b | +a+c");
    CHECK(structure("not(a and not(b))") == "-a | +b");
    CHECK(structure("not(a or b)") == "-a-b");
    CHECK(structure("a or (a and b)") == "+a");
    CHECK(structure("a and (a or b)") == "+a");
    CHECK(structure("(a or b) and not(a)") == "-a+b");
    CHECK(structure("a and not(a)").empty());
    CHECK(structure("false()").empty());
    const engine::Disjunction always{{}, {engine::Conjunction{}}};
    CHECK(compiled("true()").disjunction == always);
    CHECK(compiled("'' or 0 or number('x')").disjunction == engine::Disjunction{});
    CHECK(compiled("a or true()").disjunction == always);
    CHECK(structure("//item[a]") == "+name(.)+a");
    CHECK(structure("//item[a] | //entry[b]") == "+name(.)+b | +name(.)+a");
    CHECK(structure("self::item[a]/b = 'x'") == "+name(.)+a+b");
    CHECK(structure("parent::channel/title = 'x'") == "+name(..)+../title");
    CHECK(structure("not(parent::channel[a])") == "-name(..) | -../a");
    CHECK(structure("parent::channel[a[2]]") == "+name(..)+test parent::node()[a[2]]");
    CHECK(structure("../parent::rss[a[2]]") == "+test ../parent::rss[a[2]]");
    CHECK(structure("..") == "");
    CHECK(structure(". and a") == "+a");
    CHECK(structure("//channel/item") == "+name(..)+name(.)");
    CHECK(structure("/*/item") == "+name(..)+name(.)-name(../..)");
    CHECK(structure("/rss/channel[title = 'x']/item[a][b]") == "+$path+../title+a+b");
    CHECK(structure("/rss/channel[link//x]/item") == "+$path+test parent::node()[link//x]");
}

TEST_CASE("date() of what is in seconds already changes nothing") {
    CHECK(predicate_of("date($published) > 5") == predicate_of("$published > 5"));
    CHECK(predicate_of("date($updated) = '5'") == predicate_of("$updated = 5"));
    CHECK(predicate_of("date($title) > 5") == engine::Predicate{"date($title)", engine::Operator::greater, "", 5});
}

TEST_CASE("date() of a constant is a constant") {
    CHECK(predicate_of("$published > date('2024-01-01')") ==
          engine::Predicate{"$published", engine::Operator::greater, "", 1704067200});
    CHECK(predicate_of("date(pubDate) <= date('Mon, 01 Jan 2024 00:00:00 GMT')") ==
          engine::Predicate{"date(pubDate)", engine::Operator::less_equal, "", 1704067200});
    CHECK(compiled("$published > date('yesterday')").disjunction == engine::Disjunction{});
}

TEST_CASE("a filter has each predicate once, without those that its conjunctions do not need") {
    const auto attributes = [](const Filter& filter) {
        std::string text;
        for (std::size_t p = 0; p < filter.disjunction.predicates.size(); ++p) {
            const engine::Predicate& predicate = filter.disjunction.predicates[p];
            CHECK(filter.leaves[filter.leaf_of[p]].predicate == predicate);
            text += predicate.attribute;
        }
        CHECK(filter.leaf_of.size() == filter.disjunction.predicates.size());
        return text;
    };
    // In the order of the canonical form, (a or b) and (a or e) and (c or d).
    CHECK(attributes(compiled("(a or b) and (c or d) and (a or e)")) == "abecd");
    CHECK(attributes(compiled("a = 1 or a = 2")) == "aa");
    const Filter absorbed = compiled("(a and b) or b");
    CHECK(absorbed.leaves.size() == 2);
    CHECK(attributes(absorbed) == "b");
    CHECK(explain(absorbed).find("this holds:\n  [2]\n") != std::string::npos);
    CHECK(attributes(compiled("true() or a")).empty());
    for (const char* text : {"a and (b or not(c))", "(a or b) and (c or d) and (a or not(d))", "//item[a or b][c]"}) {
        INFO(text);
        const Filter filter = compiled(text);
        std::set<std::uint32_t> used;
        for (const engine::Conjunction& conjunction : filter.disjunction.conjunctions)
            for (const engine::Literal& literal : conjunction) used.insert(literal.predicate);
        CHECK(used.size() == filter.disjunction.predicates.size());
        CHECK(engine::invalid_reason(filter.disjunction).empty());
    }
}
