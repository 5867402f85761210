// The scanner accepts what expat accepts, and gives the same tree. Intended differences:
// - white space and a byte order mark before the XML declaration, HTML's entities, and undeclared customary prefixes
//   are accepted (xml_scanner_test.cpp);
// - entities with markup, other entities or external text are refused where they are used, not expanded or left out;
// - references to U+0080 to U+009F mean windows-1252's characters;
// - names follow the fifth edition of XML 1.0, expat's the fourth;
// - declarations inside a DOCTYPE are scanned only to find its end.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <pugixml.hpp>
#include <vector>

#include "protocol/feed/model/pugi_tree.hpp"
#include "protocol/feed/xml/xml_scanner.hpp"
#include "protocol/text/utf8.hpp"
#include "tests/support/rounds.hpp"
#include "tests/unit/protocol/feed/damaged_text.hpp"
#include "tests/unit/protocol/feed/expat_tree.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

// Our tree of the text; absent, with the reason, if we refuse it.
std::optional<std::string> our_tree(const std::string& text, std::string& reason) {
    if (const auto bad = text::find_bad_text(text)) return reason = "bad text", std::nullopt;
    auto scanned = scan_xml(text, FeedLimits());
    if (!scanned) return reason = scanned.error().message, std::nullopt;
    pugi::xml_document document;
    const std::string_view xml = scanned->xml(text);
    REQUIRE(document.load_buffer(xml.data(), xml.size(), feed_parse_flags, pugi::encoding_utf8));
    std::string tree = pugixml_tree(PugiTree(scanned->tree).document().document_element());
    REQUIRE(pugixml_tree(document.document_element()) == tree);
    return tree;
}

bool refers_to_windows_1252(const std::string& text) {
    for (std::size_t at = text.find("&#"); at != std::string::npos; at = text.find("&#", at + 2)) {
        const bool is_hexadecimal = text[at + 2] == 'x';
        const unsigned long code =
            std::strtoul(text.c_str() + at + (is_hexadecimal ? 3 : 2), nullptr, is_hexadecimal ? 16 : 10);
        if (code >= 0x80 && code <= 0x9F) return true;
    }
    return false;
}

// True if both accept the text.
bool agree(const std::string& text) {
    INFO(text);
    std::string reason;
    const auto ours = our_tree(text, reason);
    const ExpatVerdict expats = expat_tree(text);
    INFO("ours: " << reason << ", expat's: " << expats.error);
    if (ours && expats.is_unbound_prefix) return false;  // a customary prefix
    CHECK(ours.has_value() == expats.tree.has_value());
    if (!ours || !expats.tree) return false;
    CHECK(*ours == *expats.tree);
    return true;
}

const char* const well_formed[] = {
    "<a/>",
    "<a ></a >",
    "<a b='1' c=\"2\"/>",
    "<a b = '1'\n\tc=\"'\"/>",
    "<?xml version='1.0'?><a/>",
    "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone='yes' ?>\n<!-- c --><?p q?><a/><!-- d --><?r?>\n",
    "<a>x &amp; y &lt; z &gt; &quot;&apos; &#65;&#x42; > ] ]] ]></a>",
    "<a b='&amp;&lt;&#10;&#9; \t\n\r\n\r x'>1\r\n2\r3</a>",
    "<a><![CDATA[<b>&amp;]] ]>]]></a>",
    "<a><![CDATA[]]>x<![CDATA[]]]]><![CDATA[>]]></a>",
    "<a><!-- - -> <b> &x; --><?p <b> & ?></a>",
    "<a><b><c/></b><b>t<c>u</c>v</b></a>",
    "<a xmlns='u'><b xmlns=''/><b/></a>",
    "<p:a xmlns:p='u' xmlns:q='v' p:b='1' q:b='2' b='3'><q:c xmlns:q='w' q:d='1'/></p:a>",
    "<a xml:lang='en' xml:space='preserve'/>",
    "<a xmlns:xml='http://www.w3.org/XML/1998/namespace'/>",
    "<d:a xmlns:d='http://purl.org/dc/elements/1.1/'><d:b d:c='1'/></d:a>",
    R"(<feed xmlns='http://www.w3.org/2005/Atom' xmlns:a='http://www.w3.org/2005/Atom'><a:entry a:b='1'>
       <div xmlns='http://www.w3.org/1999/xhtml' xmlns:m='http://search.yahoo.com/mrss/'><p m:q='1'/>x</div>
       </a:entry></feed>)",
    "<a xmlns:m='http://search.yahoo.com&#x2F;mrss/'><m:b/></a>",
    "<a xmlns:dc='u' xmlns:d='http://purl.org/dc/elements/1.1/' dc:b='1'><d:c dc:d='2' d:d='3'/><dc:e/></a>",
    "<rss xmlns:a='http://www.w3.org/2005/Atom'><channel><a:link a:b='1'/><link/><x "
    "xmlns:a='u'><a:y/></x></channel></rss>",
    "<a:feed xmlns:a='http://purl.org/atom/ns#'><a:entry><b "
    "xmlns='http://purl.org/rss/1.0/'><c/></b></a:entry></a:feed>",
    "<x xmlns='http://www.w3.org/2005/Atom'><feed><entry/></feed><atom:y xmlns:atom='u'/></x>",
    "<\xC3\xA9 \xE4\xB8\x80='1'>\xF0\x9F\x98\x80</\xC3\xA9>",
    "<\xC3\xA9 \xC3\xA8='1'>\xC3\xAF</\xC3\xA9>",
    "<a-b.c_d1 e-f='g'/>",
    "<a1 b1='1' b2='2' b3='3' b4='4' b5='5' b6='6' b7='7' b8='8' b9='9' ba='a'/>",
    "<!DOCTYPE a><a/>",
    "<!DOCTYPE a SYSTEM \"x'>\"><a/>",
    "<!DOCTYPE a PUBLIC '-//A//B' \"c\" [ ] ><a/>",
    R"(<!DOCTYPE a [<!ELEMENT a ANY><!ATTLIST a b CDATA #IMPLIED><!-- ]> --><?p ]> ?>
       <!ENTITY e "it's > &#65; "><!ENTITY e 'second'><!NOTATION n SYSTEM 'x'>]><a b='&e;'>&e;&e;</a>)",
    "<!DOCTYPE a [<!ENTITY quot '&#34;'><!ENTITY % p 'x'>]><a>&quot;</a>",
};

const char* const not_well_formed[] = {
    "",
    " ",
    "x",
    "<a>",
    "<a/><b/>",
    "<a/>x",
    "<a/>&#32;",
    "<a/><![CDATA[]]>",
    "<a></b>",
    "<a></a",
    "<a",
    "<a b",
    "<a b=",
    "<a b='",
    "<a b='1'",
    "<a b=1/>",
    "<a b/>",
    "<a b='1'c='2'/>",
    "<a b='1' b='2'/>",
    "<a b='<'/>",
    "<a b='&'/>",
    "<a b='&x;'/>",
    "<a>&x;</a>",
    "<a>& </a>",
    "<a>&amp</a>",
    "<a>&#;</a>",
    "<a>&#x;</a>",
    "<a>&#a;</a>",
    "<a>&#0;</a>",
    "<a>&#1;</a>",
    "<a>&#xFFFE;</a>",
    "<a>&#xD800;</a>",
    "<a>&#x110000;</a>",
    "<a>&#99999999999999999999;</a>",
    "<a>]]></a>",
    "<a>\x01</a>",
    "<a b='\x1f'/>",
    "<a><!-- -- --></a>",
    "<a><!-- ---></a>",
    "<a><!--></a>",
    "<a><!- -></a>",
    "<a><? ?></a>",
    "<a><?p</a>",
    "<a><?p+?></a>",
    "<a><?xml version='1.0'?></a>",
    "<a><?XmL ?></a>",
    "<a><?p:q ?></a>",
    "<a><![CDATA[</a>",
    "<a><![cdata[]]></a>",
    "<a><!DOCTYPE a></a>",
    "<a/><!DOCTYPE a>",
    "<!DOCTYPE a><!DOCTYPE a><a/>",
    "<!DOCTYPE a",
    "<!DOCTYPE a [",
    "<!DOCTYPE a [x]><a/>",
    "<!DOCTYPE><a/>",
    "<!DOCTYPE a PUBLIC 'x'><a/>",
    "<!DOCTYPE a SYSTEM x><a/>",
    "<?xml?><a/>",
    "<?xml encoding='utf-8'?><a/>",
    "<?xml version='1.0' standalone='maybe'?><a/>",
    "<?xml version='1.0' standalone='yes' encoding='utf-8'?><a/>",
    "<?xml version='1.0' encoding='8'?><a/>",
    "<?xml version='1.0'encoding='utf-8'?><a/>",
    "<?xml version='1.0' ?",
    "< a/>",
    "<a / >",
    "<1a/>",
    "<-a/>",
    "<a 1='b'/>",
    "<a></ a>",
    "<a></a b='1'>",
    "<p:a/>",
    "<a p:b='1'/>",
    "<:a/>",
    "<a:/>",
    "<a:b:c xmlns:a='u'/>",
    "<a :b='1'/>",
    "<a xmlns:p=''/>",
    "<a xmlns:xml='u'/>",
    "<a xmlns:xmlns='u'/>",
    "<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>",
    "<a xmlns='http://www.w3.org/XML/1998/namespace'/>",
    "<a xmlns:p='http://www.w3.org/2000/xmlns/'/>",
    "<xmlns:a/>",
    "<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>",
    "<a xmlns:p='u' xmlns:q='u' b1='1' b2='2' b3='3' b4='4' b5='5' b6='6' b7='7' p:b='1' q:b='2'/>",
    "<a b1='1' b2='2' b3='3' b4='4' b5='5' b6='6' b7='7' b8='8' b9='9' b1='a'/>",
    "<a xmlns:p='u'><p:b/></a><p:c/>",
    "<a><b xmlns:p='u'/><p:c/></a>",
};

}  // namespace

TEST_CASE("the scanner and expat agree on what is well-formed") {
    for (const char* text : well_formed) CHECK(agree(text));
    for (const char* text : not_well_formed) CHECK_FALSE(agree(text));
}

TEST_CASE("the scanner and expat agree on documents with random faults") {
    // Without a DOCTYPE and without characters that only one of the editions allows in names.
    std::vector<std::string> documents;
    for (const std::string text : well_formed) {
        if (text.find("<!DOCTYPE") == std::string::npos && text.find('\xF0') == std::string::npos)
            documents.push_back(text);
    }
    Mutator mutator(20260101);
    const std::size_t rounds = sluice::testing::fewer_if_sanitized(300'000);
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < rounds; ++i) {
        std::string text = documents[mutator.below(documents.size())];
        if (mutator.below(2) == 0)
            text.insert(0, "<r>").append(documents[mutator.below(documents.size())]).append("</r>");
        for (std::size_t faults = mutator.below(3) + 1; faults > 0; --faults) mutator.mutate(text);
        text = without_html_entities(text);
        if (text.find_first_not_of(" \t\r\n") != 0 || refers_to_windows_1252(text)) continue;
        accepted += agree(text);
    }
    CHECK(accepted > rounds / 15);
}
