#include "protocol/feed/record/record_document.hpp"

#include "tests/unit/protocol/feed/record_support.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

constexpr const char* around[] = {
    "../title", "../../title", "preceding-sibling::*", "following-sibling::node()", "ancestor::*/@*", "/*/@*",
    "//*",      "..",
};

void check_same_document(const DocumentPtr& a, const DocumentPtr& b) {
    CHECK(a->format() == b->format());
    CHECK(a->trace() == b->trace());
    check_same(a->feed_fields(), b->feed_fields());
    REQUIRE(a->items().size() == b->items().size());
    for (std::size_t i = 0; i < a->items().size(); ++i) {
        check_same_item(a, i, b, i);
        for (const char* path : around) CHECK(values_at(a, i, path) == values_at(b, i, path));
    }
}

DocumentPtr parsed_again(const DocumentRecord& record) {
    const auto document = parse_record(record, {});
    if (!document) FAIL(document.error().message << " at " << document.error().offset);
    return *document;
}

std::string type_of(const char* content_type, std::string text = "<a>b</a>") {
    const DocumentOptions options{content_type, "", {}};
    return record_document(*parsed(std::move(text), options), options).content_type;
}

}  // namespace

TEST_CASE("a document is the same when it is parsed from its record") {
    for (const Published& published : published_documents()) {
        INFO(published.name);
        DocumentOptions options = published.options;
        options.trace = {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=b"};
        const DocumentPtr document = parsed(published.bytes, options);
        REQUIRE(!document->items().empty());
        const DocumentRecord record = record_document(*document, options);
        const DocumentPtr again = parsed_again(record);
        check_same_document(document, again);
        for (std::size_t i = 0; i < document->items().size(); ++i) {
            const SourceRange place = source_range(*document, i);
            CHECK(find_item(*again, place) == i);
            CHECK(record.text->substr(place.offset, place.length) == document->items()[i].source);
        }
        // Publishing the record's text again with the record's type also gives the same document.
        options.content_type = record.content_type;
        options.event_path = record.event_path;
        check_same_document(document, parsed(*record.text, options));
    }
}

TEST_CASE("parse_record: smaller and larger limits of today → the same items, found where they were") {
    const auto check = [](const char* type, std::string text, const FeedLimits& that_day, std::size_t items) {
        const DocumentOptions options{type, "", that_day};
        const DocumentPtr document = parsed(std::move(text), options);
        REQUIRE(document->items().size() == items);
        const DocumentRecord record = record_document(*document, options);
        for (const FeedLimits& today : {FeedLimits(), FeedLimits{1'000, 1, 1, 1, 1'000}}) {
            const auto again = parse_record(record, today);
            if (!again) FAIL(again.error().message);
            check_same_document(document, *again);
            for (std::size_t i = 0; i < items; ++i) CHECK(find_item(**again, source_range(*document, i)) == i);
        }
    };
    const std::string json =
        "[{\"a\":[1,2,3,4,5,6,7,8]},{\"a\":1},{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":1}}}}},{\"b\":2}]";
    check("application/json", json, {.item_values_max = 7}, 3);
    check("application/json", json, {.depth_max = 4}, 3);
    check("application/json", json, {.depth_max = 4, .item_values_max = 7}, 2);
    check("application/json", json, {}, 4);
    check("", "<rss><item><title>1</title></item><item><title>2</title></item></rss>", {}, 2);
}

TEST_CASE("parse_record: an item refused that day → its neighbours are found at their offsets, it never is") {
    DocumentOptions options{"application/json", "", {}};
    options.limits.item_values_max = 4;
    const std::string text = "[{\"a\":[1,2,3,4]},{\"a\":1}]";
    const DocumentPtr that_day = parsed(text, options), unlimited = parsed(text, {"application/json", "", {}});
    REQUIRE(that_day->items().size() == 1);
    CHECK(find_item(*unlimited, source_range(*that_day, 0)) == 1u);  // the index has shifted
    CHECK(!find_item(*that_day, source_range(*unlimited, 0)));
}

TEST_CASE("parse_record: beyond what the reader can hold → an error of the kind limit") {
    const DocumentPtr document = parsed("<a><b/><c/></a>");
    DocumentRecord record = record_document(*document, {});
    const auto refused = [&](const FeedLimits& today) {
        const auto again = parse_record(record, today);
        REQUIRE(again.has_error());
        CHECK(again.error().kind == FeedError::Kind::limit);
        return again.error().message;
    };
    CHECK(refused({.document_bytes_max = 14}) == "the document is larger than limits.document_bytes (14)");
    CHECK(refused({.values_max = 2}).starts_with("the document has more values than limits.values (2)"));
    CHECK(parse_record(record, {.document_bytes_max = 15, .values_max = 3}).has_value());
    record.limits.document_bytes_max = 1;  // that of a published document, which this text was
    record.limits.depth_max = 4'096;
    CHECK(parse_record(record, {}).has_value());
    record.limits.depth_max = 4'097;
    CHECK(refused({}) == "a record claims that its elements may nest 4097 deep; at most 4096 can be read");
    record.limits.depth_max = ~std::size_t{0};
    refused({});
    record.limits = {.values_max = 2};
    CHECK(refused({}).starts_with("the document has more values than limits.values (2)"));
}

TEST_CASE("a record and its documents share the text") {
    const DocumentPtr document = parsed("<a><b/></a>");
    CHECK(document->text() != nullptr);
    CHECK(*document->text() == "<a><b/></a>");
    CHECK(document->items()[0].source.data() == document->text()->data() + 3);
    const DocumentRecord record = record_document(*document, {});
    CHECK(record.text == document->text());
    CHECK(parsed_again(record)->text() == record.text);
    const DocumentPtr json = parsed("{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{}]}");
    CHECK(json->items()[0].source.data() == json->text()->data() + 53);
}

TEST_CASE("parse_record: a malformed trace context, as of a store that did not check it → none") {
    DocumentRecord record = record_document(*parsed("<a><b/></a>"), {});
    record.trace_parent = "junk";
    record.trace_state = "a=b";
    CHECK(parsed_again(record)->trace().empty());
}

TEST_CASE("parse_record: a dead letter → the document has what it was, and so has its record again") {
    DocumentRecord record = record_document(*parsed("<a><b/></a>"), {});
    CHECK(record.dead_letter == nullptr);
    CHECK(parsed_again(record)->dead_letter() == nullptr);
    record.dead_letter = std::make_shared<const DeadLetter>(DeadLetter{"s", "news", 7, 10, "busy"});
    const DocumentPtr again = parsed_again(record);
    CHECK(again->dead_letter() == record.dead_letter);
    CHECK(record_document(*again, {}).dead_letter == record.dead_letter);
}

TEST_CASE("what a record says of its document") {
    const DocumentOptions options{"Text/XML; charset=utf-16; q=1", "//b", {}};
    const DocumentRecord record = record_document(*parsed("<a><b/></a>", {"", "//b", {}}), options);
    CHECK(record.content_type == "text/xml; charset=utf-8");
    CHECK(record.event_path == "//b");
    CHECK(record.context == RecordContext::document);
    CHECK(type_of("") == "application/xml; charset=utf-8");
    CHECK(type_of("application/x\"; y\"+xml") == "application/xml; charset=utf-8");
    CHECK(type_of("application/rss+xml") == "application/rss+xml; charset=utf-8");
    CHECK(type_of("", "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[]}") == "application/feed+json");
    CHECK(type_of("", "{\"items\":[]}") == "application/json");
    CHECK(type_of("application/feed+json; charset=latin1", "{\"items\":[]}") == "application/feed+json");
}

TEST_CASE("a record that is not a document's") {
    const auto refused = [](std::string text, FeedLimits limits = {}) {
        DocumentRecord record;
        record.text = std::make_shared<const std::string>(std::move(text));
        const auto document = parse_record(record, limits);
        REQUIRE(document.has_error());
        return document.error();
    };
    CHECK(refused("").message == "the document is empty");
    CHECK(refused("<a>\xE9</a>").message == "the bytes here are not UTF-8");
    CHECK(refused("<a>\xE9</a>").offset == 3);
    CHECK(refused(std::string("<a>\0</a>", 8)).offset == 3);
    CHECK(refused("<a><b></a>").kind == FeedError::Kind::not_well_formed);
    FeedLimits limits;
    limits.document_bytes_max = 7;
    CHECK(refused("<a>b</a>", limits).message == "the document is larger than limits.document_bytes (7)");
    // UTF-8 whatever the declaration says, so no conversion is attempted.
    CHECK(refused("<?xml version='1.0' encoding='latin1'?><a>\xE9</a>").kind == FeedError::Kind::encoding);
}
