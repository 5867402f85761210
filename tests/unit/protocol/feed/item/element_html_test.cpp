// Markup in a feed gives the same fields as the same markup of type html.
#include "protocol/feed/item/element_html.hpp"

#include <optional>

#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/xml/xml_text.hpp"
#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

struct Seen {
    std::optional<std::string> title, summary, content;

    bool operator==(const Seen&) const = default;
};

Seen seen_in(const std::string& text) {
    const DocumentPtr document = parsed(text);
    REQUIRE(document->items().size() == 1);
    const Fields fields = read_fields(*document, document->items()[0]);
    const auto copy = [](const auto& field) { return field ? std::optional(std::string(*field)) : std::nullopt; };
    return {copy(fields.title), copy(fields.summary), copy(fields.content)};
}

std::string atom(const std::string& attributes, const std::string& text) {
    std::string xml = "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:h='http://www.w3.org/1999/xhtml'><entry>";
    for (const std::string name : {"title", "summary", "content"})
        xml += "<" + name + attributes + ">" + text + "</" + name + ">";
    return xml + "</entry></feed>";
}

std::string rss(const std::string& text) {
    return "<rss><channel><item><title>" + text + "</title><description>" + text + "</description><content:encoded>" +
           text + "</content:encoded></item></channel></rss>";
}

std::string in_div(const std::string& text) {
    return "\n <div xmlns='http://www.w3.org/1999/xhtml'>" + text + "</div>\n ";
}

}  // namespace

TEST_CASE("element_html: markup gives the fields of the same markup of type html") {
    struct Markup {
        const char *html, *text;
    };
    for (const Markup& m : {
             Markup{"<p>North</p><p>reopens</p>", "North reopens"},
             {"Pier<br/>closed", "Pier closed"},
             {"Pier<hr/><img src=\"a.png\" alt=\"x\"/>closed", "Pier closed"},
             {"<p>North</p><p><a href=\"https://p.example/x\">reopens</a></p>", "North reopens"},
             {"<ul><li>one</li><li>two</li></ul>", "one two"},
             {"<table><tr><td>a</td><td>b</td></tr></table>", "a b"},
             {"a<b>b</b><i>c</i>", "abc"},
             {"one <em>two</em> three", "one two three"},
             {"<div>a</div><div>b<div>c</div></div>", "a b c"},
             {"<h1>A</h1>b<blockquote>c</blockquote>", "A b c"},
             {"<p>AT&amp;T &lt;3 5 &gt; 4</p>", "AT&T <3 5 > 4"},
             {"<p>&amp;lt;b&amp;gt;</p>", "&lt;b&gt;"},
             {"<a href=\"?a=1&amp;copy=2&amp;b=&quot;x&quot;\">l</a>", "l"},
             {"a<!-- c --><b>b</b>", "ab"},
             {"<p>a</p><script>if (1) b();</script><style>p {}</style>", "a"},
             {"<video><source src=\"v\"/><track src=\"t\"/></video>v", "v"},
             {"<p></p>caf\u00e9<span></span>", "caf\u00e9"},
         }) {
        INFO(m.html);
        std::string escaped;
        append_xml_content(escaped, m.html);
        const Seen html = seen_in(atom(" type='html'", escaped));
        CHECK(html == Seen{m.text, m.text, m.html});
        CHECK(seen_in(atom(" type='xhtml'", in_div(m.html))) == html);
        CHECK(seen_in(atom(" type='application/xhtml+xml' mode='xml'", in_div(m.html))) == html);
        CHECK(seen_in(rss(m.html)) == html);
    }
}

TEST_CASE("element_html: names and declarations of XHTML") {
    struct Written {
        const char *xml, *content;
    };
    for (const Written& w : {
             Written{"<h:div><h:p h:class='c'>a</h:p><h:br></h:br></h:div>", "<p class=\"c\">a</p><br/>"},
             {"<div xmlns='http://www.w3.org/1999/xhtml'><p xmlns='http://www.w3.org/1999/xhtml'/></div>", "<p></p>"},
             {"<div>no namespace<p/></div>", "no namespace<p></p>"},
             {"<h:div>a</h:div>b", "<div>a</div>b"},
             {"<h:div>a</h:div><h:div>b</h:div>", "<div>a</div><div>b</div>"},
             {"<h:p>no div</h:p>", "<p>no div</p>"},
             {"<!-- c --><?p i?><h:div>a<?p i?></h:div>", "a"},
             {"<h:div><![CDATA[1 < 2]]></h:div>", "1 &lt; 2"},
             {"<h:div><h:script><![CDATA[1 < 2 && 3]]></h:script></h:div>", "<script>1 < 2 && 3</script>"},
             {"<h:div><h:style><![CDATA[</style><p>]]></h:style></h:div>", "<style>&lt;/style&gt;&lt;p&gt;</style>"},
             {"<h:div><!-->--><!---><p>-->a</h:div>", "a"},
             {"<h:div><svg xmlns='http://www.w3.org/2000/svg'><path d='m'/></svg></h:div>",
              "<svg xmlns=\"http://www.w3.org/2000/svg\"><path d=\"m\"></path></svg>"},
             {"<h:div><_a>b</_a></h:div>", "b"},
             {"<h:div title='out'><h:p title='a&#10;&quot;b&lt;'>c</h:p></h:div>",
              "<p title=\"a&#10;&quot;b&lt;\">c</p>"},
         }) {
        INFO(w.xml);
        CHECK(seen_in(atom(" type='xhtml'", w.xml)).content == w.content);
    }
}

TEST_CASE("element_html: other texts stay what they are") {
    CHECK(seen_in(rss("&lt;p>a&lt;/p>")) == Seen{"<p>a</p>", "<p>a</p>", "<p>a</p>"});
    CHECK(seen_in(rss("<![CDATA[<p>a</p>]]>")) == Seen{"<p>a</p>", "<p>a</p>", "<p>a</p>"});
    CHECK(seen_in(atom(" type='text'", "a &lt;b>")) == Seen{"a <b>", "a <b>", "a <b>"});
    CHECK(seen_in("<list><r><title>a<br/>b</title><summary><p>c</p>d</summary><body><p>e</p></body></r></list>") ==
          Seen{"a b", "c d", "<p>e</p>"});
    CHECK(seen_in(R"([{"title":{"a":"b","c":"d"}}])").title == "bd");
    CHECK(parsed("<feed xmlns='http://www.w3.org/2005/Atom'><title type='xhtml'>" + in_div("A<br/>B") +
                 "</title><entry/></feed>")
              ->feed_fields()
              .title == "A B");
    // Paths read the string-value.
    const DocumentPtr document = parsed(atom(" type='xhtml'", in_div("<p>a</p>")));
    CHECK(text_at(document, "//entry/title/xhtml:div/xhtml:p") == "a");
}
