// Expat decides whether an item that stands alone is what it is in its document.
#include "protocol/feed/item/item_xml.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "protocol/feed/parse.hpp"
#include "protocol/feed/xml/xml_scanner.hpp"
#include "protocol/text/utf8.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/source_folder.hpp"
#include "tests/unit/protocol/feed/damaged_text.hpp"
#include "tests/unit/protocol/feed/expat_tree.hpp"
#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

DocumentPtr read_leniently(std::string text, const std::string& type = {}, const std::string& event_path = {}) {
    DocumentOptions options;
    options.content_type = type;
    options.event_path = event_path;
    options.repair = RepairMode::lenient;
    return parsed(std::move(text), options);
}

std::string xml_of(const DocumentPtr& document, std::size_t i) {
    return item_xml({document, i, std::make_shared<const std::string>("s"), i + 1});
}

// All items, one after another.
std::string items_xml(const DocumentPtr& document) {
    std::string xml;
    for (std::size_t i = 0; i < document->items().size(); ++i) xml += xml_of(document, i);
    return xml;
}

// Each item is accepted by expat and by our scanner.
void check_alone(const DocumentPtr& document) {
    for (std::size_t i = 0; i < document->items().size(); ++i) {
        const std::string xml = xml_of(document, i);
        INFO(xml);
        const ExpatVerdict alone = expat_element(xml, 0);
        INFO(alone.error);
        CHECK(alone.tree.has_value());
        CHECK(scan_xml(xml, FeedLimits()).has_value());
    }
}

// Each item is to expat what it is in its document. False: expat refuses the document.
bool check_in_document(const DocumentPtr& document) {
    // Ours may begin with white space.
    const std::size_t space = std::min(document->text()->find_first_not_of(" \t\r\n"), document->text()->size());
    const std::string text = document->text()->substr(space);
    for (std::size_t i = 0; i < document->items().size(); ++i) {
        const auto begin = static_cast<std::size_t>(document->items()[i].source.data() - document->text()->data());
        const ExpatVerdict inside = expat_element(text, begin - space);
        if (!inside.tree) return false;
        CHECK(expat_element(xml_of(document, i), 0).tree.value_or("") == *inside.tree);
    }
    return true;
}

// Each item is to expat what it is in our tree, with customary names.
void check_in_tree(const DocumentPtr& document) {
    const PugiCopy copy(*document);
    for (std::size_t i = 0; i < document->items().size(); ++i)
        CHECK(expat_tree(xml_of(document, i)).tree.value_or("") == pugixml_tree(copy.items()[i]));
}

struct Row {
    const char* about;
    std::string document;
    std::string items;            // expected
    bool is_in_document = false;  // to expat; else only in our tree
    const char* type = "";
    const char* event_path = "";
};

std::string utf16(std::string_view ascii) {
    std::string bytes("\xFF\xFE", 2);
    for (const char c : ascii) bytes.append(1, c).append(1, '\0');
    return bytes;
}

const Row xml_rows[] = {
    {"nothing to add", "<rss><channel><item><title>a &amp; &#65; > ]]</title></item></channel></rss>",
     "<item><title>a &amp; &#65; > ]]</title></item>", true},
    {"an empty item", "<rss xmlns:p='u'><channel><item/></channel></rss>", "<item/>", true},
    {"a prefix declared on the root", "<rss xmlns:p='u' xmlns:q='v'><channel><item><p:a/></item></channel></rss>",
     "<item xmlns:p=\"u\"><p:a/></item>", true},
    {"on the channel, of an attribute", "<rss><channel xmlns:p='u'><item><a p:b='c'/></item></channel></rss>",
     "<item xmlns:p=\"u\"><a p:b='c'/></item>", true},
    {"on a wrapper", "<w xmlns:p='u'><rss><channel><item p:a='1' /></channel></rss></w>",
     "<item xmlns:p=\"u\" p:a='1' />", true},
    {"redeclared: the nearest counts",
     "<rss xmlns:p='u'><channel xmlns:p='v'><item><p:a/></item></channel><channel><item><p:a/></item></channel></rss>",
     "<item xmlns:p=\"v\"><p:a/></item><item xmlns:p=\"u\"><p:a/></item>", true},
    {"declared by the item itself", "<rss xmlns:p='u'><channel><item xmlns:p='v'><p:a/></item></channel></rss>",
     "<item xmlns:p='v'><p:a/></item>", true},
    {"declared inside the item",
     "<rss xmlns:p='u'><channel><item><a xmlns:p='v'><p:b/></a><a xmlns:p='w'/></item></channel></rss>",
     "<item><a xmlns:p='v'><p:b/></a><a xmlns:p='w'/></item>", true},
    {"and used behind its scope", "<rss xmlns:p='u'><channel><item><a xmlns:p='v'/><p:b/></item></channel></rss>",
     "<item xmlns:p=\"u\"><a xmlns:p='v'/><p:b/></item>", true},
    {"the default namespace", "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id></entry></feed>",
     "<entry xmlns=\"http://www.w3.org/2005/Atom\"><id>1</id></entry>", true},
    {"undeclared around the item", "<r xmlns='u'><s xmlns=''><item/></s></r>", "<item/>", true, "", "//item"},
    {"undeclared inside it", "<r xmlns='u'><item><a xmlns=''><b/></a></item></r>",
     "<item xmlns=\"u\"><a xmlns=''><b/></a></item>", true},
    {"undeclared by the item", "<r xmlns='u'><item xmlns=''><a/></item></r>", "<item xmlns=''><a/></item>", true},
    {"no name of the item is in it", "<p:r xmlns='u' xmlns:p='v'><p:item a='1'><p:b/></p:item></p:r>",
     "<p:item xmlns:p=\"v\" a='1'><p:b/></p:item>", true},
    {"a prefix in an attribute's value",
     "<r xmlns:x='u' xmlns:p='v' xmlns:q='w'><item x:type='p:a' b='http://q/'>q:c</item></r>",
     "<item xmlns:x=\"u\" xmlns:p=\"v\" x:type='p:a' b='http://q/'>q:c</item>", true},
    {"a URI with quotes and references",
     "<!DOCTYPE r [<!ENTITY e 'x'>]><r xmlns:p=\"it's&amp;&quot;&#60;&e;\"><item><p:a/></item></r>",
     "<item xmlns:p=\"it's&amp;&quot;&lt;x\"><p:a/></item>", true},
    {"items in items", "<r xmlns:p='u'><p:a xmlns:q='v'><p:a><q:b/></p:a></p:a></r>",
     "<p:a xmlns:p=\"u\" xmlns:q='v'><p:a><q:b/></p:a></p:a><p:a xmlns:p=\"u\" xmlns:q=\"v\"><q:b/></p:a>", true, "",
     "//*[name() = 'p:a']"},
    {"the item is the root", "<item xmlns:p='u'><p:a/></item>", "<item xmlns:p='u'><p:a/></item>", true},
    {"a customary prefix without a declaration", "<rss><channel><item><dc:creator/></item></channel></rss>",
     "<item xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:creator/></item>"},
    {"a known namespace by another prefix",
     "<rss xmlns:d='http://purl.org/dc/elements/1.0/' xmlns:dc='v'><channel><item><d:a/><dc:a/></item></channel></rss>",
     "<item xmlns:d=\"http://purl.org/dc/elements/1.0/\" xmlns:dc=\"v\"><d:a/><dc:a/></item>", true},
    {"entities of HTML", "<rss><channel><item a='&eacute;&lt;'>&nbsp;&amp;</item></channel></rss>",
     "<item a='\u00e9&lt;'>\u00a0&amp;</item>"},
    {"entities of HTML 5", "<rss><channel><item a='&lbrace;&Tab;&LT;&QUOT;'>&nvlt;&AMP;</item></channel></rss>",
     "<item a='{&#9;&lt;&quot;'>&lt;\u20d2&amp;</item>"},
    {"the document's own entities",
     "<!DOCTYPE rss [<!ENTITY e \"a'&#34;>&#233;\"><!ENTITY f ']]'>]>"
     "<rss><channel><item a='&e;' b=\"&e;\">&e;&f;></item></channel></rss>",
     "<item a='a&apos;&quot;&gt;\u00e9' b=\"a&apos;&quot;&gt;\u00e9\">a&apos;&quot;&gt;\u00e9&#93;&#93;></item>", true},
    {"which take precedence over HTML's",
     "<!DOCTYPE rss [<!ENTITY nbsp '&#32;'>]><rss><channel><item>&nbsp;</item></channel></rss>", "<item> </item>",
     true},
    {"windows-1252", "<rss><channel><item a='&#x93;'>&#128;&#129;</item></channel></rss>",
     "<item a='\u201c'>\u20ac&#129;</item>"},
    {"CDATA, comments and instructions stay",
     "<rss><channel><item><![CDATA[&nbsp;<p:a>]]]]><!-- &nbsp;<p:b> --><?p &nbsp;<p:c> ?></item></channel></rss>",
     "<item><![CDATA[&nbsp;<p:a>]]]]><!-- &nbsp;<p:b> --><?p &nbsp;<p:c> ?></item>", true},
    {"attributes in single quotes, and white space in tags",
     "<r xmlns:p='u'><item\n\ta = '\"' b\t=\n\"'\" ><p:a ></p:a\n></item ></r>",
     "<item xmlns:p=\"u\"\n\ta = '\"' b\t=\n\"'\" ><p:a ></p:a\n></item >", true},
    {"upper-case RSS", "<RSS xmlns:p='u'><CHANNEL><ITEM><TITLE>a</TITLE><p:A/></ITEM></CHANNEL></RSS>",
     "<ITEM xmlns:p=\"u\"><TITLE>a</TITLE><p:A/></ITEM>", true},
    {"a prefixed root", "<r:rss xmlns:r='u'><r:channel><r:item><r:title>a</r:title></r:item></r:channel></r:rss>",
     "<r:item xmlns:r=\"u\"><r:title>a</r:title></r:item>", true},
    {"RSS 1.0",
     "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'>"
     "<channel/><item rdf:about='a'><title/></item></rdf:RDF>",
     "<item xmlns=\"http://purl.org/rss/1.0/\" xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" "
     "rdf:about='a'><title/></item>",
     true},
    {"UTF-16", utf16("<?xml version='1.0' encoding='utf-16'?><r xmlns:p='u'><item p:a='1'>b</item></r>"),
     "<item xmlns:p=\"u\" p:a='1'>b</item>", true},
    {"windows-1252 text", "<?xml version='1.0' encoding='windows-1252'?><r><item>\x80</item></r>",
     "<item>\u20ac</item>", true},
    {"white space before the XML declaration", " \n<?xml version='1.0'?><r xmlns:p='u'><item p:a='1'/></r>",
     "<item xmlns:p=\"u\" p:a='1'/>", true},
    {"letters beyond ASCII in names", "<r xmlns:\u00e9='u'><\u00e9:\u00e8/></r>", "<\u00e9:\u00e8 xmlns:\u00e9=\"u\"/>",
     true},
    {"xml:base and xml:lang are inherited",
     "<feed xmlns='u' xml:base='http://a/b' xml:lang='en'><entry xml:id='e'><a xml:lang='de'/></entry></feed>",
     "<entry xml:base=\"http://a/b\" xml:lang=\"en\" xmlns=\"u\" xml:id='e'><a xml:lang='de'/></entry>", true},
    {"repaired: an undeclared prefix", "<rss><channel><item><p:a>b & c</p:a></item></channel></rss>",
     "<item xmlns:p=\"urn:sluice:undeclared-prefix:p\"><p:a>b &amp; c</p:a></item>", true},
    {"repaired: an undeclared prefix that feeds use", "<rss><channel><item><atom:link/><b></item></channel></rss>",
     "<item xmlns:atom=\"http://www.w3.org/2005/Atom\"><atom:link/><b></b></item>", true},
};

const Row data_rows[] = {
    {"a JSON Feed", R"({"version":"https://jsonfeed.org/version/1","items":[{"id":"1","title":"a <b> & \u0001"}]})",
     "<item><id>1</id><title>a &lt;b&gt; &amp; \uFFFD</title></item>"},
    {"JSON", R"([{"a":[1,null,true,{"b c":""}],"dc:d":"\r\n","p:e":"x","xmlns:f":{}}])",
     "<item xmlns:dc=\"http://purl.org/dc/elements/1.1/\" "
     "xmlns:p=\"urn:sluice:undeclared-prefix:p\"><a>1</a><a>true</a>"
     "<a><b_c/></a><dc:d>&#13;\n</dc:d><p:e>x</p:e><xmlns_f/></item>"},
    {"NDJSON", "{\"a\":1}\n{\"a\":\"]]>\"}\n", "<item><a>1</a></item><item><a>]]&gt;</a></item>", false,
     "application/x-ndjson"},
    {"CloudEvents", R"({"specversion":"1.0","id":"1","source":"s","type":"t","data":{"a":"\ud800"}})",
     "<item><specversion>1.0</specversion><id>1</id><source>s</source><type>t</type><data><a>\uFFFD</a></data></item>",
     false, "application/cloudevents+json"},
    {"CSV", "a,b c\n1,\"<&>\"\n", "<item><a>1</a><b_c>&lt;&amp;&gt;</b_c></item>", false, "text/csv"},
    {"characters of names that XML's fourth edition lacks",
     "Preis \u20ac,\u2160,\U00020000x,\u00e9\u0301,\u0301a\n1,2,3,4,5\n",
     "<item><Preis__>1</Preis__><_>2</_><_x>3</_x><\u00e9\u0301>4</\u00e9\u0301><_\u0301a>5</_\u0301a></item>", false,
     "text/csv"},
    {"and of JSON's keys", R"([{"a\u20ac:b":1,"p:\u2070":2,"\ud83d\ude00":{"\u4ef7\u683c":3}}])",
     "<item "
     "xmlns:a_=\"urn:sluice:undeclared-prefix:a_\"><a_:b>1</a_:b><p__>2</p__><_><\u4ef7\u683c>3</\u4ef7\u683c></_></"
     "item>"},
    {"FASTA", ">x\"1 a < b\nACGT\n",
     "<item id=\"x&quot;1\"><description>a &lt; b</description><sequence>ACGT</sequence></item>", false,
     "text/x-fasta"},
};

}  // namespace

TEST_CASE("item_xml: an item of XML stands alone") {
    for (const Row& row : xml_rows) {
        INFO(row.about);
        const DocumentPtr document = read_leniently(row.document, row.type, row.event_path);
        CHECK(items_xml(document) == row.items);
        check_alone(document);
        if (row.is_in_document)
            CHECK(check_in_document(document));
        else
            check_in_tree(document);
    }
}

TEST_CASE("item_xml: an item that is not XML is the item of its tree") {
    for (const Row& row : data_rows) {
        INFO(row.about);
        const DocumentPtr document = read_leniently(row.document, row.type);
        CHECK(items_xml(document) == row.items);
        check_alone(document);
    }
}

TEST_CASE("item_xml: a relative xml:base of the item's own is resolved") {
    const auto item = [](const std::string& attributes) {
        return items_xml(read_leniently(
            "<feed xml:base='http://a/b/'><x xml:base='c/'><entry" + attributes + "/></x></feed>", "", "//entry"));
    };
    CHECK(item("") == "<entry xml:base=\"http://a/b/c/\"/>");
    CHECK(item(" xml:base='http://d/'") == "<entry xml:base='http://d/'/>");
    CHECK(item(" a='1' xml:base = '../d' b='2'") == "<entry a='1' xml:base=\"http://a/b/d\" b='2'/>");
    CHECK(item(" xml:base='&amp;'") == "<entry xml:base='&amp;'/>");
    CHECK(item(" xml:lang='en'") == "<entry xml:base=\"http://a/b/c/\" xml:lang='en'/>");
}

TEST_CASE("item_xml: what is inherited is bounded by the item's size") {
    const auto alone = [](std::size_t uri_bytes, const std::string& item) {
        const std::string uri(uri_bytes, 'u');
        return items_xml(
            read_leniently("<r xmlns='" + uri + "' xmlns:p='" + uri + "p' xmlns:q='" + uri + "q'>" + item + "</r>"));
    };
    const std::string small = "<a p:b='' q:b=''/>";
    CHECK(alone(100, small).size() > 3 * 100 + small.size());
    const std::string long_uris = alone(100'000, small);
    CHECK(long_uris ==
          "<a xmlns=\"urn:sluice:long-namespace:\" xmlns:p=\"urn:sluice:long-namespace:p\" "
          "xmlns:q=\"urn:sluice:long-namespace:q\" p:b='' q:b=''/>");
    CHECK(expat_element(long_uris, 0).tree.has_value());
    CHECK(alone(100'000, "<a p:b='" + std::string(25'000, 'x') + "'/>").find("long-namespace") != std::string::npos);
    CHECK(alone(100'000, "<p:a p:b='" + std::string(25'000, 'x') + "'/>").find("long-namespace") == std::string::npos);
}

TEST_CASE("item_xml: the items of repaired documents stand alone, whatever the damage") {
    const std::string base =
        R"(<!DOCTYPE r [<!ENTITY e "f">]><r:rss xmlns:r='u' xmlns:p='v' xml:base='http://a/'><r:channel>
<r:item><p:a b="&e;" q:c='&nbsp;' xmlns='w'><d/>&amp;<br/><![CDATA[x & y]]></p:a></r:item>
<r:item xml:base="b" xmlns:p='x'><p:title>&#233;</p:title><!-- c --><dc:creator/></r:item></r:channel></r:rss>)";
    Mutator mutator(37);
    std::size_t items = 0;
    const std::size_t rounds = sluice::testing::fewer_if_sanitized(10'000);
    for (std::size_t i = 0; i < rounds; ++i) {
        std::string text = base;
        for (std::size_t faults = mutator.below(6); faults > 0; --faults) mutator.mutate(text);
        if (text::find_bad_text(text)) continue;
        DocumentOptions options;
        options.repair = RepairMode::lenient;
        const auto document = parse_document(text, options);
        if (!document) continue;
        INFO(text);
        check_alone(*document);
        items += (*document)->items().size();
    }
    CHECK(items > rounds / 2);
}

TEST_CASE("item_xml: the items of feeds as they are found in the wild stand alone") {
    const std::filesystem::path feeds = sluice::testing::shared_folder("feeds");
    if (!std::filesystem::exists(feeds)) {
        sluice::testing::skip("there is no folder ../shared/feeds");
        return;
    }
    std::size_t items = 0;
    for (const auto& file : std::filesystem::directory_iterator(feeds)) {
        INFO(file.path().filename());
        std::ifstream in(file.path(), std::ios::binary);
        const DocumentPtr document = read_leniently({std::istreambuf_iterator<char>(in), {}});
        items += document->items().size();
        check_alone(document);
        if (document->syntax() != Syntax::xml || !check_in_document(document)) check_in_tree(document);
    }
    CHECK(items == 196);
}
