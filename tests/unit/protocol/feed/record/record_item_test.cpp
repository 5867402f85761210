#include "protocol/feed/record/record_item.hpp"

#include <numeric>

#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/record/record_codec.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "tests/unit/protocol/feed/record_support.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

constexpr std::size_t no_limit = 1u << 30;

using Records = std::optional<std::vector<ItemRecord>>;

Records records_of(const DocumentPtr& document, const DocumentOptions& options, std::size_t bytes_max = no_limit) {
    std::vector<std::size_t> items(document->items().size());
    std::iota(items.begin(), items.end(), std::size_t{0});
    return record_items(*document, record_document(*document, options), items, bytes_max);
}

std::vector<std::string> texts_of(const std::string& text, const DocumentOptions& options = {}) {
    const Records records = records_of(parsed(text, options), options);
    REQUIRE(records);
    std::vector<std::string> texts;
    for (const ItemRecord& record : *records) texts.push_back(*record.document.text);
    return texts;
}

std::vector<std::string> ancestors_of(const Item& item) {
    std::vector<std::string> names;
    for (TreeNode node = item.element.parent(); node.is_element(); node = node.parent())
        names.insert(names.begin(), std::string(node.name()));
    return names;
}

void check_alone(const DocumentPtr& document, std::size_t i, const DocumentPtr& alone) {
    CHECK(alone->format() == document->format());
    REQUIRE(alone->items().size() == 1);
    check_same_item(document, i, alone, 0);
    check_same(document->feed_fields(), alone->feed_fields());
    const Item &item = document->items()[i], &itself = alone->items()[0];
    CHECK(ancestors_of(itself) == ancestors_of(item));
    for (const char* path : {"ancestor::*/@*", "descendant::node()"})
        CHECK(values_at(alone, 0, path) == values_at(document, i, path));
    for (const char* path : {"preceding::node()", "following::node()", "ancestor::*/node()[2]", "/node()[2]"})
        CHECK(values_at(alone, 0, path).empty());
}

}  // namespace

TEST_CASE("an item is the same in a record of its own") {
    std::size_t checked = 0;
    for (const Published& published : published_documents()) {
        INFO(published.name);
        const DocumentPtr document = parsed(published.bytes, published.options);
        const Records records = records_of(document, published.options);
        if (!records) {  // links are relative to the feed's own address, which the record of an item lacks
            CHECK(document->feed_fields().base != document->feed_fields().link);
            continue;
        }
        REQUIRE(records->size() == document->items().size());
        for (std::size_t i = 0; i < records->size(); ++i, ++checked) {
            const DocumentRecord& record = (*records)[i].document;
            CHECK(record.context == RecordContext::item);
            const auto append = decode_append(*encode_append(record, std::vector<EventRecord>(1)));
            REQUIRE(append.has_value());
            const auto alone = parse_record(*append->document, {});
            if (!alone) FAIL(alone.error().message << " in " << *record.text);
            check_alone(document, i, *alone);
            CHECK(source_range(**alone, 0) == (*records)[i].item);
        }
    }
    CHECK(checked > 30);
}

TEST_CASE("what a record of one item keeps of the document") {
    using Texts = std::vector<std::string>;
    CHECK(texts_of("<?xml version='1.0'?><!-- < --><?p <?><rss a='>' b=\"'\"\n><!-- <x> --><channel ><title>t</title>"
                   "<![CDATA[</channel>]]><item/><?q </channel>?> <item\n>x</item\n></channel></rss><!-- z -->") ==
          Texts{"<rss a='>' b=\"'\"\n><channel ><item/></channel></rss>",
                "<rss a='>' b=\"'\"\n><channel ><item\n>x</item\n></channel></rss>"});
    CHECK(texts_of("<!DOCTYPE r><rss><item/></rss>") == Texts{"<rss><item/></rss>"});
    CHECK(texts_of("<!DOCTYPE r [<!-- ]> --><!ENTITY a '>'>]><rss><x/><item>&a;</item></rss>") ==
          Texts{"<!DOCTYPE r [<!-- ]> --><!ENTITY a '>'>]><rss><item>&a;</item></rss>"});
    CHECK(texts_of("\xEF\xBB\xBF{\"version\":\"https://jsonfeed.org/version/1\",\"items\": [{\"id\": \"]\"} , {}], "
                   "\"title\": \"t\"}") == Texts{"{\"items\":[{\"id\": \"]\"}]}", "{\"items\":[{}]}"});
    CHECK(texts_of("<a><b><a k=''>1</a></b><a/>2</a>", {"", "//a", {}}) ==
          Texts{"<a><b><a k=''>1</a></b><a/>2</a>", "<a><b><a k=''>1</a></b></a>", "<a><a/></a>"});
}

TEST_CASE("only what is asked for becomes a record") {
    const DocumentPtr document = parsed("<rss><x/><item>0</item><item>1</item><item>2</item><item>3</item></rss>");
    DocumentRecord whole = record_document(*document, {"", "//nothing", {}});
    whole.owner = "me";
    whole.attributes = {{"a", "b"}};
    whole.repairs = 2;
    const std::size_t items[] = {1, 3};
    const Records records = record_items(*document, whole, items, no_limit);
    REQUIRE(records);
    REQUIRE(records->size() == 2);
    CHECK(*records->at(0).document.text == "<rss><item>1</item></rss>");
    CHECK(*records->at(1).document.text == "<rss><item>3</item></rss>");
    CHECK(records->at(1).document.owner == "me");
    CHECK(records->at(1).document.attributes == whole.attributes);
    CHECK(records->at(1).document.repairs == 2);
    CHECK(records->at(1).document.content_type == "application/xml; charset=utf-8");
    CHECK(records->at(1).document.event_path == "//nothing");  // a feed: the path is not used
    CHECK(record_items(*document, whole, {}, 0)->empty());
}

TEST_CASE("records of items that would be too large together") {
    const DocumentPtr xml = parsed("<rss><item>0</item><item>1</item></rss>");
    const DocumentPtr json = parsed("{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{},{\"id\":1}]}");
    CHECK(records_of(xml, {}, 50));  // 2 * "<rss><item>0</item></rss>"
    CHECK(!records_of(xml, {}, 49));
    CHECK(records_of(json, {}, 34));
    CHECK(!records_of(json, {}, 33));
    std::string nested;
    for (int i = 0; i < 200; ++i) nested += "<a>";
    for (int i = 0; i < 200; ++i) nested += "</a>";
    const DocumentOptions all{"", "//a", {}};
    CHECK(records_of(parsed(nested, all), all)->size() == 200);
    CHECK(!records_of(parsed(nested, all), all, 100 * nested.size()));
}

TEST_CASE("an item that is no feed's without the channel beside it") {
    const std::string rss = "<rss><channel><title>t</title></channel><item/></rss>";
    CHECK(records_of(parsed(rss), {}));
    CHECK(!records_of(parsed("<x>" + rss + "</x>"), {}));
    CHECK(records_of(parsed("<x><rss><channel><item/></channel></rss></x>"), {}));
}

TEST_CASE("a record of one item with another number of items") {
    DocumentRecord record;
    record.context = RecordContext::item;
    for (const char* text :
         {"<rss/>", "<rss><item/><item/></rss>", "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[]}"}) {
        record.text = std::make_shared<const std::string>(text);
        const auto document = parse_record(record, {});
        REQUIRE(document.has_error());
        CHECK(document.error().message.starts_with("a record of one item has a text with "));
    }
}

TEST_CASE("an item alone has the address that it has in its feed") {
    for (
        const char* text :
        {R"({"version":"https://jsonfeed.org/version/1","feed_url":"http://a/\"b\"/f.json","items":[{"url":"1"},{"url":"2"}]})",
         R"({"version":"https://jsonfeed.org/version/1","home_page_url":"http://a/","feed_url":"http://b/","items":[{"url":"1"},{"url":"2"}]})",
         "<rss><channel xml:base='b/'><link>http://a/</link><item><link>1</link></item>"
         "<item><link>2</link></item></channel></rss>"}) {
        INFO(text);
        const DocumentPtr document = parsed(text);
        const Records records = records_of(document, {});
        REQUIRE(records);
        for (std::size_t i = 0; i < 2; ++i) {
            const auto alone = parse_record((*records)[i].document, {});
            REQUIRE(alone.has_value());
            const Fields fields = read_fields(**alone, (*alone)->items()[0]);
            const auto& link = fields.link;
            CHECK(link == read_fields(*document, document->items()[i]).link);
            CHECK(link->starts_with("http://a/"));
        }
    }
}
