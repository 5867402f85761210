#include "protocol/feed/xml/xml_scanner.hpp"

#include <catch2/catch.hpp>
#include <iterator>
#include <random>
#include <string>
#include <vector>

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
    const TreeNode document = scanned->tree.document();
    TreeNode element = scanned->tree.root();
    for (std::size_t i = 0; i < std::size(cases); ++i) {
        const ElementRange& range = scanned->elements[i];
        CHECK(text.substr(range.begin, range.end - range.begin) == cases[i].source);
        REQUIRE(element);
        CHECK(element.name() == cases[i].name);
        CHECK(element.element_number() == i);
        do element = element.next_below(document);
        while (element && !element.is_element());
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

namespace {

// All nodes in document order: depth, type, name, value and attributes.
std::string shown(const ScannedXml& scanned) {
    std::string text;
    const TreeNode document = scanned.tree.document();
    for (TreeNode node = document.first_child(); node; node = node.next_below(document)) {
        for (TreeNode parent = node.parent(); parent; parent = parent.parent()) text += ' ';
        text += std::to_string(static_cast<int>(node.type())) + ' ' + std::to_string(node.element_number()) + ' ';
        text.append(node.name()).append("=").append(node.value());
        for (const TreeAttribute& each : node.attributes()) text.append(each.name()).append("=").append(each.value());
        text += '\n';
    }
    for (const ElementRange& range : scanned.elements)
        text += std::to_string(range.values) + (range.known ? std::string(range.known->uri) : "-") + '\n';
    for (const UndeclaredName& name : scanned.undeclared) text.append(name.uri).append("\n");
    return text;
}

std::string without_spaces(std::string text) {
    for (std::size_t at = 0; (at = text.find(" >", at)) != std::string::npos;) text.erase(at, 1);
    return text;
}

}  // namespace

// A space behind the name is enough for a tag to be read the long way.
TEST_CASE("An element that has nothing but plain text is what it is read piece by piece") {
    std::mt19937 random(7);
    const auto any_of = [&](const auto& choices) { return choices[random() % std::size(choices)]; };
    const std::string names[] = {"a",           "title",         "dc:creator", "p:x",  "q:x",
                                 "description", "\u00E9t\u00E9", "A",          "views"};
    const std::string texts[] = {"",
                                 " ",
                                 "\n  ",
                                 "x",
                                 "plain text that is longer than a vector",
                                 "a &amp; b",
                                 "]",
                                 "1\r\n2",
                                 "]] x",
                                 "\u00E9",
                                 "<![CDATA[c]]>",
                                 "<!-- -->",
                                 "http://t/?utm_x=1",
                                 "<?p q?>"};
    const std::string declarations[] = {"", "", "", " xmlns:p='urn:1'", " xmlns:p='urn:2'", " xmlns='urn:3'", " q='1'"};
    const std::vector<std::string> ignored_names{"views", "?utm_*"};
    const IgnoredParts ignored(ignored_names);
    for (int trial = 0; trial < 2'000; ++trial) {
        std::string direct, spaced;
        const auto write = [&](const std::string& text) { direct += text, spaced += text; };
        std::vector<std::string> open{"r"};
        write("<r xmlns:p='urn:p' xmlns:q='http://purl.org/dc/elements/1.1/'>");
        for (int step = 0; step < 30; ++step) {
            const unsigned choice = random() % 4;
            if (choice == 0) write(any_of(texts));
            if (choice == 1 && open.size() > 1) {
                write("</" + open.back() + ">");
                open.pop_back();
            } else if (choice != 0) {
                const std::string name = any_of(names), declared = any_of(declarations);
                write("<" + name + declared);
                spaced += ' ';
                write(">" + any_of(texts));
                if (choice == 2)
                    open.push_back(name);
                else
                    write("</" + name + ">");
            }
        }
        for (; !open.empty(); open.pop_back()) write("</" + open.back() + ">");
        CAPTURE(direct);
        const auto quick = scan_xml(direct, FeedLimits(), &ignored), slow = scan_xml(spaced, FeedLimits(), &ignored);
        REQUIRE(quick.has_value());
        REQUIRE(slow.has_value());
        CHECK(shown(*quick) == shown(*slow));
        CHECK(quick->normal_form.bytes.view() == slow->normal_form.bytes.view());
        CHECK(quick->has_capitals == slow->has_capitals);
        for (std::size_t i = 0; i < quick->elements.size(); ++i) {
            const ElementRange &a = quick->elements[i], &b = slow->elements[i];
            CHECK(direct.substr(a.begin, a.end - a.begin) == without_spaces(spaced.substr(b.begin, b.end - b.begin)));
        }
    }
}

TEST_CASE("Plain elements count for the limits") {
    for (const std::size_t elements : {1u, 2u, 3u}) {
        std::string xml = "<r>";
        for (std::size_t i = 0; i < elements; ++i) xml += "<a>x</a>";
        xml += "</r>";
        FeedLimits limits;
        limits.values_max = elements + 1;
        limits.depth_max = 2;
        CHECK(scan_xml(xml, limits).has_value());
        limits.depth_max = 1;
        REQUIRE_FALSE(scan_xml(xml, limits).has_value());
        CHECK(scan_xml(xml, limits).error().kind == FeedError::Kind::limit);
        limits.depth_max = 2;
        limits.values_max = elements;
        REQUIRE_FALSE(scan_xml(xml, limits).has_value());
        CHECK(scan_xml(xml, limits).error().kind == FeedError::Kind::limit);
    }
    for (const char* const broken :
         {"<r><a>x</b></r>", "<r><a>x</a", "<r><a>x</", "<r><a>x", "<r><a>", "<r><a", "<r><a>x]]></a></r>",
          "<r><a/><a>x</b></r>", "<r><a/><a>x</a ", "<r><a/><a>x</ab></r>", "<r><a/><a>x</a:b></r>"})
        CHECK_FALSE(scan_xml(broken, FeedLimits()).has_value());
}
