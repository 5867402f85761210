#include "protocol/feed/repair/xml_repair.hpp"

#include <catch2/catch.hpp>

#include "protocol/feed/xml/xml_scanner.hpp"

using namespace sluice::feed;

namespace {

std::string repaired(const std::string& text, bool any_root = false) {
    Repairs repairs;
    const auto result = repair_xml(text, FeedLimits(), any_root, repairs);
    return result ? result->text : "refused: " + result.error().message;
}

}  // namespace

TEST_CASE("each fault is repaired where it is") {
    struct Case {
        const char* text;
        const char* repaired;
    };
    const Case cases[] = {
        // references
        {"<x>a & b &c d &; &amp;</x>", "<x>a &amp; b &amp;c d &amp;; &amp;</x>"},
        {"<x y='?a=1&b=2'>&nosuch; &eacute;</x>", "<x y='?a=1&amp;b=2'>&amp;nosuch; &eacute;</x>"},
        {"<x>&#0;&#xFFFF;&#xD800;&#65;&#x;&#12</x>",
         "<x>\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD&#65;&amp;#x;&amp;#12</x>"},
        {"<x>&#X41;&#X0;&#XZ;</x>", "<x>&#x41;\xEF\xBF\xBD&amp;#XZ;</x>"},
        {"<!DOCTYPE x [<!ENTITY e 'E'><!ENTITY m '<b/>'>]><x>&e;&m;&</x>",
         "<!DOCTYPE x [<!ENTITY e 'E'><!ENTITY m '<b/>'>]><x>&e;&amp;m;&amp;</x>"},
        // text
        {"<x>a < b <3 <= <-> <> </x>", "<x>a &lt; b &lt;3 &lt;= &lt;-> &lt;> </x>"},
        {"<x>if a<b and c<d</x>", "<x>if a&lt;b and c&lt;d</x>"},
        {"<x>a ]]> b</x>", "<x>a ]]&gt; b</x>"},
        {"<x>see <http://a.example> or <ann@b.example></x>", "<x>see &lt;http://a.example> or &lt;ann@b.example></x>"},
        // comments, instructions, declarations
        {"<x><!-- a -- b ---></x>&", "<x><!-- a - - b - --></x>"},
        {"<x><!----><!--->y<!--> z</x>", "<x><!---->y z</x>"},
        {"<x><?xml version='1.0'?><?p q?>&</x>", "<x><?p q?>&amp;</x>"},
        {"<x><? a ?></x>", "<x>&lt;? a ?></x>"},
        {"<x><!DOCTYPE y>a<!ELEMENT b ANY>b<![endif]>c<![CDATA[&]]></x>&", "<x>abc<![CDATA[&]]></x>"},
        // attributes
        {"<x a=1 b=c/d e checked></x>", "<x a=\"1\" b=\"c/d\" e=\"\" checked=\"\"></x>"},
        {"<x a=1/>", "<x a=\"1\"/>"},
        {"<x a='1' a='2' b='3'/>", "<x a='1' b='3'/>"},
        {"<x a='1'b=\"2\"/>", "<x a='1' b=\"2\"/>"},
        {"<x a='<b>' c='d'/>", "<x a='&lt;b>' c='d'/>"},
        {"<x a=\"1 b=\"2\">t</x>", "<x a=\"1\" b=\"2\">t</x>"},
        {"<x ,a='1' 2b='c' = / >t</x>", "<x>t</x>"},
        {"<x a=it's>t</x>", "<x a=\"it's\">t</x>"},
        {"<x><y a='1' <z/></y></x>", "<x><y a='1'><z/></y></x>"},
        {"<x xmlns:p='u' xmlns:q='u' p:a='1' q:a='2'/>", "<x xmlns:p='u' xmlns:q='u' p:a='1'/>"},
        {"<x xmlns:p='' xmlns:xml='u' xmlns:xmlns='v' xmlns='http://www.w3.org/2000/xmlns/'/>", "<x/>"},
        // prefixes
        {"<x><p:y p:z='1'/></x>", "<x xmlns:p=\"urn:sluice:undeclared-prefix:p\"><p:y p:z='1'/></x>"},
        {"<x><atom:link/><dc:creator/></x>",
         "<x xmlns:atom=\"http://www.w3.org/2005/Atom\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><atom:link/>"
         "<dc:creator/></x>"},
        {"<p:x><y xmlns:p='u'><p:z/></y></p:x>",
         "<p:x xmlns:p=\"urn:sluice:undeclared-prefix:p\"><y xmlns:p='u'><p:z/></y></p:x>"},
        // end tags
        {"<x><b><i>t</b></i></x>", "<x><b><i>t</i></b></x>"},
        {"<x>t</y></x>", "<x>t</x>"},
        {"<x><B>t</b></X>", "<x><B>t</B></x>"},
        {"<x><y>t</ y></y z='1'></x", "<x><y>t</y></x>"},
        {"<x><y>t</y<z/></x>", "<x><y>t</y><z/></x>"},
        // HTML
        {"<x>a<br>b<hr>c<img src='i'>d</x>", "<x>a<br/>b<hr/>c<img src='i'/>d</x>"},
        {"<x>&<hr>72</hr><br></br></x>", "<x>&amp;<hr >72</hr><br ></br></x>"},
        {"<x>a<br>b<br>c</x>", "<x>a<br/>b<br/>c</x>"},
        {"<x><br><b>c</b>d</x>", "<x><br/><b>c</b>d</x>"},
        {"<x><p>1<p>2</x>", "<x><p>1</p><p>2</p></x>"},
        {"<x><ul><li>1<li>2<ul><li>3</ul></ul></x>", "<x><ul><li>1</li><li>2<ul><li>3</li></ul></li></ul></x>"},
        // around the root
        {"<x/><y/>", "<x/>"},
        {"<x/> <!-- c --> text", "<x/> <!-- c --> "},
        {"<!-- c --><?xml version='1.0'?><x/>", "<!-- c --><x/>"},
        {"<?xml version='1.0' encoding=''?><x/>", "<x/>"},
        {"<?xml version=1.0><x/>", "<x/>"},
        {" \n<?xml version='1.0'?><x>&</x>", "<?xml version='1.0'?><x>&amp;</x>"},
        {"<!DOCTYPE x PUBLIC 'a'><x/>", "<x/>"},
        {"<!DOCTYPE x [ <!ENTITY e ] 'f'> ] ><x/>", "<x/>"},
        {"Warning: x in <b>y</b>\n<?xml version='1.0'?><rss/>", "<rss/>"},
        {"<br />\n<b>Warning</b>: <!-- <rss> --> <r:RSS/>", "<r:RSS xmlns:r=\"urn:sluice:undeclared-prefix:r\"/>"},
    };
    for (const Case& c : cases) {
        INFO(c.text);
        CHECK(repaired(c.text) == c.repaired);
        const auto scanned = scan_xml(repaired(c.text), FeedLimits());
        CHECK(scanned.has_value());
    }
}

TEST_CASE("what the document ends inside of is left out, and the rest is closed") {
    CHECK(repaired("<x><y>t") == "<x><y>t</y></x>");
    CHECK(repaired("<x><y>t</") == "<x><y>t</y></x>");
    CHECK(repaired("<x><y>t</y><z a='1") == "<x><y>t</y></x>");
    CHECK(repaired("<x><y>t</y><!-- c") == "<x><y>t</y></x>");
    CHECK(repaired("<x><y>t</y><![CDATA[c") == "<x><y>t</y></x>");
    CHECK(repaired("<x><y>t</y><![CD") == "<x><y>t</y></x>");
    CHECK(repaired("<x><y>t</y><?p") == "<x><y>t</y>&lt;?p</x>");
    CHECK(repaired("<x><y>t</y><?p q") == "<x><y>t</y></x>");
    CHECK(repaired("<x>a<br>b") == "<x>a<br/>b</x>");
}

TEST_CASE("there must be a root") {
    for (const char* text : {"", "text", "<!-- c", "<?p", "&", "<", "<1/>", "<x", "Not found <b>x</b>"}) {
        INFO(text);
        CHECK(repaired(text) == "refused: the document has no root element");
    }
    CHECK(repaired("<p>Not found<br></p>") == "refused: the document is an HTML page, not a feed");
    CHECK(repaired("<p>Not found<br></p>", true) == "<p>Not found<br/></p>");
}

TEST_CASE("limits hold for repaired text") {
    FeedLimits limits;
    limits.depth_max = 3;
    Repairs repairs;
    std::string deep;
    for (int i = 0; i < 1000; ++i) deep += "<x>";
    CHECK(repair_xml(deep, limits, false, repairs).error().kind == FeedError::Kind::limit);
    limits = FeedLimits();
    limits.document_bytes_max = 100;
    CHECK(repair_xml("<x>" + std::string(50, '&') + "</x>", limits, false, repairs).error().kind ==
          FeedError::Kind::limit);
    std::string attributes = "<x><y";
    for (int i = 0; i < 10'000; ++i) attributes += " a" + std::to_string(i) + "=1";
    CHECK(repair_xml(attributes + "/></x>", FeedLimits(), false, repairs).error().kind == FeedError::Kind::limit);
    std::string prefixes = "<x>";
    for (int i = 0; i < 1000; ++i) prefixes += "<p" + std::to_string(i) + ":y/>";
    CHECK(repair_xml(prefixes + "</x>", FeedLimits(), false, repairs).error().kind == FeedError::Kind::limit);
}

// Each takes a second where time grows with the length, and a day where it grows with its square.
TEST_CASE("no text takes more than linear time") {
    for (const char* piece :
         {"<? ",        "<?xml ", "<?p ", "<!DOCTYPE a [", "<!-- ",    "<![CDATA[", "<",    "<b ",     "<a b=\"x ",
          "<a b='x \"", "&",      "&#1",  "<br>",          "<hr><br>", "<p>",       "</b>", "<a></b>", "a=1 ",
          "a ",         "-",      "<!",   "<item><title>", "</item "}) {
        for (const char* begin : {"<rss><channel><item>", "<a b=\"", "<rss ", "junk ", "<x><!--", "<x/>"}) {
            std::string text = begin;
            while (text.size() < 300'000) text += piece;
            Repairs repairs;
            const auto result = repair_xml(text, FeedLimits(), false, repairs);
            if (result) CHECK(scan_xml(result->text, FeedLimits()).has_value());
            for (const Repair& repair : repairs.list()) CHECK(repair.reason.size() < 1'000);
        }
    }
}

TEST_CASE("a place in the repaired text leads back to the original") {
    Repairs repairs;
    const std::string text = "<x>a & b<p:y>t</p:y><z>cut";
    const auto result = repair_xml(text, FeedLimits(), false, repairs);
    REQUIRE(result.has_value());
    CHECK(result->source_of(result->text.find("<p:y>")) == text.find("<p:y>"));
    CHECK(result->source_of(result->text.find("<z>")) == text.find("<z>"));
    REQUIRE(result->torn.size() == 2);
    CHECK(result->torn[1] == result->text.find("<z>"));
}
