// What becomes of feeds that are not as they should be: the items delivered and the repairs reported, or the refusal.
// The examples are those of feedparser's (tests/illformed, tests/encoding, tests/entities), gofeed's (testdata) and
// miniflux's (internal/reader) test suites, made small, and the faults in their code's comments.
#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/parse.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice::feed;
using Strings = std::vector<std::string>;

namespace {

struct Case {
    std::string fault;
    std::string text;
    Strings items;    // their titles
    Strings repairs;  // "kind count"; or "refused: message"
};

std::string rss(const std::string& channel) { return "<rss version='2.0'><channel>" + channel + "</channel></rss>"; }

std::string titled(const std::string& title) { return "<item><title>" + title + "</title></item>"; }

DocumentOptions lenient() {
    DocumentOptions options;
    options.repair = RepairMode::lenient;
    return options;
}

Strings titles(const Document& document) {
    Strings titles;
    for (const Item& item : document.items()) titles.emplace_back(read_fields(document, item).title.value_or("-"));
    return titles;
}

void check(const Case& c) {
    INFO(c.fault << ": " << c.text);
    const auto document = parse_document(c.text, lenient());
    if (!document) {
        CHECK(c.repairs == Strings{"refused: " + document.error().message});
        CHECK(c.items.empty());
        return;
    }
    CHECK(titles(**document) == c.items);
    Strings repairs;
    for (const Repair& repair : (*document)->repairs().list()) {
        repairs.push_back(std::string(repair_name(repair.kind)) + " " + std::to_string(repair.count));
        CHECK_FALSE(repair.reason.empty());
    }
    CHECK(repairs == c.repairs);
    // What is strict refuses what is repaired, and takes what is not, and what is repaired is whole.
    CHECK(parse_document(c.text, {}).has_value() == repairs.empty());
    const DocumentRecord record = record_document(**document, lenient());
    CHECK(record.repairs == (*document)->repairs().total());
    const auto again = parse_record(record, FeedLimits());
    REQUIRE(again.has_value());
    CHECK(titles(**again) == c.items);
    for (std::size_t i = 0; i < c.items.size(); ++i)
        CHECK((*again)->items()[i].source == (*document)->items()[i].source);
}

const std::string one = titled("1"), two = titled("2"), lost = "\xEF\xBF\xBD";
const std::string atom_begin = "<feed xmlns='http://www.w3.org/2005/Atom'>";

}  // namespace

TEST_CASE("faulty references") {
    for (const Case& c : std::vector<Case>{
             {"bare &", rss(titled("Fish & Chips & more")), {"Fish & Chips & more"}, {"ampersand 2"}},
             {"& at the end", rss(titled("R&")), {"R&"}, {"ampersand 1"}},
             {"& in a link",
              rss("<item><title>t</title><link>http://a/?page=1&copy=2;x&y</link></item>"),
              {"t"},
              {"ampersand 2"}},
             {"& in an attribute",
              rss("<item><title>t</title><enclosure url='?a=1&b=2'/></item>"),
              {"t"},
              {"ampersand 1"}},
             {"unknown entity", rss(titled("&doesnotexist;")), {"&doesnotexist;"}, {"entity 1"}},
             {"entity with markup",
              "<!DOCTYPE rss [<!ENTITY b '<b>bold</b>'>]>" + rss(titled("&b;")),
              {"&b;"},
              {"entity 1"}},
             {"HTML's entities", rss(titled("&nbsp;&hellip;&eacute;")), {"\xC2\xA0\xE2\x80\xA6\xC3\xA9"}, {}},
             {"HTML's entity without ;", rss(titled("&eacute x")), {"&eacute x"}, {"ampersand 1"}},
             {"&#0;", rss(titled("a&#0;b")), {"a" + lost + "b"}, {"character-reference 1"}},
             {"&#xFFFF; and a surrogate", rss(titled("&#xFFFF;&#xD83D;")), {lost + lost}, {"character-reference 2"}},
             {"&#x110000;", rss(titled("&#x110000;&#99999999999;")), {lost + lost}, {"character-reference 2"}},
             {"&#150; is windows-1252's",
              rss(titled("&#150;&#x93;&#128;")),
              {"\xE2\x80\x93\xE2\x80\x9C\xE2\x82\xAC"},
              {}},
             {"&#X41;", rss(titled("&#X41;")), {"A"}, {"character-reference 1"}},
             {"&# without digits", rss(titled("&#; &#x;")), {"&#; &#x;"}, {"ampersand 2"}},
         })
        check(c);
}

TEST_CASE("faulty characters") {
    for (const Case& c : std::vector<Case>{
             {"control character",
              rss(titled("ab\x08"
                         "cd")),
              {"ab" + lost + "cd"},
              {"control-character 1"}},
             {"NUL", rss(titled(std::string("a\0b", 3))), {"a" + lost + "b"}, {"control-character 1"}},
             {"a byte that is not UTF-8", rss(titled("\xC3\xA9\xFF")), {"\xC3\xA9" + lost}, {"bytes 1"}},
             {"windows-1252 unannounced", rss(titled("caf\xE9")), {"caf\xC3\xA9"}, {"encoding 1"}},
             {"windows-1252 announced as UTF-8",
              "<?xml version='1.0' encoding='utf-8'?>" + rss(titled("caf\xE9")),
              {"caf\xC3\xA9"},
              {"encoding 1"}},
             {"unknown encoding",
              "<?xml version='1.0' encoding='bogus'?>" + rss(titled("caf\xC3\xA9")),
              {"caf\xC3\xA9"},
              {"encoding 1"}},
             {"encoding=''",
              "<?xml version='1.0' encoding=''?>" + rss(titled("caf\xC3\xA9")),
              {"caf\xC3\xA9"},
              {"xml-declaration 1"}},
             {"UTF-16 announced in ASCII", "<?xml version='1.0' encoding='utf-16'?>" + rss(one), {"1"}, {}},
         })
        check(c);
}

TEST_CASE("faults around the feed") {
    const std::string declaration = "<?xml version='1.0'?>";
    for (const Case& c : std::vector<Case>{
             {"white space before the XML declaration", " \n\t" + declaration + rss(one), {"1"}, {}},
             {"comment before the XML declaration",
              "<!-- c -->\n" + declaration + rss(one),
              {"1"},
              {"leading-content 1"}},
             {"text before the XML declaration", "debug\n" + declaration + rss(one), {"1"}, {"leading-content 1"}},
             {"a warning before the feed",
              "<br />\n<b>Warning</b>:  x() in <b>/y.php</b> on line <b>2</b><br />\n" + declaration + rss(one),
              {"1"},
              {"leading-content 1"}},
             {"a page around the feed",
              "<html><body><br>" + rss(one) + "</body></html>",
              {"1"},
              {"leading-content 1", "trailing-content 1"}},
             {"text before other XML",
              "debug <a><b/></a>",
              {},
              {"refused: expected XML or JSON, found 'd'; for CSV send Content-Type: text/csv"}},
             {"text behind the XML declaration",
              declaration + "debug",
              {},
              {"refused: expected the root element, found 'd'"}},
             {"XML declaration without ?", "<?xml version='1.0'>" + rss(one), {"1"}, {"xml-declaration 1"}},
             {"XML declaration without quotes", "<?xml version=1.0?>" + rss(one), {"1"}, {"xml-declaration 1"}},
             {"two XML declarations", declaration + declaration + rss(one), {"1"}, {"leading-content 1"}},
             {"XML declaration inside", rss(declaration + one), {"1"}, {"instruction 1"}},
             {"faulty DOCTYPE", "<!DOCTYPE rss PUBLIC 'x'>" + rss(one), {"1"}, {"doctype 1"}},
             {"external DOCTYPE", "<!DOCTYPE rss SYSTEM 'http://a.example/rss.dtd'>" + rss(one), {"1"}, {}},
             {"text behind the feed", rss(one) + "\n<!-- 0.1 s --> done", {"1"}, {"trailing-content 1"}},
             {"element behind the feed", rss(one) + "<script>x</script>", {"1"}, {"trailing-content 1"}},
             {"NUL behind the feed",
              rss(one) + std::string(2, '\0'),
              {"1"},
              {"control-character 2", "trailing-content 1"}},
             {"a second feed behind the feed", rss(one) + rss(two), {"1"}, {"trailing-content 1"}},
             {"comment with --", rss("<!-- a -- b -->" + one), {"1"}, {"comment 1"}},
             {"comment ending in --->", rss("<!-- a --->" + one), {"1"}, {"comment 1"}},
         })
        check(c);
}

TEST_CASE("faulty names and tags") {
    for (const Case& c : std::vector<Case>{
             {"undeclared prefix", rss("<item><title>t</title><foo:bar>x</foo:bar></item>"), {"t"}, {"prefix 1"}},
             {"undeclared itunes", rss("<itunes:subtitle>Foo</itunes:subtitle>" + one), {"1"}, {}},
             {"undeclared atom", rss("<atom:link href='http://a/'/>" + one), {"1"}, {}},
             {"undeclared atom10", rss("<atom10:link href='http://a/'/>" + one), {"1"}, {"prefix 1"}},
             {"prefix declared as nothing",
              "<rss xmlns:a=''><channel>" + one + "</channel></rss>",
              {"1"},
              {"attribute 1"}},
             {"attribute without quotes",
              "<rss version=2.0><channel>" + one + "</channel></rss>",
              {"1"},
              {"attribute 1"}},
             {"attribute twice",
              "<rss version='2.0' version='2.0'><channel>" + one + "</channel></rss>",
              {"1"},
              {"attribute 1"}},
             {"attribute without a value",
              rss("<item><title>t</title><description><input checked/></description></item>"),
              {"t"},
              {"attribute 1"}},
             {"< in an attribute", rss("<item><title>t</title><enclosure url='<x>'/></item>"), {"t"}, {"attribute 1"}},
             {"> missing in an end tag", rss("<item><title>t</title</item>"), {"t"}, {"attribute 1"}},
             {"end tag in other letters", rss("<item><title>t</Title></ITEM>"), {"t"}, {"attribute 2"}},
         })
        check(c);
    const DocumentPtr document =
        parsed(rss("<item><title>t</title><foo:bar>x</foo:bar><atom:id>i</atom:id></item>"), lenient());
    CHECK(text_at(document, "//item/foo:bar") == "x");
    CHECK(text_at(document, "//item/atom:id") == "i");
    // An end tag that is misspelt leaves its element open until something around it ends.
    check({"misspelt end tag",
           rss("<image><title>i</titel></image>" + one),
           {"1"},
           {"stray-end-tag 1", "unclosed-element 1"}});
}

TEST_CASE("a fault in the name of an item's start tag costs that item, not those behind it") {
    const std::string three = titled("3"), entry = "<entry><title>2</title></entry>";
    for (const Case& c : std::vector<Case>{
             {"misspelt",
              rss(one + "<itme><title>x</title></item>" + two + three),
              {"1", "2", "3"},
              {"unclosed-element 1", "stray-end-tag 1"}},
             {"a control character",
              rss("<i\x1Btem><title>x</title></item>" + two),
              {"2"},
              {"control-character 1", "unclosed-element 1", "stray-end-tag 1"}},
             {"run into the next tag",
              rss(one + "<ititle>x</title><br></item>" + two),
              {"1", "2"},
              {"stray-end-tag 2", "unclosed-element 2"}},
             {"of an entry",
              atom_begin + "<etry><title>x</title></entry>" + entry + "</feed>",
              {"2"},
              {"unclosed-element 1", "stray-end-tag 1"}},
             {"no start tag", rss(one + "<title>x</title></item>" + two), {"1", "2"}, {"stray-end-tag 1"}},
             {"the end tag of another kind, in an item",
              rss("<item><title>1</title></entry></item>" + two),
              {"1", "2"},
              {"stray-end-tag 1"}},
         })
        check(c);
}

TEST_CASE("markup in text") {
    const auto item = [](const std::string& description) {
        return rss("<item><title>t</title><description>" + description + "</description></item>" + two);
    };
    for (const Case& c : std::vector<Case>{
             {"single <", item("a < b, 1<2, I <3 you"), {"t", "2"}, {"less-than 3"}},
             {"< in a title", rss(titled("x < y & z") + two), {"x < y & z", "2"}, {"less-than 1", "ampersand 1"}},
             {"]]>", item("a]]>b"), {"t", "2"}, {"section-end 1"}},
             {"<br>", item("a<br>b<br>c"), {"t", "2"}, {"unclosed-element 2"}},
             {"<img>, <hr>", item("<img src='a.png'><hr>"), {"t", "2"}, {"unclosed-element 2"}},
             {"<p> without an end", item("<p>a<p>b"), {"t", "2"}, {"unclosed-element 2"}},
             {"<b> without an end", item("<b>a"), {"t", "2"}, {"unclosed-element 1"}},
             {"crossing tags", item("<b><i>a</b></i>"), {"t", "2"}, {"unclosed-element 1", "stray-end-tag 1"}},
             {"end tag too many", item("a</div></p>"), {"t", "2"}, {"stray-end-tag 2"}},
             {"end tag of something around the item",
              "<div>" + item("a</div>b") + "</div>",
              {"t", "2"},
              {"leading-content 1", "stray-end-tag 1", "trailing-content 1"}},
             {"conditional comment", item("<![if IE]>a<![endif]>"), {"t", "2"}, {"doctype 2"}},
             {"<script>", item("<script>if (a<b && c) d();</script>"), {"t", "2"}, {"less-than 1", "ampersand 2"}},
         })
        check(c);
}

TEST_CASE("of a document that is cut off, the complete items are delivered") {
    const std::string head = "<rss version='2.0'><channel><title>f</title>";
    const auto ends_inside = [](const std::string& name) {
        return "refused: the document ends inside <" + name + ">, which begins in line 1";
    };
    for (const Case& c : std::vector<Case>{
             {"behind an item", head + one + two, {"1", "2"}, {"cut-off 1"}},
             {"inside an item", head + one + "<item><title>2</title>", {"1"}, {"cut-off 1"}},
             {"inside a title", head + one + "<item><title>2", {"1"}, {"cut-off 1"}},
             {"inside a tag", head + one + "<item><title>2</tit", {"1"}, {"cut-off 1"}},
             {"inside an attribute", head + one + "<item><enclosure url=\"http://a", {"1"}, {"cut-off 1"}},
             {"inside a comment", head + one + "<!-- " + two + "</channel></rss>", {"1"}, {"cut-off 1"}},
             {"inside a CDATA section",
              head + one + "<item><title><![CDATA[2</title></item></channel></rss>",
              {"1"},
              {"cut-off 1"}},
             {"inside <![CDATA[", head + one + "<item><title><![CD", {"1"}, {"cut-off 1"}},
             {"inside an empty feed's end tag", "<rss version='2.0'>\n</rss", {}, {"attribute 1"}},
             {"inside the last end tag", head + one + "</channel></rss", {"1"}, {"attribute 1"}},
             {"inside a character",
              head + titled("\xC3\xA9") + "<item><title>\xC3",
              {"\xC3\xA9"},
              {"bytes 1", "cut-off 1"}},
             {"inside the first item", head + "<item><title>1", {}, {ends_inside("title")}},
             {"before any item", head, {}, {ends_inside("channel")}},
             {"inside an item inside an item",
              head + one + "<item><title>2</title><item><title>3",
              {"1", "2"},
              {"unclosed-element 1", "cut-off 1"}},
             {"inside an item inside a torn item",
              head + one + "<item><title>2</title><description><item><title>3",
              {"1"},
              {"torn-item 1", "cut-off 1"}},
             {"an entry",
              atom_begin + "<entry><title>1</title></entry><entry><title>2</title><content>",
              {"1"},
              {"cut-off 1"}},
         })
        check(c);
}

TEST_CASE("an element without its end tag swallows neither items nor the item's other elements") {
    check({"in the channel", rss("<itunes:category text='a'>" + one + two), {"1", "2"}, {"unclosed-element 1"}});
    check({"image", rss("<image><url>u</url><title>i" + one), {"1"}, {"unclosed-element 2"}});
    check({"an unknown element", rss("<list>" + one + "</list>&" + two), {"2"}, {"ampersand 1"}});
    const std::string item = "<item><title>1<link>http://a/</link><guid>g</item>";
    check({"title", rss(item), {"1"}, {"unclosed-element 2"}});
    CHECK(text_at(parsed(rss(item), lenient()), "//item/link") == "http://a/");
    check({"author",
           atom_begin + "<author><name>a</name><entry><title>1</title></entry></feed>",
           {"1"},
           {"unclosed-element 1"}});
}

TEST_CASE("an item without its end tag ends at the next one, if it is complete") {
    check({"without </item>", rss("<item><title>1</title>" + two), {"1", "2"}, {"unclosed-element 1"}});
    check({"torn by the next item", rss("<item><title>1</title><description>a" + two), {"2"}, {"torn-item 1"}});
    check(
        {"torn by the end of the channel", rss(one + "<item><title>2</title><description>a"), {"1"}, {"torn-item 1"}});
    check({"without the last </item>", rss(one + "<item><title>2</title>"), {"1", "2"}, {"unclosed-element 1"}});
    check({"without </entry>",
           atom_begin + "<entry><title>1</title><entry><title>2</title></entry></feed>",
           {"1", "2"},
           {"unclosed-element 1"}});
}

TEST_CASE("a torn event of other XML is not delivered") {
    const auto events = [](const std::string& text, const std::string& path) {
        DocumentOptions options = lenient();
        options.event_path = path;
        const auto document = parse_document(text, options);
        return document ? sources(*document) : Strings{"refused: " + document.error().message};
    };
    const std::string text = "<a><s><o>1</o><o>2</o></s><s><o>3</o><o>4";
    CHECK(events(text, "") == Strings{"<s><o>1</o><o>2</o></s>"});
    CHECK(events(text, "//o") == Strings{"<o>1</o>", "<o>2</o>", "<o>3</o>"});
    CHECK(events(text, "//s|//o") == Strings{"<s><o>1</o><o>2</o></s>", "<o>1</o>", "<o>2</o>"});
    CHECK(events("<price>12", "") == Strings{"refused: the document ends inside <price>, which begins in line 1"});
    CHECK(events("<t><trade>AT&T</trade></t>", "") == Strings{"<trade>AT&amp;T</trade>"});
    CHECK(events("<r><hr>72</hr> & <hr>73</hr></r>", "") == Strings{"<hr >72</hr>", "<hr >73</hr>"});
}

TEST_CASE("rubbish is not delivered") {
    for (const Case& c : std::vector<Case>{
             {"nothing", "", {}, {"refused: the document is empty"}},
             {"a comment", "<!-- Empty -->\n", {}, {"refused: the document is empty"}},
             {"a page",
              "<!DOCTYPE html><html><head><title>502</title><body><hr><center>nginx</center></html>",
              {},
              {"refused: the document is an HTML page, not a feed"}},
             {"a well-formed page",
              "<html><body><p>404</p></body></html>",
              {},
              {"refused: the document is an HTML page, not a feed"}},
             {"a piece of a page",
              "<div>Not found<br></div>",
              {},
              {"refused: the document is an HTML page, not a feed"}},
             {"an error",
              "<Error><Code>NoSuchKey</Code></Error>",
              {},
              {"refused: the document is an error message, not a feed"}},
             {"a broken error",
              "<Error><Code>No such key & more</Code></Error>",
              {},
              {"refused: the document is an error message, not a feed"}},
             {"OPML",
              "<opml version='1.0'><body><outline/></body></opml>",
              {},
              {"refused: the document is a list of feeds (OPML), not a feed"}},
             {"text",
              "Not found",
              {},
              {"refused: expected XML or JSON, found 'N'; for CSV send Content-Type: text/csv"}},
             {"CSV",
              "title,link\na,b\n",
              {},
              {"refused: expected XML or JSON, found 't'; for CSV send Content-Type: text/csv"}},
         })
        check(c);
}

TEST_CASE("bytes that are no text are refused for what they are, and not repaired") {
    using namespace std::string_literals;
    const std::string tar = "a.rss" + std::string(252, '\0') + "ustar\0"s + "00" + std::string(248, '\0') + rss(one);
    std::string gnu_tar = tar;
    gnu_tar.replace(257, 8, "ustar  \0"s);
    const std::string tar_fault = "refused: the document is a tar archive; publish its files one by one";
    for (const Case& c : std::vector<Case>{
             {"gzip", "\x1F\x8B\x08\0"s, {}, {"refused: the document is gzip; send it with Content-Encoding: gzip"}},
             {"bzip2", "BZh91AY&SY" + rss(one), {}, {"refused: the document is bzip2; only gzip is decompressed"}},
             {"xz", "\xFD\x37zXZ\0"s, {}, {"refused: the document is xz; only gzip is decompressed"}},
             {"zstd", "\x28\xB5\x2F\xFD", {}, {"refused: the document is zstd; only gzip is decompressed"}},
             {"ZIP, stored",
              "PK\x03\x04" + rss(one),
              {},
              {"refused: the document is a ZIP archive; only gzip is decompressed"}},
             {"PNG",
              "\x89PNG\r\n\x1A\n",
              {},
              {"refused: the document is a PNG image; expected XML, JSON or another text"}},
             {"tar", tar, {}, {tar_fault}},
             {"GNU tar", gnu_tar, {}, {tar_fault}},
             {"text as tar has it, but no NUL",
              std::string(257, ' ') + "ustar   " + rss(one),
              {"1"},
              {"leading-content 1"}},
             {"text as bzip2 begins", "BZh9" + rss(one), {"1"}, {"leading-content 1"}},
         })
        check(c);
}

TEST_CASE("a repair says where it was first, and a limit's error where the original text exceeds it") {
    const DocumentPtr document = parsed("<rss>\n<channel>&<item>a & b</item>\n<foo:x/></channel></rss>", lenient());
    const auto repairs = document->repairs().list();
    REQUIRE(repairs.size() == 2);
    CHECK(repairs[0].line == 2);
    CHECK(repairs[0].column == 10);
    CHECK(repairs[0].offset == 15);
    CHECK(repairs[0].count == 2);
    CHECK(repairs[1].line == 3);
    CHECK(repairs[1].column == 2);
    CHECK(repairs[1].reason == "the prefix foo is not declared");
    CHECK(document->items()[0].source == "<item>a &amp; b</item>");
    CHECK(document->text()->find("&amp;<item>") != std::string::npos);

    DocumentOptions options = lenient();
    options.limits.items_max = 1;
    const FeedError error = refused("<rss><foo:a/>&\n<channel> <item/> <item/></channel></rss>", options);
    CHECK(error.kind == FeedError::Kind::limit);
    CHECK(error.line == 2);
    CHECK(error.column == 19);
}

TEST_CASE("JSON is not repaired but for its bytes") {
    const DocumentPtr document =
        parsed("{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"title\":\"caf\xE9\"}]}", lenient());
    CHECK(titles(*document) == Strings{"caf\xC3\xA9"});
    CHECK(document->repairs().total() == 1);
    CHECK(refused("{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[", lenient()).kind ==
          FeedError::Kind::not_well_formed);
}
