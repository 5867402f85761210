#include "protocol/feed/extractor.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/tree_document.hpp"

using namespace sluice;

namespace {

using Texts = std::vector<std::string>;

// What one event has for each of the attributes.
struct Extracted {
    std::vector<Texts> texts;
    std::vector<std::vector<double>> numbers;
};

Extracted extract(const Event& event, const Texts& names) {
    EventBatch batch;
    TextArena arena;
    Extractor(names).extract(event, batch, arena);
    REQUIRE(batch.size() == 1);
    Extracted extracted{std::vector<Texts>(names.size()), std::vector<std::vector<double>>(names.size())};
    std::uint32_t last = 0;
    for (const Value& value : batch.event(0)) {
        REQUIRE(value.attribute >= last);
        last = value.attribute;
        extracted.texts[value.attribute].emplace_back(value.text);
        extracted.numbers[value.attribute].push_back(value.number);
    }
    return extracted;
}

Texts texts(const Event& event, const std::string& name) { return extract(event, {name}).texts[0]; }
double number(const Event& event, const std::string& name) {
    const auto numbers = extract(event, {name}).numbers[0];
    REQUIRE(numbers.size() == 1);
    return numbers[0];
}

const Event book = tree_event(R"(<?xml version="1.0"?><!--c--><shop name="S" xmlns:dc="d">
    <title>All &amp; <![CDATA[<every>]]>thing</title>
    <book id="b1" xmlns="u" lang="en">
        <title>  A  <b>bold</b> title </title>
        <tag>x</tag><dc:creator>Ann</dc:creator><tag>Y</tag><tag/>
        <price cur="EUR"> 12.50 </price><price cur="USD">-3</price>
        <author><name>Bob</name><mail/></author><author><name>Eve</name></author>
        some text<!-- no --> more
    </book>
    <book><title>Second</title></book></shop>)",
                              "/shop/book");

}  // namespace

TEST_CASE("paths lead to the string-values of nodes, in document order") {
    CHECK(texts(book, "tag") == Texts{"x", "Y", ""});
    CHECK(texts(book, "dc:creator") == Texts{"Ann"});
    CHECK(texts(book, "title") == Texts{"  A  bold title "});
    CHECK(texts(book, "title/text()") == Texts{"  A  ", " title "});
    CHECK(texts(book, "author/name") == Texts{"Bob", "Eve"});
    CHECK(texts(book, "author/*") == Texts{"Bob", "", "Eve"});
    CHECK(texts(book, "*/name") == Texts{"Bob", "Eve"});
    CHECK(texts(book, "price/@cur") == Texts{"EUR", "USD"});
    CHECK(texts(book, "*/@*") == Texts{"EUR", "USD"});
    CHECK(texts(book, "@*") == Texts{"b1", "en"});
    CHECK(texts(book, "@id") == Texts{"b1"});
    CHECK(texts(book, "nothing").empty());
    CHECK(texts(book, "title/nothing").empty());
}

TEST_CASE("namespace declarations are no attributes") {
    CHECK(texts(book, "@xmlns").empty());
    CHECK(texts(book, "../@xmlns:dc").empty());
    CHECK(texts(book, "../@*") == Texts{"S"});
}

TEST_CASE("parents lead out of the item, up to the document") {
    CHECK(texts(book, "../title") == Texts{"All & <every>thing"});
    CHECK(texts(book, "../title/text()") == Texts{"All & ", "<every>", "thing"});
    CHECK(texts(book, "../@name") == Texts{"S"});
    CHECK(texts(book, "../book/title") == Texts{"  A  bold title ", "Second"});
    CHECK(texts(book, "../../shop/title") == Texts{"All & <every>thing"});
    CHECK(texts(book, "../../*/@name") == Texts{"S"});
    CHECK(texts(book, "../..").size() == 1);
    CHECK(texts(book, "../../..").empty());
    CHECK(texts(book, "count(../../..)") == Texts{"0"});
}

TEST_CASE("functions of one node-set give one value") {
    CHECK(texts(book, "string(tag)") == Texts{"x"});
    CHECK(texts(book, "string(nothing)") == Texts{""});
    CHECK(texts(book, "normalize-space(title)") == Texts{"A bold title"});
    CHECK(number(book, "string-length(tag)") == 1);
    CHECK(texts(book, "count(tag)") == Texts{"3"});
    CHECK(number(book, "count(tag)") == 3);
    CHECK(number(book, "sum(price)") == 9.5);
    CHECK(texts(book, "sum(price)") == Texts{"9.5"});
    CHECK(std::isnan(number(book, "sum(tag)")));
    CHECK(texts(book, "sum(tag)") == Texts{"NaN"});
    CHECK(number(book, "sum(nothing)") == 0);
    CHECK(texts(book, "name(.)") == Texts{"book"});
    CHECK(texts(book, "name(..)") == Texts{"shop"});
    CHECK(texts(book, "name(../..)") == Texts{""});
    CHECK(texts(book, "name(../../../..)") == Texts{""});
    CHECK(texts(book, "$path") == Texts{"/shop/book"});
}

TEST_CASE("numbers are XPath's") {
    const auto numbers = extract(book, {"price"}).numbers[0];
    CHECK(numbers == std::vector<double>{12.5, -3});
    CHECK(std::isnan(number(book, "@id")));
}

TEST_CASE("lower-case and date give a value for each node") {
    CHECK(texts(book, "lower-case(tag)") == Texts{"x", "y", ""});
    CHECK(texts(book, "string(lower-case(author/name))") == Texts{"bob"});
    CHECK(texts(book, "string(lower-case(nothing))") == Texts{""});
    const Event dated = tree_event("<r><i><d>Thu, 29 Feb 2024 23:59:59 GMT</d><d>x</d></i></r>", "/r/i");
    CHECK(texts(dated, "date(d)") == Texts{"1709251199", "NaN"});
}

TEST_CASE("many attributes come out in ascending order, shared prefixes or not") {
    const Texts names = {"price", "author/name", "tag",    "author/name/text()", "no path at all((", "../title",
                         "@id",   "count(tag)",  "author", "string(tag)"};
    const Extracted all = extract(book, names);
    for (std::size_t i = 0; i < names.size(); ++i) CHECK(all.texts[i] == texts(book, names[i]));
    CHECK(all.texts[4].empty());
}

TEST_CASE("more values than are sorted by insertion") {
    std::string xml = "<r><i>";
    for (int i = 0; i < 500; ++i) xml += "<a>" + std::to_string(i) + "</a><b/>";
    const Extracted all = extract(tree_event(xml + "</i></r>", "/r/i"), {"b", "a", "*"});
    CHECK(all.texts[0].size() == 500);
    CHECK(all.texts[2].size() == 1000);
    for (int i = 0; i < 500; ++i) CHECK(all.texts[1][static_cast<std::size_t>(i)] == std::to_string(i));
}

TEST_CASE("what the items of a document share is right for each of them") {
    const Texts names = {"../title", "count(../book)", "title", "name(..)"};
    const Event other = tree_event("<s><title>Other</title><book/></s>", "/s/book");
    Event second = book;
    second.index = 1;
    EventBatch batch;
    TextArena arena;
    const Extractor extractor(names);
    for (const Event& event : {book, second, other, book}) extractor.extract(event, batch, arena);
    REQUIRE(batch.size() == 4);
    const auto text = [&](std::size_t e, std::size_t v) { return std::string(batch.event(e)[v].text); };
    CHECK(text(1, 0) == "All & <every>thing");
    CHECK(text(1, 1) == "2");
    CHECK(text(1, 2) == "Second");
    CHECK(text(2, 0) == "Other");
    CHECK(text(2, 1) == "1");
    CHECK(text(2, 2) == "s");  // no title
    CHECK(text(3, 0) == "All & <every>thing");
    CHECK(text(3, 3) == "shop");
}

TEST_CASE("another extractor does not see what the arena shares for the first") {
    EventBatch batch;
    TextArena arena;
    Extractor(Texts{"../title"}).extract(book, batch, arena);
    Extractor(Texts{"../@name"}).extract(book, batch, arena);
    CHECK(batch.event(1)[0].text == "S");
}
