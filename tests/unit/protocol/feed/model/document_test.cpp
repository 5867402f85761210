#include "protocol/feed/model/document.hpp"

#include "protocol/feed/parse.hpp"
#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;
using Kind = FeedError::Kind;
using Strings = std::vector<std::string>;

TEST_CASE("the root tells the format, and each format its items") {
    struct Case {
        const char* text;
        FeedFormat format;
        Strings sources;
    };
    const Case cases[] = {
        {"<rss><channel><item>a</item><title/><item>b</item></channel></rss>",
         FeedFormat::rss,
         {"<item>a</item>", "<item>b</item>"}},
        {"<rss><channel/><item>a</item></rss>", FeedFormat::rss, {"<item>a</item>"}},
        {"<rss><channel/></rss>", FeedFormat::rss, {}},
        {R"(<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel/><item/></r:RDF>)",
         FeedFormat::rdf,
         {"<item/>"}},
        {R"(<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id></entry></feed>)",
         FeedFormat::atom,
         {"<entry><id>1</id></entry>"}},
        {R"(<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry a='1'></a:entry ></a:feed>)",
         FeedFormat::atom,
         {"<a:entry a='1'></a:entry >"}},
        {R"(<feed xmlns="http://purl.org/atom/ns#"><title/></feed>)", FeedFormat::atom, {}},
        {"<feed><entry/></feed>", FeedFormat::atom, {"<entry/>"}},
        {"<entry><title>x</title></entry>", FeedFormat::atom, {"<entry><title>x</title></entry>"}},
        {"<item><title>x</title></item>", FeedFormat::rss, {"<item><title>x</title></item>"}},
        {"<html><body><rss><channel><item/></channel></rss></body></html>", FeedFormat::rss, {"<item/>"}},
        {"<RSS><Channel><Item>a</Item></Channel></RSS>", FeedFormat::rss, {"<Item>a</Item>"}},
        {"<ENTRY><title>x</title></ENTRY>", FeedFormat::atom, {"<ENTRY><title>x</title></ENTRY>"}},
        {R"({"version":"https://jsonfeed.org/version/1","items":[ {"id":"1"} , {"id":"]"}]})",
         FeedFormat::json,
         {R"({"id":"1"})", R"({"id":"]"})"}},
        {"<trades><trade n='1'/> <quote/></trades>", FeedFormat::xml, {"<trade n='1'/>", "<quote/>"}},
        {"<feed><trade/></feed>", FeedFormat::xml, {"<trade/>"}},
        {"<price>12</price>", FeedFormat::xml, {"<price>12</price>"}},
        {"<price value='12'/>", FeedFormat::xml, {"<price value='12'/>"}},
        {"<prices xmlns='urn:p'/>", FeedFormat::xml, {}},
    };
    for (const Case& c : cases) {
        INFO(c.text);
        const DocumentPtr document = parsed(c.text);
        CHECK(document->format() == c.format);
        CHECK(sources(document) == c.sources);
    }
}

TEST_CASE("known namespaces get their customary prefixes") {
    const DocumentPtr document =
        parsed(R"(<rss xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:m="http://search.yahoo.com/mrss/"
        xmlns:a10="http://www.w3.org/2005/Atom" xmlns:dc="urn:mine"><channel><item m:note="n" a10:href="h">
        <d:creator>Ann</d:creator><a10:link href="l"/><dc:creator>Bob</dc:creator>
        <m:content url="u"><m:title>t</m:title></m:content>
        <div xmlns="http://www.w3.org/1999/xhtml"><p>one<br/></p></div></item></channel></rss>)");
    CHECK(text_at(document, "//item/dc:creator") == "Ann");
    CHECK(text_at(document, "//item/dc_:creator") == "Bob");
    CHECK(PugiCopy(*document).tree().select_nodes("//dc:creator").size() == 1);
    CHECK(text_at(document, "//item/media:content[@url='u']/media:title") == "t");
    CHECK(text_at(document, "//item/xhtml:div/xhtml:p[xhtml:br]") == "one");
    CHECK(PugiCopy(*document).tree().select_node("//item[@media:note='n' and @atom:href='h']/atom:link[@href='l']"));
    CHECK(PugiCopy(*document).tree().select_node("//xhtml:p[namespace-uri()='http://www.w3.org/1999/xhtml']"));
    CHECK(document->items()[0].source.find("<d:creator>Ann</d:creator>") != std::string::npos);
}

TEST_CASE("a refusal says what is wrong and where") {
    FeedError error = refused("<rss>\n<channel><item></channel></rss>");
    CHECK(error.kind == Kind::not_well_formed);
    CHECK(error.line == 2);
    CHECK(error.column == 16);
    CHECK(error.offset == 21);
    CHECK(error.message == "</channel> where <item> of line 2 is still open");

    error = refused("<rss><channel>");
    CHECK(error.message == "the document ends inside <channel>, which begins in line 1");
    CHECK(refused("").message == "the document is empty");
    CHECK(refused("title,link\n").message == "expected XML or JSON, found 't'; for CSV send Content-Type: text/csv");
    CHECK(refused("\n p").column == 2);
    error = refused("{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[\n{\"id\":tru}]}");
    CHECK(error.kind == Kind::not_well_formed);
    CHECK(error.line == 2);
    CHECK(refused("<a>caf\xE9</a>").kind == Kind::encoding);
    CHECK(refused("<a>caf\xE9</a>").offset == 6);
    CHECK(refused("<a>\x01</a>").message == "the character U+0001 is not allowed");
}

TEST_CASE("limits are refused with their option and value") {
    DocumentOptions options;
    options.limits = {100, 3, 2, 4};
    CHECK(refused(std::string(101, ' '), options).message == "the document is larger than limits.document_bytes (100)");
    CHECK(refused("<a><b><c><d/></c></b></a>", options).message ==
          "elements nest deeper than limits.element_depth (3)");
    CHECK(refused("<a><b/><b/><b/></a>", options).message == "the document has more items than limits.items (2)");
    CHECK(refused("<a><b x='1' y='2' z='3' w='4'/></a>", options).message ==
          "the item that begins here has more values than limits.values_per_event (4)");
    CHECK(refused(R"([{"a":{"b":[]}}])", options).message == "values nest deeper than limits.element_depth (3)");
    CHECK(refused(R"({"version":"https://jsonfeed.org/version/1","items":[{},{},{}]})", options).message ==
          "the document has more items than limits.items (2)");
    CHECK(refused(R"({"version":"https://jsonfeed.org/version/1","items":[{"a":1,"b":2,"c":3,"d":4}]})", options)
              .message == "the item that begins here has more values than limits.values_per_event (4)");
    CHECK(parsed("<a><b><c/></b><b x='1' y='2' z='3'/></a>", options)->items().size() == 2);
    options.limits = {100, 5, 2, 4, 6};
    CHECK(refused("<a><b><c/><d x='1' y='2' z='3'/></b></a>", options).message ==
          "the document has more values than limits.values (6)");
    CHECK(refused(R"({"version":"https://jsonfeed.org/version/1","x":[1,1,1,1,1,1,1],"items":[]})", options).message ==
          "the document has more values than limits.values (6)");
    CHECK(refused(R"({"version":"https://jsonfeed.org/version/1","x":[1,1,1],"items":[{"a":1,"b":2,"c":3}]})", options)
              .message == "the document has more values than limits.values (6)");
}

TEST_CASE("repair opens no way around limits, but elements without end tags do not count as nested") {
    DocumentOptions options;
    options.repair = RepairMode::lenient;
    std::string entities = "<!DOCTYPE r [", breaks = "<rss><channel><item>";
    for (int i = 0; i < 1'001; ++i) entities += "<!ENTITY e" + std::to_string(i) + " 'x'>";
    for (int i = 0; i < 1'000; ++i) breaks += "<br>";
    CHECK(refused(entities + "]><r><a/></r>", options).kind == Kind::limit);
    CHECK(parsed(breaks + "</item></channel></rss>", options)->items().size() == 1);
}

TEST_CASE("100,000-deep documents are refused, and parsed if the limit is as high") {
    constexpr std::size_t depth = 100'000;
    std::string xml, json = "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"a\":";
    for (std::size_t i = 0; i < depth; ++i) xml += "<a>";
    for (std::size_t i = 0; i < depth; ++i) xml += "</a>";
    json += std::string(depth, '[') + std::string(depth, ']') + "}]}";
    CHECK(refused(xml).kind == Kind::limit);
    CHECK(refused(json).kind == Kind::limit);
    DocumentOptions options;
    options.limits.depth_max = options.limits.item_values_max = depth;
    CHECK(parsed(xml, options)->items().size() == 1);
}

TEST_CASE("the event path selects the events of other XML") {
    DocumentOptions options;
    const std::string text = "<a><b><c/></b><c n='2'/></a>";
    options.event_path = "//c";
    CHECK(sources(parsed(text, options)) == Strings{"<c/>", "<c n='2'/>"});
    CHECK(sources(parsed("<rss><channel><item/></channel></rss>", options)) == Strings{"<item/>"});
    options.event_path = "//c[";
    CHECK(refused(text, options).kind == Kind::event_path);
    CHECK(refused(text, options).message ==
          "invalid event path \"//c[\": expected a path, a value or '(', but the path ends here (at character 5)");
    options.event_path = "count(//c)";
    CHECK(refused(text, options).kind == Kind::event_path);
    options.event_path = "//@n";
    CHECK(refused(text, options).kind == Kind::event_path);
}

TEST_CASE("content types that are no feed's are refused") {
    const auto accepts = [](const char* type) {
        DocumentOptions options;
        options.content_type = type;
        return parse_document("<item/>", options).has_value();
    };
    for (const char* type :
         {"", "text/xml", "application/xml; charset=utf-8", "application/rss+xml", "Application/Atom+XML",
          "application/json", "application/feed+json", "text/plain", "application/octet-stream", "text/rss+xml",
          "text/atom+xml", "text/rss", "application/rss", "application/atom", "application/x-rss+xml",
          "application/x-rss", "text/x-xml", "text/rdf", "application/rdf+xml"}) {
        INFO(type);
        CHECK(accepts(type));
    }
    for (const char* type : {"text/html", "image/png", "image/svg+xml", "text/css", "text/xmlish",
                             "multipart/form-data; boundary=x", "application/zip"}) {
        INFO(type);
        CHECK_FALSE(accepts(type));
    }
    DocumentOptions options;
    options.content_type = "text/html; charset=utf-8";
    CHECK(refused("<item/>", options).kind == Kind::content_type);
    CHECK(refused("<item/>", options).message ==
          "the content type \"text/html\" is not that of a feed, XML or JSON, nor of data that the broker reads; "
          "accepted: " +
              accepted_media_types());
}

TEST_CASE("of several feeds in a document the first is published, and the others' items are refused") {
    const std::string others = "<item><title>2</title></item><item><title>3</title></item>";
    const DocumentPtr document = parsed(
        "<feeds>\n<rss><channel><item><title>1</title><rss><channel/></rss></item>"
        "</channel></rss>\n<rss><channel>" +
        others + "</channel></rss><feed><entry/></feed></feeds>");
    CHECK(document->items().size() == 1);
    const Refusals& refusals = document->refusals();
    REQUIRE(refusals.count == 3);
    REQUIRE(refusals.first.size() == 3);
    CHECK(refusals.first[0].index == 1);
    CHECK(refusals.first[0].error.line == 3);
    CHECK(refusals.first[0].error.column == 15);
    CHECK(refusals.first[0].error.message == "the item belongs to another feed than the document's first");
    CHECK(refusals.first[2].index == 3);

    std::string many = "<x><rss><channel/></rss>";
    for (int i = 0; i < 30; ++i) many += "<rss><channel>" + others + "</channel></rss>";
    const DocumentPtr empty = parsed(many + "</x>");
    CHECK(empty->items().empty());
    CHECK(empty->refusals().count == 60);
    CHECK(empty->refusals().first.size() == refusals_max);

    DocumentOptions options;
    options.repair = RepairMode::lenient;
    const DocumentPtr repaired =
        parsed("<x>&&&<rss><channel/></rss><rss><channel><item/></channel></rss></x>", options);
    REQUIRE(repaired->refusals().count == 1);
    CHECK(repaired->refusals().first[0].error.column == 42);
}
