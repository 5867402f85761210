#include "protocol/feed/values/extractor.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <span>
#include <stdexcept>

#include "tests/support/tree_document.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

using Texts = std::vector<std::string>;

// The values of one event for each of the attributes.
struct Extracted {
    std::vector<Texts> texts;
    std::vector<std::vector<double>> numbers;
};

Extracted extract(const Event& event, const Texts& names) {
    engine::EventBatch batch;
    TextArena arena;
    ValueGroups groups;
    Extractor(names).extract(event, batch, arena, groups);
    REQUIRE(batch.size() == 1);
    Extracted extracted{std::vector<Texts>(names.size()), std::vector<std::vector<double>>(names.size())};
    const auto add = [&](std::span<const engine::Value> values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::uint32_t attribute = values[i].attribute;
            REQUIRE((i == 0 ? extracted.texts[attribute].empty() : attribute >= values[i - 1].attribute));
            extracted.texts[attribute].emplace_back(values[i].text);
            extracted.numbers[attribute].push_back(values[i].number);
        }
    };
    add(batch.event(0));
    for (const std::uint32_t group : batch.groups_of(0)) add(batch.groups[group].values);
    return extracted;
}

// The texts that event e of the batch has for an attribute.
Texts texts(const engine::EventBatch& batch, std::size_t e, std::uint32_t attribute) {
    Texts texts;
    const auto add = [&](std::span<const engine::Value> values) {
        for (const engine::Value& value : values) {
            if (value.attribute == attribute) texts.emplace_back(value.text);
        }
    };
    add(batch.event(e));
    for (const std::uint32_t group : batch.groups_of(e)) add(batch.groups[group].values);
    return texts;
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

TEST_CASE("white space is text, comments are not, and what stands side by side is one text node") {
    const Event mixed = tree_event(
        "<r><i><p><b>foo</b> <i>bar</i></p><q>\n<![CDATA[a]]>b<!-- c -->d</q><s> <![CDATA[]]></s></i></r>", "/r/i");
    CHECK(texts(mixed, "p") == Texts{"foo bar"});
    CHECK(texts(mixed, "p/text()") == Texts{" "});
    CHECK(texts(mixed, "q") == Texts{"\nabd"});
    CHECK(texts(mixed, "q/text()") == Texts{"\nab", "d"});
    CHECK(texts(mixed, "s/text()") == Texts{" "});
}

TEST_CASE("strings are counted in characters") {
    const Event cafe = tree_event("<r><i><t>café 日本</t></i></r>", "/r/i");
    CHECK(number(cafe, "string-length(t)") == 7);
}

TEST_CASE("namespace declarations are no attributes") {
    CHECK(texts(book, "@xmlns").empty());
    CHECK(texts(book, "../@xmlns:dc").empty());
    CHECK(texts(book, "../@*") == Texts{"S"});
}

TEST_CASE("parents lead out of the item, up to the document") {
    CHECK(texts(book, "../title") == Texts{"All & <every>thing"});
    CHECK(texts(book, "../title/text()") == Texts{"All & <every>thing"});
    CHECK(texts(book, "../@name") == Texts{"S"});
    CHECK(texts(book, "../book/title") == Texts{"  A  bold title ", "Second"});
    CHECK(texts(book, "../../shop/title") == Texts{"All & <every>thing"});
    CHECK(texts(book, "../../*/@name") == Texts{"S"});
    CHECK(texts(book, "../..").size() == 1);
    CHECK(texts(book, "../../..").empty());
    CHECK(texts(book, "count(../../..)").empty());
}

TEST_CASE("functions of one node-set give one value") {
    CHECK(texts(book, "string(tag)") == Texts{"x"});
    CHECK(texts(book, "string(nothing)").empty());
    CHECK(texts(book, "normalize-space(title)") == Texts{"A bold title"});
    CHECK(number(book, "string-length(tag)") == 1);
    CHECK(texts(book, "count(tag)") == Texts{"3"});
    CHECK(number(book, "count(tag)") == 3);
    CHECK(number(book, "sum(price)") == 9.5);
    CHECK(texts(book, "sum(price)") == Texts{"9.5"});
    CHECK(std::isnan(number(book, "sum(tag)")));
    CHECK(texts(book, "sum(tag)") == Texts{"NaN"});
    CHECK(texts(book, "sum(nothing)").empty());
    CHECK(texts(book, "count(nothing)").empty());
    CHECK(texts(book, "name(.)") == Texts{"book"});
    CHECK(texts(book, "name(..)") == Texts{"shop"});
    CHECK(texts(book, "name(../..)") == Texts{""});
    CHECK(texts(book, "name(../../../..)").empty());
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
    CHECK(texts(book, "string(lower-case(nothing))").empty());
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
    engine::EventBatch batch;
    TextArena arena;
    ValueGroups groups;
    const Extractor extractor(names);
    for (const Event& event : {book, second, other, book}) extractor.extract(event, batch, arena, groups);
    REQUIRE(batch.size() == 4);
    CHECK(batch.groups.size() == 1);
    CHECK(batch.groups_of(2).empty());  // its document has no other item
    const std::vector<std::vector<Texts>> expected = {{{"All & <every>thing"}, {"2"}, texts(book, "title"), {"shop"}},
                                                      {{"All & <every>thing"}, {"2"}, {"Second"}, {"shop"}},
                                                      {{"Other"}, {"1"}, {}, {"s"}},
                                                      {{"All & <every>thing"}, {"2"}, texts(book, "title"), {"shop"}}};
    for (std::uint32_t e = 0; e < 4; ++e) {
        for (std::uint32_t a = 0; a < 4; ++a) CHECK(texts(batch, e, a) == expected[e][a]);
    }
}

TEST_CASE("another extractor does not see what is shared by the events of the first") {
    engine::EventBatch batch;
    TextArena arena;
    ValueGroups groups;
    Extractor(Texts{"../title"}).extract(book, batch, arena, groups);
    Extractor(Texts{"../@name"}).extract(book, batch, arena, groups);
    CHECK(texts(batch, 1, 0) == Texts{"S"});
}

TEST_CASE("values outside items are read once for all items below an element, and stand in the batch once") {
    // Channels of siblings; the item of the last has no sibling.
    const std::vector<std::size_t> channels = {0, 1, 400, 40, 1};
    std::string xml = "<rss>";
    for (std::size_t c = 0; c < channels.size(); ++c) {
        xml += "<channel><title>" + std::to_string(c) + "</title>";
        for (std::size_t i = 0; i < channels[c]; ++i) xml += "<item><a>" + std::to_string(i) + "</a></item>";
        xml += "</channel>";
    }
    const Event first = tree_event(xml + "</rss>", "/rss/channel/item");
    const Extractor extractor(
        Texts{"../item/a", "../title", "../../channel/item/a", "a", "string(../..)", "$feed_title"});
    ValueGroups groups;
    constexpr std::size_t batch_events = 100;
    std::size_t event = 0, own = 0, read = 0;
    for (std::size_t begin = 0; begin < 442; begin += batch_events) {
        engine::EventBatch batch;
        TextArena arena;
        for (std::size_t i = begin; i < std::min<std::size_t>(442, begin + batch_events); ++i) {
            Event e = first;
            e.index = i;
            extractor.extract(e, batch, arena, groups);
        }
        own += batch.values.size();
        for (std::size_t e = 0, c = 0; e < batch.size(); ++e, ++event) {
            std::size_t before = 0;
            for (c = 0; event >= before + channels[c]; ++c) before += channels[c];
            CHECK(texts(batch, e, 0).size() == channels[c]);
            CHECK(texts(batch, e, 1) == Texts{std::to_string(c)});
            CHECK(texts(batch, e, 2).size() == 442);
            CHECK(texts(batch, e, 3) == Texts{std::to_string(event - before)});
        }
        groups.begin_batch();
        groups.forget_documents();
        if (begin == 0) CHECK(groups.values_read() < 2 * 442 + 10);
        read = groups.values_read();
    }
    CHECK(own == 442);
    // For each channel with items, its items and its title; all items and all text are read once.
    CHECK(read >= 442 + 4 + 442 + 1);
    CHECK(read <= 442 + 4 + 442 + 2);
}

TEST_CASE("values outside items are freed with their document, and another in its place has its own") {
    const Extractor extractor(Texts{"../item/a"});
    ValueGroups groups;
    std::size_t most = 0;
    for (int i = 0; i < 20; ++i) {
        std::string xml = "<r>";
        for (int k = 0; k < 3'000; ++k) xml += "<item><a>" + std::to_string(i) + "</a></item>";
        const Event event = tree_event(xml + "</r>", "/r/item");
        engine::EventBatch batch;
        TextArena arena;
        extractor.extract(event, batch, arena, groups);
        CHECK(texts(batch, 0, 0).front() == std::to_string(i));
        CHECK(texts(batch, 0, 0).size() == 3'000);
        most = std::max(most, groups.bytes());
        groups.begin_batch();
        groups.forget_documents();
    }
    CHECK(most < 3 * 3'000 * 2 * sizeof(engine::Value));
    groups.forget_documents();
    CHECK(groups.bytes() == 0);
}

TEST_CASE("an extractor that was extended reads what one made for all names reads, and stays what it was") {
    const Event event = tree_event(
        "<rss><channel><title>T</title><item a='1' b='2'>x<p k='3'><q>4</q><q>5</q>y</p><p/><r>6</r></item></channel>"
        "</rss>",
        "//item");
    const Texts names = {"p/q",        "p/@k",     "r",
                         "*",          "@*",       "p/q/text()",
                         "@b",         "count(p)", "string(p/q)",
                         "$title",     "../title", "p/*",
                         "count(p/q)", "@a",       "../../channel/title",
                         "p/@*",       "text()",   ".",
                         "sum(p/q)",   "zz/yy",    "normalize-space(p)"};
    const auto values = [&](const Extractor& extractor) {
        engine::EventBatch batch;
        TextArena arena;
        ValueGroups groups;
        extractor.extract(event, batch, arena, groups);
        std::vector<std::pair<std::uint32_t, std::string>> found;
        const auto add = [&](std::span<const engine::Value> of) {
            for (const engine::Value& value : of) found.emplace_back(value.attribute, std::string(value.text));
        };
        add(batch.event(0));
        for (const std::uint32_t group : batch.groups_of(0)) add(batch.groups[group].values);
        return found;
    };
    Extractor extractor{std::span<const std::string>()};
    for (std::size_t n = 0; n <= names.size(); ++n) {
        const std::span<const std::string> known(names.data(), n);
        const Extractor next = extractor.extended(known);
        const auto before = values(extractor);
        CHECK(values(next) == values(Extractor(known)));
        CHECK(values(extractor) == before);
        extractor = next;
    }
    CHECK(values(extractor).size() > names.size());
}

TEST_CASE("very many names are found, each where it stands") {
    Texts names;
    std::string xml = "<r><item>";
    for (int i = 0; i < 3'000; ++i) {
        const std::string name = "n" + std::to_string(i);
        names.push_back(i % 3 == 0 ? "p/" + name : i % 3 == 1 ? name : "@" + name);
        if (i % 3 == 1) xml += "<" + name + ">" + name + "</" + name + "><n0/>";
    }
    xml += "<p n5='x'>";
    for (int i = 0; i < 3'000; i += 3) xml += "<n" + std::to_string(i) + ">v</n" + std::to_string(i) + ">";
    xml += "</p></item></r>";
    const Extracted extracted = extract(tree_event(xml, "//item"), names);
    for (std::size_t i = 0; i < names.size(); ++i) {
        INFO(names[i]);
        CHECK(extracted.texts[i] == (i % 3 == 0 ? Texts{"v"} : i % 3 == 1 ? Texts{names[i]} : Texts{}));
    }
}

namespace {

std::string repeated(const std::string& text, std::size_t times) {
    std::string all;
    for (; times > 0; --times) all += text;
    return all;
}

// The attributes of event 0 that are unknown, and the number of values of each attribute; with a budget for a path by
// itself, and one for a document.
struct Budgeted {
    std::vector<std::uint32_t> unknown;
    std::vector<std::size_t> values;
};
Budgeted extract_within(const Event& event, const Texts& names, std::uint64_t path_steps,
                        std::uint64_t document_steps) {
    ReadingBudget reading({.condition_steps_max = path_steps, .document_steps_max = document_steps});
    engine::EventBatch batch;
    TextArena arena;
    ValueGroups groups;
    Extractor(names).extract(event, batch, arena, groups, reading);
    Budgeted result{{}, std::vector<std::size_t>(names.size())};
    for (const auto& unknown : batch.unknown) result.unknown.push_back(unknown.attribute);
    for (std::uint32_t a = 0; a < names.size(); ++a) result.values[a] = texts(batch, 0, a).size();
    return result;
}

using Ids = std::vector<std::uint32_t>;
using Counts = std::vector<std::size_t>;

}  // namespace

TEST_CASE("paths with * that are too many to be read together are read one by one, those with fewest first") {
    const Event event = tree_event(
        "<r><i>" + repeated("<a>", 4) + repeated("<a>x</a>", 500) + repeated("</a>", 4) + "<t>y</t></i></r>", "//i");
    const Texts names = {"*/*/*/*/a", "a/a/a/*/a", "*/a/a/a/a", "t", "a/a/a/a/a", "a/a/a/a/*", "*/*/a/a/a"};
    const std::size_t own =
        500 * (1 + ReadingBudget::steps_per_value + 1) + 100;  // of a path that leads to all of them
    CHECK(extract_within(event, names, 2 * own, 100 * own).unknown.empty());
    CHECK(extract_within(event, names, own / 2, 100 * own).unknown == Ids{0, 1, 2, 6});
    // The document's budget goes to the first of them, in whatever order they were added.
    const Budgeted some = extract_within(event, names, 2 * own, 5 * own / 2);
    CHECK(some.unknown == Ids{0, 6});
    CHECK(some.values == Counts{0, 500, 500, 1, 500, 500, 0});
}

TEST_CASE("paths that are too many to be read together are read one by one") {
    const Event event = tree_event(
        "<r><i><t>y</t>" + repeated("<a>", 20) + repeated("x<!-- -->", 400) + repeated("</a>", 20) + "</i></r>", "//i");
    Texts names = {"t"};
    for (std::string path = "a"; names.size() <= 20; path += "/a") names.push_back("lower-case(" + path + ")");
    names.emplace_back("normalize-space(a/a)");
    names.emplace_back("count(a/a)");
    const std::uint64_t one = 400 * 2 + 400 + 400 + 500;  // nodes, text joined and copied
    CHECK(extract_within(event, names, 1, 40 * one).unknown.empty());
    const Budgeted alone = extract_within(event, names, one, 25 * one - 5'000);
    CHECK(alone.unknown.empty());
    CHECK(alone.values == Counts(names.size(), 1));
    const Budgeted none = extract_within(event, names, 60, 2 * one);
    CHECK(none.values[0] == 1);  // as its own reading is cheap
    CHECK(none.values.back() == 1);
    CHECK(none.unknown.size() == 21);
}

TEST_CASE("what is unknown outside an item is unknown for all items, and found out once") {
    const DocumentPtr document =
        std::make_shared<TreeDocument>("<r>" + repeated("<i><a>x</a></i>", 1'000) + "</r>", "/r/i");
    ReadingBudget reading({.condition_steps_max = 5'000, .document_steps_max = 8'000});
    const Extractor extractor(Texts{"a", "../i/a", "count(../i)", "../*/a"});
    engine::EventBatch batch;
    TextArena arena;
    ValueGroups groups;
    for (std::size_t i = 0; i < 1'000; ++i)
        extractor.extract({document, i, std::make_shared<const std::string>("s"), i + 1}, batch, arena, groups,
                          reading);
    REQUIRE(batch.unknown.size() == 2'000);
    CHECK(std::is_sorted(batch.unknown.begin(), batch.unknown.end()));
    for (std::uint32_t e = 0; e < 1'000; ++e) {
        CHECK_FALSE(batch.is_known(e, 1));
        CHECK_FALSE(batch.is_known(e, 3));
        CHECK(batch.is_known(e, 0));
        CHECK(texts(batch, e, 2) == Texts{"1000"});
    }
    CHECK(batch.is_wholly_known(1'000));
    CHECK(groups.values_read() == 1);
}

TEST_CASE("reading can be interrupted, and read again") {
    const Event event = tree_event("<r><i>" + repeated("<a>x</a>", 20'000) + "</i></r>", "//i");
    bool throws = true;
    ReadingBudget reading({}, [&] {
        if (throws) throw std::runtime_error("enough");
    });
    const Extractor extractor(Texts{"a", "*/*", "../i/a"});
    engine::EventBatch batch;
    TextArena arena;
    ValueGroups groups;
    CHECK_THROWS_AS(extractor.extract(event, batch, arena, groups, reading), std::runtime_error);
    batch.clear();
    throws = false;
    extractor.extract(event, batch, arena, groups, reading);
    CHECK(texts(batch, 0, 0).size() == 20'000);
    CHECK(texts(batch, 0, 2).size() == 20'000);
    CHECK(batch.unknown.empty());
}

TEST_CASE("the events of a document share a budget for reading paths together, if that takes long") {
    const std::string item = "<i>" + repeated("<a>x</a>", 6'000) + "</i>";
    const DocumentPtr document = std::make_shared<TreeDocument>("<r>" + repeated(item, 15) + "</r>", "/r/i");
    const std::uint64_t one = 6'000 * 34 + 1'000;
    ReadingBudget reading({.condition_steps_max = one, .document_steps_max = one});
    const Extractor extractor(Texts{"a", "b"});
    engine::EventBatch batch;
    TextArena arena;
    ValueGroups groups;
    for (std::size_t i = 0; i < 15; ++i)
        extractor.extract({document, i, std::make_shared<const std::string>("s"), i + 1}, batch, arena, groups,
                          reading);
    // Ten events together, one more by itself.
    std::vector<std::size_t> known;
    for (std::uint32_t e = 0; e < 15; ++e)
        if (batch.is_known(e, 0)) known.push_back(e);
    CHECK(known == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
}

TEST_CASE("an event that is read again has the budget that it had the first time") {
    const std::string item = "<i>" + repeated("<a><b>x</b></a>", 3'000) + "</i>";
    const DocumentPtr document = std::make_shared<TreeDocument>("<r>" + repeated(item, 6) + "</r>", "/r/i");
    const std::uint64_t one = 3'000 * 40;
    bool throws = false;
    std::size_t pauses = 0;
    ReadingBudget reading({.condition_steps_max = one, .document_steps_max = 6 * one}, [&] {
        ++pauses;
        if (throws) throw std::runtime_error("enough");
    });
    const Extractor extractor(Texts{"*/b", "*/b/text()"});  // too much together
    const auto known = [&](std::size_t first, std::size_t end) {
        engine::EventBatch batch;
        TextArena arena;
        ValueGroups groups;
        std::vector<bool> list;
        for (std::size_t i = first; i < end; ++i) {
            extractor.extract({document, i, std::make_shared<const std::string>("s"), i + 1}, batch, arena, groups,
                              reading);
            list.push_back(batch.is_known(static_cast<std::uint32_t>(i - first), 0));
        }
        return list;
    };
    CHECK(known(0, 2) == std::vector<bool>{true, true});
    CHECK(known(0, 2) == std::vector<bool>{true, true});
    throws = true;
    CHECK_THROWS_AS(known(2, 6), std::runtime_error);
    throws = false;
    reading.forget_documents();
    CHECK(known(0, 6) == std::vector<bool>{true, true, true, false, false, false});
    CHECK(known(0, 6) == std::vector<bool>{true, true, true, false, false, false});
    CHECK(pauses > 5);
}

TEST_CASE("many short readings pause, too, and numbers cost as much as texts") {
    std::size_t pauses = 0;
    ReadingBudget reading({}, [&] { ++pauses; });
    const DocumentPtr document = std::make_shared<TreeDocument>(
        "<r>" + repeated("<i>" + repeated("<a><b>1</b></a>", 30) + "</i>", 200) + "</r>", "/r/i");
    const Extractor extractor(Texts{"date(*/b)", "sum(*/b)", "*/b", "$title"});
    engine::EventBatch batch;
    TextArena arena;
    ValueGroups groups;
    for (std::size_t i = 0; i < 200; ++i)
        extractor.extract({document, i, std::make_shared<const std::string>("s"), i + 1}, batch, arena, groups,
                          reading);
    CHECK(pauses >= 200 * 30 * (64 + 32) / 100'000);

    ReadingBudget small({.condition_steps_max = 30 * 40, .document_steps_max = 1'000'000});
    batch.clear();
    extractor.extract({document, 0, std::make_shared<const std::string>("s"), 1}, batch, arena, groups, small);
    CHECK_FALSE(batch.is_known(0, 0));
    CHECK(batch.is_known(0, 1));
    CHECK(batch.is_known(0, 2));
}

TEST_CASE("paths with * before their end are read in one walk, which follows the item and not the paths") {
    const Event event = tree_event("<r><i><a><b>x</b><c/></a><a><b>y</b></a></i></r>", "//i");
    const auto spent = [&](std::size_t missing) {
        Texts names = {"*/b", "count(*/*/text())"};
        for (std::size_t i = 0; i < missing; ++i)
            names.push_back((i % 2 == 0 ? "*/*/p" : "string(*/p") + std::to_string(i) + (i % 2 == 0 ? "" : ")"));
        ReadingBudget reading;
        engine::EventBatch batch;
        TextArena arena;
        ValueGroups groups;
        Extractor(names).extract(event, batch, arena, groups, reading);
        CHECK(texts(batch, 0, 0) == Texts{"x", "y"});
        CHECK(texts(batch, 0, 1) == Texts{"2"});
        CHECK(batch.values.size() == 3);
        return reading.spent();
    };
    CHECK(spent(10) == spent(10'000));
    CHECK(spent(10) < 200);
}

TEST_CASE("many functions of many paths that have nodes") {
    std::string xml = "<r><i>";
    Texts names;
    for (int i = 0; i < 100; ++i) {
        const std::string name = "n" + std::to_string(i);
        xml += "<" + name + ">" + std::to_string(i) + "</" + name + "><" + name + ">1</" + name + ">";
        for (const char* function : {"string(", "count(", "sum(", "string-length("})
            names.push_back(function + name + ")");
    }
    const Extracted all = extract(tree_event(xml + "</i></r>", "//i"), names);
    for (std::size_t i = 0; i < 100; ++i) {
        CHECK(all.texts[4 * i] == Texts{std::to_string(i)});
        CHECK(all.numbers[4 * i + 1] == std::vector<double>{2});
        CHECK(all.numbers[4 * i + 2] == std::vector<double>{static_cast<double>(i) + 1});
        CHECK(all.numbers[4 * i + 3] == std::vector<double>{i < 10 ? 1.0 : 2.0});
    }
}

TEST_CASE("functions of paths that lead nowhere have no values and cost nothing together") {
    Texts names;
    for (int i = 0; i < 2'000; ++i) names.push_back("string(n" + std::to_string(i) + ")");
    const Budgeted result = extract_within(tree_event("<r><i><a>x</a></i></r>", "//i"), names, 100, 100);
    CHECK(result.unknown.empty());
    CHECK(result.values == Counts(names.size(), 0));
}
