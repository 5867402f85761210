#include "protocol/feed/xml/xml_normal_form.hpp"

#include "protocol/feed/xml/xml_scanner.hpp"
#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

const std::vector<std::string> ignored_names{"slash:comments", "views", "?utm_*"};

// With \1 to \7 as the letters A to G in brackets.
std::string form_of(const std::string& xml) {
    const IgnoredParts ignored(ignored_names);
    const auto scanned = scan_xml(xml, FeedLimits(), &ignored);
    REQUIRE(scanned.has_value());
    std::string shown;
    for (const char c : scanned->normal_form.bytes.view()) {
        if (c >= 1 && c <= 7)
            shown.append("[").append(1, static_cast<char>('A' + c - 1)).append("]");
        else
            shown += c;
    }
    return shown;
}

void all_equal(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
        CAPTURE(text);
        CHECK(form_of(text) == form_of(texts.front()));
    }
}

void all_different(const std::vector<std::string>& texts) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            CAPTURE(texts[i], texts[j]);
            CHECK(form_of(texts[i]) != form_of(texts[j]));
        }
    }
}

std::string hex(const text::Digest& digest) {
    std::string text;
    for (std::size_t i = 0; i < sizeof digest; ++i) {
        const auto byte = reinterpret_cast<const unsigned char*>(digest.data())[i];
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

text::Digest xml_digest_of(const std::string& xml) {
    DocumentOptions options;
    options.digests = DigestOptions{IgnoredParts(ignored_names), false};
    return parsed(xml, options)->items()[0].content;
}

}  // namespace

TEST_CASE("XmlNormalizer: the form is as documented") {
    CHECK(form_of("<a/>") == "[A]a[G]");
    CHECK(form_of("<a c='2' b=\"1\">x<b/><!-- --><?p q?></a>") == "[A]a[C]b[D]1[C]c[D]2[E]x[A]b[G][F]p[D]q[G]");
    CHECK(form_of("<d:a xmlns:d='http://purl.org/dc/elements/1.1/' d:b=''/>") == "[A]dc:a[C]dc:b[D][G]");
}

// The digests are kept for months: what changes them needs another version.
TEST_CASE("XmlNormalizer: digests of version 1") {
    CHECK(hex(xml_digest_of("<item/>")) == "70e1f3965125c24851dcfb53d52d8ae4");
    CHECK(hex(xml_digest_of("<item><title>A &amp; B</title><link>http://a/?utm_x=1</link></item>")) ==
          "43888030ef95e67c1360de814e01f5f0");
    CHECK(hex(xml_digest_of("<item><x:y xmlns:x='urn:z'>1</x:y></item>")) == "83800ddc03e68eeba7fbdf6001134f92");
}

TEST_CASE("XmlNormalizer: ways to write the same thing have one form") {
    all_equal({"<a b='1' c='2'>x &amp; y</a>", "<a c=\"2\" b=\"1\">x &amp; y</a>",
               "<a\n b = '1'\tc='2' >x &#38; y</a >", "<a b='&#49;' c='&#x32;'><![CDATA[x & y]]></a>",
               "<a b='1' c='2'>x<!-- z --> <![CDATA[&]]> y</a>",
               "<?xml version='1.0'?>\n<!-- first --><a b='1' c='2'>x &amp; y</a>\n",
               "<!DOCTYPE a [<!ENTITY e \"x\">]><a b='1' c='2'>&e; &amp; y</a>"});
    all_equal({"<a><b></b><c>1</c></a>", "<a><b/><c>1</c></a>", "<a>\n  <b/>\r\n  <c>1</c>\n</a>",
               "<a><!-- --><b/> <!-- --> <c>1</c></a>", "<a>&#32;<b/>&#10;<c>1</c><![CDATA[ ]]></a>",
               "<a><![CDATA[]]><b/><c>1</c></a>"});
    all_equal({"<a>1\n2</a>", "<a>1\r\n2</a>", "<a>1\r2</a>", "<a>1&#10;2</a>", "<a><![CDATA[1\r\n2]]></a>"});
    all_equal({"<a>1\r\n&#10;\n2\n&amp;</a>", "<a>1\n&#10;\r2\r\n&#38;</a>", "<a>1\r\r\r2\r&amp;</a>"});
    all_equal({"<a> \nb </a>", "<a> <!-- -->\nb </a>", "<a><![CDATA[ ]]>\nb<!-- --> </a>", "<a>&#32;&#10;b&#32;</a>"});
    all_equal({"<a> \n</a>", "<a> <!-- -->\n</a>", "<a><![CDATA[ ]]>\n</a>", "<a>&#32;<![CDATA[\n]]></a>"});
    all_equal({"<a b='1 2'/>", "<a b='1\n2'/>", "<a b='1\t2'/>", "<a b='1\r\n2'/>", "<a b='1&#32;2'/>"});
    all_equal({"<a>\u00E9\u2014\u201C</a>", "<a>&eacute;&mdash;&ldquo;</a>", "<a>&#233;&#8212;&#147;</a>",
               "<a>&#xE9;&#x2014;<![CDATA[\u201C]]></a>"});
    all_equal({"<x:a xmlns:x='urn:n'><x:b x:c='1'/></x:a>", "<y:a xmlns:y='urn:n'><y:b y:c='1'/></y:a>",
               "<a xmlns='urn:n'><b z:c='1' xmlns:z='urn:n'/></a>",
               "<x:a xmlns:x='urn:n' xmlns:unused='urn:m'><b xmlns='urn:n' x:c='1'/></x:a>"});
    all_equal({"<dc:a xmlns:dc='http://purl.org/dc/elements/1.1/'/>", "<a xmlns='http://purl.org/dc/elements/1.1'/>",
               "<d:a xmlns:d='https://purl.org/dc/elements/1.1/'/>"});
    all_equal({"<a><link>https://t/?b=1</link><i src='/x'/></a>",
               "<a><link>http://t/?b=1&amp;utm_m=2</link><i src='/x?utm_m=2'/></a>",
               "<a><link><![CDATA[https://t/?utm_m=2&b=1]]></link><i src='/x?utm_m=3'/></a>"});
    all_equal({"<a>&lt;a href=\"https://t/?b=1\"></a>", "<a>&lt;a href=\"https://t/?b=1&amp;amp;utm_m=2\"></a>",
               "<a><![CDATA[<a href=\"http://t/?utm_m=2&b=1\">]]></a>"});
}

TEST_CASE("XmlNormalizer: ignored elements take no part, whatever their prefix") {
    all_equal({"<a xmlns:slash='http://purl.org/rss/1.0/modules/slash/'><b/></a>",
               "<a xmlns:slash='http://purl.org/rss/1.0/modules/slash/'><slash:comments>5</slash:comments><b/></a>",
               "<a xmlns:s='http://purl.org/rss/1.0/modules/slash/'>\n<b/> <s:comments x='1'><c/>6</s:comments>\n</a>",
               "<a><comments xmlns='http://purl.org/rss/1.0/modules/slash/'/><b/></a>", "<a><b/><views>9</views></a>",
               "<a><views><slash:comments/><views/><?p?></views><b/></a>"});
    all_equal({"<a>xy</a>", "<a>x<views/>y</a>", "<a><views/>x<!-- --><views>1</views>y<views/></a>"});
    all_equal({"<a><b/></a>", "<a><views/> <b/> <views/></a>"});
    all_different({"<a/>", "<a><comments/></a>", "<a><comments>1</comments></a>",
                   "<a xmlns:slash='urn:other'><slash:comments/></a>", "<a>&lt;views>1&lt;/views></a>",
                   "<a>&lt;views>2&lt;/views></a>", "<a><![CDATA[<views>3</views>]]></a>"});
}

TEST_CASE("XmlNormalizer: items that others ignore as parts are told apart by their source") {
    CHECK(xml_digest_of("<r><views>1</views></r>") == xml_digest_of("<r><views>1</views></r>"));
    CHECK(xml_digest_of("<r><views>1</views></r>") != xml_digest_of("<r><views>2</views></r>"));
}

TEST_CASE("XmlNormalizer: different things have different forms") {
    all_different({"<a/>",
                   "<b/>",
                   "<A/>",
                   "<a b=''/>",
                   "<a b='1'/>",
                   "<a c='1'/>",
                   "<a b='1' c='1'/>",
                   "<a>b</a>",
                   "<a><b/></a>",
                   "<a><b>1</b></a>",
                   "<a>1<b/></a>",
                   "<a><b/>1</a>",
                   "<a><b/><b/></a>",
                   "<a><b><b/></b></a>",
                   "<a><?b?></a>",
                   "<a><?b c?></a>",
                   "<a> </a>",
                   "<a>  </a>",
                   "<a>&#13;</a>",
                   "<a>\n</a>",
                   "<a> <?p?></a>",
                   "<a> b</a>",
                   "<a>b </a>",
                   "<a>B</a>",
                   "<a>\u00E9</a>",
                   "<a>e\u0301</a>",
                   "<a xmlns='urn:n'/>",
                   "<a xmlns='urn:m'/>",
                   "<a><b xmlns='urn:n'/></a>",
                   "<x:a xmlns:x='urn:n' x:b=''/>",
                   "<a xml:lang='de'/>",
                   "<a lang='de'/>"});
    all_different({"<a>https://t/?utm_x=1 5</a>", "<a>https://t/?utm_x=1 6</a>", "<a>https://t/?utm_x=1\u30025</a>",
                   "<a>https://t/?utm_x=1\u30026</a>", "<a>p&amp;utm_x=1</a>", "<a>p&amp;utm_x=2</a>",
                   "<a>https://t/?utm_x=1]5</a>", "<a>https://t/?utm_x=1]6</a>", "<a>https://t/?utm_x=1\u00A05</a>",
                   "<a>https://t/?utm_x=1\u00A06</a>", "<a>https://t/?utm_x=1;5</a>", "<a>https://t/?utm_x=1;6</a>"});
}

TEST_CASE("XmlNormalizer: the form is no longer than its bound") {
    for (const char* const repeated :
         {"<a/>", "<x:a/>", "<a x:b=''/>", "<x:a x:b='' x:c=''/>", "<a>b</a>c", "<?p?>", "<a/>b", "&lt;", "&#9;"}) {
        CAPTURE(repeated);
        std::string xml = "<x:r xmlns:x='urn:n'>";
        std::size_t names = 1;
        for (int i = 0; i < 1'000; ++i) xml += repeated;
        for (const char c : xml) names += c == '<' || c == '=' ? 1u : 0u;
        xml += "</x:r>";
        CHECK(form_of(xml).size() > 0);
        const IgnoredParts ignored;
        CHECK(scan_xml(xml, FeedLimits(), &ignored)->normal_form.bytes.size() <=
              XmlNormalForm::bytes_max(xml.size(), names));
    }
}
