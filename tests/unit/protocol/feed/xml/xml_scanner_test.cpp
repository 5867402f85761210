#include "protocol/feed/xml/xml_scanner.hpp"

#include <catch2/catch.hpp>

using namespace sluice;
using namespace sluice::feed;

namespace {

std::string rewritten(const std::string& text) {
    auto scanned = scan_xml(text, FeedLimits());
    if (!scanned) FAIL(scanned.error().message);
    return std::string(scanned->xml(text));
}

FeedError refused(const std::string& text) {
    const auto scanned = scan_xml(text, FeedLimits());
    REQUIRE(scanned.has_error());
    return scanned.error();
}

std::string doctype(const std::string& declarations, const std::string& root) {
    return "<!DOCTYPE a [" + declarations + "]>" + root;
}

}  // namespace

TEST_CASE("what real feeds do before the root is accepted, and left out") {
    for (const char* prolog :
         {"\n", " \r\n\t\n", "\xEF\xBB\xBF", "\xEF\xBB\xBF\n\n", "\n<?xml version='1.0' encoding='utf-8'?>\n",
          "<!DOCTYPE a PUBLIC '-//W3C//DTD XHTML 1.0' 'http://example.org/x.dtd'>",
          "<!DOCTYPE a [\n<!ELEMENT a (#PCDATA)>\n<!ATTLIST a b CDATA ']>'>%p;<!-- ]> --><?p ]> ?>\n]>\n"}) {
        INFO(prolog);
        CHECK(rewritten(prolog + std::string("<a>x</a>")) == "<a>x</a>");
    }
    CHECK(rewritten(
              "\n<?xml version='1.0'?>\n<!-- c -->\n<!DOCTYPE a []>\n<?xml-stylesheet href='x'?> <a>x</a>\n<!--d-->") ==
          "<!-- c --><?xml-stylesheet href='x'?><a>x</a>\n<!--d-->");
}

TEST_CASE("known prefixes are renamed in names and declarations, and nothing else changes") {
    CHECK(rewritten("<a  b = 'c' ><!-- d:x --><?p d:x?><![CDATA[<d:x>]]>&amp;</a >") ==
          "<a  b = 'c' ><!-- d:x --><?p d:x?><![CDATA[<d:x>]]>&amp;</a >");
    CHECK(rewritten("<a xmlns:d='http://purl.org/dc/elements/1.1/'><d:x d:y='d:z'>d:</d:x ></a>") ==
          "<a xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:x dc:y='d:z'>d:</dc:x ></a>");
    CHECK(rewritten("<a:b xmlns:a='http://www.w3.org/2005/Atom' a:c='1'><x/></a:b>") ==
          "<atom:b xmlns:atom='http://www.w3.org/2005/Atom' atom:c='1'><x/></atom:b>");
    CHECK(rewritten("<a:feed xmlns:a='http://www.w3.org/2005/Atom' a:c='1'><x/></a:feed>") ==
          "<feed xmlns:atom='http://www.w3.org/2005/Atom' atom:c='1'><x/></feed>");
    CHECK(rewritten("<a xmlns:dc='urn:u' dc:b='1'><dc:c/></a>") == "<a xmlns:dc_='urn:u' dc_:b='1'><dc_:c/></a>");
    CHECK(rewritten("<div xmlns='http://www.w3.org/1999/xhtml' class='x'><p/><q xmlns=''/></div>") ==
          "<xhtml:div xmlns:xhtml='http://www.w3.org/1999/xhtml' class='x'><xhtml:p/><q xmlns=''/></xhtml:div>");
    CHECK(rewritten("<u:a xmlns:u='urn:u'><media:b media:c='1'/></u:a>") ==
          "<u:a xmlns:u='urn:u'><media:b media:c='1'/></u:a>");
    CHECK(rewritten("<a xmlns:m='http://search.yahoo.com/mrss'><m:b c='&eacute;' m:d='&eacute;'/></a>") ==
          "<a xmlns:media='http://search.yahoo.com/mrss'><media:b c='\xC3\xA9' media:d='\xC3\xA9'/></a>");
}

TEST_CASE("where elements stand, in the text and in the rewritten one") {
    const std::string text = "\n<a xmlns:d='http://purl.org/dc/elements/1.1/'>&eacute;<d:b c='1'><e/></d:b >\n<f/></a>";
    const auto scanned = scan_xml(text, FeedLimits());
    REQUIRE(scanned.has_value());
    struct Case {
        std::string source, name;
        std::size_t values;
    };
    const Case cases[] = {
        {text.substr(1), "a", 6}, {"<d:b c='1'><e/></d:b >", "dc:b", 3}, {"<e/>", "e", 1}, {"<f/>", "f", 1}};
    REQUIRE(scanned->elements.size() == std::size(cases));
    for (std::size_t i = 0; i < std::size(cases); ++i) {
        const ElementRange& range = scanned->elements[i];
        CHECK(text.substr(range.begin, range.end - range.begin) == cases[i].source);
        CHECK(scanned->tree.element(static_cast<std::uint32_t>(i)).name() == cases[i].name);
        CHECK(range.values == cases[i].values);
    }
    CHECK(scanned->elements[1].known == find_known_namespace("http://purl.org/dc/elements/1.1/"));
}

TEST_CASE("HTML's entities are resolved without being declared, XML's stay") {
    CHECK(rewritten("<a b='&nbsp;&lt;'>&eacute;&amp;&mdash;&lt;&#233;</a>") ==
          "<a b='\xC2\xA0&lt;'>\xC3\xA9&amp;\xE2\x80\x94&lt;&#233;</a>");
    CHECK(rewritten("<a b='&lbrace;&LT;&QUOT;&Tab;'>&rbrace;&AMP;&nvlt;&NewLine;&GT;&nGt;</a>") ==
          "<a b='{&lt;&quot;&#9;'>}&amp;&lt;\u20D2&#10;&gt;\u226B\u20D2</a>");
    CHECK(refused("<a>&nosuch;</a>").message == "the entity nosuch is not declared");
    CHECK(refused("<a>x &copy </a>").message == "an '&' that begins no reference; as a character it is written &amp;");
}

TEST_CASE("entities that the document declares are used if they are plain text") {
    const std::string declarations =
        "<!ENTITY e \"it's > &#233;&#34;\"><!ENTITY e 'second'><!ENTITY nbsp '_'>"
        "<!ENTITY % p 'x'><!ENTITY amp '&#38;#38;'><!ENTITY m '<b/>'><!ENTITY n '&#60;'>"
        "<!ENTITY r '&e;'><!ENTITY s SYSTEM 'file:///x'>";
    CHECK(rewritten(doctype(declarations, "<a b='&e;'>&e;&nbsp;&amp;</a>")) ==
          "<a b='it&apos;s &gt; \xC3\xA9&quot;'>it&apos;s &gt; \xC3\xA9&quot;_&amp;</a>");
    for (const char* entity : {"m", "n", "r", "s"}) {
        INFO(entity);
        CHECK(refused(doctype(declarations, "<a>&" + std::string(entity) + ";</a>")).message ==
              "the entity " + std::string(entity) + " is not plain text in the document itself, and is not expanded");
    }
    CHECK(refused(doctype(declarations, "<a>&p;</a>")).message == "the entity p is not declared");
}

TEST_CASE("entities can't be used to attack") {
    std::string lol = "<!ENTITY l0 'lol'>";
    for (int i = 1; i < 10; ++i) {
        lol += "<!ENTITY l" + std::to_string(i) + " '";
        for (int k = 0; k < 8; ++k) lol += "&l" + std::to_string(i - 1) + ";";
        lol += "'>";
    }
    CHECK(refused(doctype(lol, "<a>&l9;</a>")).kind == FeedError::Kind::not_well_formed);

    const std::string big = "<!ENTITY e '" + std::string(1000, 'x') + "'>";
    std::string uses;
    for (int i = 0; i < 2000; ++i) uses += "&e;";
    CHECK(refused(doctype(big, "<a>" + uses + "</a>")).kind == FeedError::Kind::limit);
    CHECK(refused(doctype("<!ENTITY e '" + std::string(2000, 'x') + "'>", "<a>&e;</a>")).kind ==
          FeedError::Kind::not_well_formed);

    std::string many;
    for (int i = 0; i < 2000; ++i) many += "<!ENTITY e" + std::to_string(i) + " 'x'>";
    CHECK(refused(doctype(many, "<a/>")).kind == FeedError::Kind::limit);
}

TEST_CASE("namespaces in scope are bounded") {
    std::string declarations;
    for (int i = 0; i < 300; ++i) declarations += " xmlns:p" + std::to_string(i) + "='u'";
    CHECK(refused("<a" + declarations + "/>").kind == FeedError::Kind::limit);
    std::string siblings;
    for (int i = 0; i < 300; ++i) siblings += "<b xmlns:p='u'/>";
    CHECK(rewritten("<a>" + siblings + "</a>").size() == siblings.size() + 7);
}

TEST_CASE("faults are named where they are") {
    struct Case {
        const char *text, *message;
        std::size_t line, column;
    };
    const Case cases[] = {
        {"<a>\n <b>\n</a>", "</a> where <b> of line 2 is still open", 3, 1},
        {"<a>\n<b", "expected white space, '>' or \"/>\", found the end of the document", 2, 3},
        {"<a b=c/>", "expected a quoted value, found 'c'", 1, 6},
        {"<a b='1' b='2'/>", "the attribute b is there twice", 1, 10},
        {"<a><p:b/></a>", "the prefix p is not declared", 1, 5},
        {"<a p:b='1'/>", "the prefix p is not declared", 1, 4},
        {"<a>&#0;</a>", "&#0; is not a character that XML allows", 1, 4},
        {"<a b='<'/>", "'<' in an attribute's value; it is written &lt;", 1, 7},
        {"<a>]]></a>", "\"]]>\" outside a CDATA section", 1, 4},
        {"<a/>\n<b/>", "expected nothing more after the root element, found '<'", 2, 1},
        {"<a><!-- -- --></a>", "\"--\" inside a comment", 1, 9},
        {"<a>\xC3\xA9<\xE2\x80\x94/></a>", "expected the name of an element, found '\xE2\x80\x94'", 1, 6},
        {"<a><![CDATA[ ]></a>", "the CDATA section that begins here does not end", 1, 4},
        {"<a><?xml version='1.0'?></a>", "an XML declaration can only be at the start of the document", 1, 4},
        {"<!DOCTYPE a [ <!ENTITY ]><a/>", "expected the name of an entity, found ']'", 1, 24},
    };
    for (const Case& c : cases) {
        INFO(c.text);
        const FeedError error = refused(c.text);
        CHECK(error.message == c.message);
        CHECK(error.line == c.line);
        CHECK(error.column == c.column);
    }
}
