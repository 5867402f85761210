#include "protocol/feed/xml/feed_root.hpp"

#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/parse.hpp"
#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice::feed;
using Kind = FeedError::Kind;

TEST_CASE("feeds are recognised in any case and with any prefix") {
    const char* const feeds[] = {
        "<RSS><Channel><Title>F</Title><Item><Title>t</Title><Link>http://a/</Link></Item></Channel></RSS>",
        "<rss><CHANNEL><TITLE>F</TITLE><ITEM><TITLE>t</TITLE><LINK>http://a/</LINK></ITEM></CHANNEL></rss>",
        "<rss><channel><title>F</title><Item><title>t</title><Link>http://a/</Link></Item></channel></rss>",
        "<r:rss xmlns:r='urn:r'><r:channel><r:title>F</r:title><r:item><r:title>t</r:title><r:link>http://a/</r:link>"
        "</r:item></r:channel></r:rss>",
        "<Feed><Title>F</Title><Entry><Title>t</Title><Link HREF='http://a/'/></Entry></Feed>",
        "<a:FEED xmlns:a='http://www.w3.org/2005/Atom'><a:Title>F</a:Title><a:Entry><a:TITLE>t</a:TITLE>"
        "<a:link href='http://a/'/></a:Entry></a:FEED>",
        "<x:feed xmlns:x='urn:x'><x:title>F</x:title><x:entry><x:title>t</x:title><x:link href='http://a/'/></x:entry>"
        "</x:feed>",
        "<rdf:rdf xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'>"
        "<channel><title>F</title></channel><Item><title>t</title><link>http://a/</link></Item></rdf:rdf>",
    };
    for (const char* text : feeds) {
        INFO(text);
        const DocumentPtr document = parsed(text);
        CHECK(document->format() != FeedFormat::xml);
        CHECK(document->feed_fields().title == "F");
        REQUIRE(document->items().size() == 1);
        const Fields fields = read_fields(*document, document->items()[0]);
        CHECK(fields.title == "t");
        CHECK(fields.link == "http://a/");
        CHECK(document->repairs().empty());
    }
}

TEST_CASE("names that are no feed's are left alone") {
    const DocumentPtr document =
        parsed("<rss><channel><Item><Title>t</Title><Own><MyID/></Own></Item></channel></rss>");
    CHECK(text_at(document, "//item/title") == "t");
    CHECK(sluice::PugiCopy(*document).tree().select_node("//item/Own/MyID"));
    CHECK(text_at(parsed("<rss><channel><item><Title>t</Title></item></channel></rss>"), "//item/Title") == "t");
    CHECK(text_at(parsed("<Readings><Title>t</Title></Readings>"), "/Readings/Title") == "t");
    CHECK(text_at(parsed("<Feed><Price>t</Price></Feed>"), "/Feed/Price") == "t");
}

TEST_CASE("what is no feed is refused, unless an event path says what its events are") {
    const char* const texts[] = {
        "<html><head><title>404</title></head><body><p>Not found</p></body></html>",
        "<html xmlns='http://www.w3.org/1999/xhtml'><body/></html>",
        "<h1><b>502 Bad Gateway</b></h1>",
        "<Error><Code>AccessDenied</Code><Message>no</Message></Error>",
        "<ErrorResponse xmlns='urn:e'><Error/></ErrorResponse>",
        "<opml version='2.0'><head/><body><outline text='a'/></body></opml>",
    };
    for (const char* text : texts) {
        INFO(text);
        CHECK(refused(text).kind == Kind::not_a_feed);
        DocumentOptions options;
        options.event_path = "/*/*";
        CHECK(parse_document(text, options).has_value());
    }
    CHECK(refused(texts[0]).message == "the document is an HTML page, not a feed");
    CHECK(refused(texts[5]).message == "the document is a list of feeds (OPML), not a feed");
    CHECK(parsed("<table><row>1</row></table>")->items().size() == 1);
}

TEST_CASE("RSS 1.1 is a feed") {
    const std::string text = R"(<Channel xmlns="http://purl.org/net/rss1.1#" rdf:about="http://a/f"
        xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><title>T</title><link>http://a/</link>
        <description>d</description><items rdf:parseType="Collection"><item rdf:about="http://a/1"><title>one</title>
        <link>1</link></item><item><title>two</title></item></items></Channel>)";
    std::string prefixed = text;
    for (const char* name : {"Channel", "title", "link", "description", "items", "item"}) {
        for (const std::string mark : {"<", "</"}) {
            for (std::size_t at = 0; (at = prefixed.find(mark + name, at)) != std::string::npos; at += 3) {
                const char behind = prefixed[at + mark.size() + std::string(name).size()];
                if (behind == '>' || behind == ' ') prefixed.insert(at + mark.size(), "r:");
            }
        }
    }
    prefixed.replace(prefixed.find("xmlns="), 6, "xmlns:r=");
    for (const std::string& each : {text, prefixed}) {
        CAPTURE(each);
        const DocumentPtr document = parsed(each);
        CHECK(document->format() == FeedFormat::rdf);
        REQUIRE(document->items().size() == 2);
        CHECK(document->feed_fields().title == "T");
        CHECK(document->feed_fields().link == "http://a/");
        const Fields first = read_fields(*document, document->items()[0]);
        CHECK(first.title == "one");
        CHECK(first.link == "http://a/1");
        CHECK(first.id == "http://a/1");
    }
    CHECK(parsed("<channel><items><item/></items></channel>")->format() == FeedFormat::xml);
    CHECK(parsed("<Channel xmlns='http://purl.org/net/rss1.1#'><items/></Channel>")->items().empty());
}

TEST_CASE("an empty feed has no items") {
    for (const char* text :
         {"<rss/>", "<rss version='2.0'></rss>", "<rss> <!-- c --> </rss>", "<feed/>", "<RSS/>",
          "<rss><channel/></rss>", "<rss><channel><title>t</title></channel></rss>",
          "<feed xmlns='http://www.w3.org/2005/Atom'/>",
          "<feed xmlns='http://www.w3.org/2005/Atom'><title>t</title></feed>", "<feed><title>t</title></feed>",
          "<feed xmlns='urn:f'><title>t</title><link href='/'/></feed>", "<Feed><Title>t</Title></Feed>"}) {
        INFO(text);
        CHECK(parsed(text)->items().empty());
        CHECK(parsed(text)->format() != FeedFormat::xml);
    }
    CHECK(parsed("<item/>")->items().size() == 1);
    CHECK(parsed("<feed><title>t</title><trade>1</trade></feed>")->format() == FeedFormat::xml);
    CHECK(refused("").message == "the document is empty");
}

TEST_CASE("JSON that claims to be a feed has items") {
    const auto options = [](const char* type) { return DocumentOptions{type, "", {}}; };
    for (const char* type : {"application/rss+xml", "application/feed+json", "text/xml"}) {
        CHECK(refused(R"({"error":"not found"})", options(type)).kind == Kind::not_a_feed);
        CHECK(parsed(R"({"items":[{"id":1}]})", options(type))->items().size() == 1);
    }
    CHECK(parsed(R"({"error":"not found"})", options("application/json"))->items().size() == 1);
}
