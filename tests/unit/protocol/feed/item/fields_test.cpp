#include "protocol/feed/item/fields.hpp"

#include <cmath>

#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

// With the document that they are views of.
struct Read : Fields {
    DocumentPtr document;
};

Read fields_of(const std::string& text) {
    const DocumentPtr document = parsed(text);
    REQUIRE(document->items().size() == 1);
    return {read_fields(*document, document->items()[0]), document};
}

FeedFields feed_fields_of(const char* text) { return read_feed_fields(*parsed(text)); }

// An RSS item with those children.
std::string item(const std::string& children) { return "<item>" + children + "</item>"; }

}  // namespace

TEST_CASE("fields of an RSS 2.0 item") {
    const Read f = fields_of(R"(<rss version="2.0"><channel><title>T</title><item>
        <title>
          <![CDATA[ One & only ]]>
        </title>
        <link>http://a/1</link><guid isPermaLink="false">id-1</guid>
        <author>ann@example.org (Ann Lee)</author>
        <pubDate>Mon, 16 Oct 2017 15:10:00 +0000</pubDate>
        <description>short</description>
        <content:encoded><![CDATA[<p>long</p>]]></content:encoded>
        <category>x</category><category domain="d"> y </category><dc:subject>z</dc:subject>
        <itunes:keywords>
          <![CDATA[salt, pepper,,]]>
        </itunes:keywords></item></channel></rss>)");
    CHECK(f.title == "One & only");
    CHECK(f.link == "http://a/1");
    CHECK(f.id == "id-1");
    CHECK(f.authors == FieldTexts{"Ann Lee"});
    CHECK(f.published == 1508166600.0);
    CHECK_FALSE(f.updated);
    CHECK(f.summary == "short");
    CHECK(f.content == "<p>long</p>");
    CHECK(f.category == FieldTexts{"x", "y", "z", "salt", "pepper"});
}

TEST_CASE("an empty item has no fields") {
    for (const char* text :
         {"<item/>", "<entry/>", "<a><b/></a>", R"({"version":"https://jsonfeed.org/version/1","items":[{}]})"}) {
        INFO(text);
        const Read f = fields_of(text);
        CHECK_FALSE(
            (f.title || f.link || f.id || !f.authors.empty() || f.summary || f.content || f.published || f.updated));
        CHECK(f.category.empty());
    }
    CHECK_FALSE(fields_of("<item><title>  </title></item>").title);
}

TEST_CASE("where an RSS item's link comes from") {
    CHECK(fields_of(item("<link/><link>http://a/</link>")).link == "http://a/");
    CHECK(fields_of(item("<atom:link xmlns:atom='http://www.w3.org/2005/Atom' href='http://a/5'/>")).link ==
          "http://a/5");
    CHECK(fields_of(item("<guid>http://a/</guid>")).link == "http://a/");
    CHECK(fields_of(item("<guid isPermaLink='true'>http://a/</guid>")).link == "http://a/");
    for (const char* no : {"false", "False", "FALSE", " false "})
        CHECK_FALSE(fields_of(item("<guid isPermaLink='" + std::string(no) + "'>http://a/</guid>")).link);
    CHECK_FALSE(fields_of(item("<guid>17</guid>")).link);
}

TEST_CASE("Dublin Core, iTunes, Media RSS and Atom in RSS") {
    CHECK(fields_of(item("<dc:creator>Ann</dc:creator>")).authors == FieldTexts{"Ann"});
    CHECK(fields_of(item("<itunes:author>Ann</itunes:author>")).authors == FieldTexts{"Ann"});
    CHECK(fields_of(
              item("<a:author xmlns:a='http://www.w3.org/2005/Atom'><a:name>Ann</a:name><a:uri>u</a:uri></a:author>"))
              .authors == FieldTexts{"Ann"});
    CHECK(fields_of(item("<dc:date>2017-10-16T15:10:00Z</dc:date>")).published == 1508166600.0);
    CHECK(fields_of(item("<itunes:summary>s</itunes:summary>")).summary == "s");
    CHECK(fields_of(
              item("<media:group><media:title>t</media:title><media:description>d</media:description></media:group>"))
              .title == "t");
    CHECK(
        fields_of(item("<a:updated xmlns:a='http://www.w3.org/2005/Atom'>2017-10-16T15:10:00Z</a:updated>")).updated ==
        1508166600.0);
}

TEST_CASE("RSS's own elements come before Atom's, wherever they stand") {
    const std::string entry = R"(<a:title>at</a:title><a:link href="http://a/atom"/><a:id>urn:atom</a:id>
        <a:author><a:name>Ann</a:name><a:email>ann@a</a:email></a:author><a:published>2017-10-16T15:10:01Z</a:published>
        <a:updated>2017-10-16T15:10:02Z</a:updated><a:summary>as</a:summary><a:content>ac</a:content>
        <a:category term="ax"/>)";
    const std::string own = R"(<title>t</title><link>http://a/</link><guid>urn:1</guid><author>Bob</author>
        <pubDate>Mon, 16 Oct 2017 15:10:00 GMT</pubDate><description>s</description><category>x</category>)";
    for (const char* uri : {"http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"}) {
        INFO(uri);
        const std::string begin = "<rss xmlns:a='" + std::string(uri) + "'><channel><item>",
                          end = "</item></channel></rss>";
        const Read alone = fields_of(begin + entry + end);
        CHECK(alone.title == "at");
        CHECK(alone.link == "http://a/atom");
        CHECK(alone.id == "urn:atom");
        CHECK(alone.authors == FieldTexts{"Ann"});
        CHECK(alone.published == 1508166601.0);
        CHECK(alone.updated == 1508166602.0);
        CHECK(alone.summary == "as");
        CHECK(alone.content == "ac");
        CHECK(alone.category == FieldTexts{"ax"});
        const Read both = fields_of(begin + entry + own + end);
        CHECK(both.title == "t");
        CHECK(both.link == "http://a/");
        CHECK(both.id == "urn:1");
        CHECK(both.authors == FieldTexts{"Bob", "Ann"});
        CHECK(both.published == 1508166600.0);
        CHECK(both.summary == "s");
        CHECK(both.category == FieldTexts{"x", "ax"});
    }
    CHECK(fields_of(item("<atom:author><name>Ann</name></atom:author>")).authors == FieldTexts{"Ann"});
    CHECK(fields_of(item("<atom:author><atom:uri>u</atom:uri></atom:author>")).authors.empty());
}

TEST_CASE("a namespace that takes Dublin Core's prefix is not read") {
    const std::string begin = "<rss xmlns:dc='urn:u'><channel><item>", end = "</item></channel></rss>",
                      foreign = "<dc:creator>Eve</dc:creator>";
    CHECK(fields_of(begin + foreign + end).authors.empty());
    CHECK(fields_of(begin + foreign + "<d:creator xmlns:d='http://purl.org/dc/elements/1.1/'>Ann</d:creator>" + end)
              .authors == FieldTexts{"Ann"});
    CHECK(fields_of("<rss xmlns:dc='HTTPS://purl.org/DC/elements/1.1'><channel><item>" + foreign + end).authors ==
          FieldTexts{"Eve"});
}

TEST_CASE("fields of other XML in a feed's vocabulary") {
    const Read f =
        fields_of(R"(<list xmlns="http://www.w3.org/2005/Atom"><entry><title>t</title><link href="http://a/"/>
        <id>urn:1</id><author><name>Ann</name></author><updated>2017-10-16T15:10:00Z</updated></entry></list>)");
    CHECK(f.title == "t");
    CHECK(f.link == "http://a/");
    CHECK(f.id == "urn:1");
    CHECK(f.authors == FieldTexts{"Ann"});
    CHECK(f.updated == 1508166600.0);
    const Read of_rss = fields_of(R"(<list xmlns="http://purl.org/rss/1.0/"><item><title>t</title><link>http://a/</link>
        <description>s</description></item></list>)");
    CHECK(of_rss.title == "t");
    CHECK(of_rss.link == "http://a/");
    CHECK(of_rss.summary == "s");
}

TEST_CASE("all authors of an item are listed, each once") {
    CHECK(
        fields_of(item("<author>ann@example.org (Ann)</author><dc:creator>Bob</dc:creator><dc:creator>Eve</dc:creator>"
                       "<dc:author>Bob</dc:author><itunes:author>Joe</itunes:author>"))
            .authors == FieldTexts{"Ann", "Bob", "Eve", "Joe"});
    CHECK(fields_of("<entry><author><name>Ann</name></author><author><name>Bob</name></author>"
                    "<dc:creator>Eve</dc:creator></entry>")
              .authors == FieldTexts{"Ann", "Bob", "Eve"});
    CHECK(
        fields_of(
            R"({"version":"https://jsonfeed.org/version/1","items":[{"authors":[{"name":"Ann"},{"name":"Bob"},{"url":"u"}],"author":{"name":"Ann"}}]})")
            .authors == FieldTexts{"Ann", "Bob"});
    std::string feed = "<feed xmlns='http://www.w3.org/2005/Atom'><entry/>";
    for (int i = 0; i < 100; ++i) feed += "<author><name>" + std::to_string(i) + "</name></author>";
    CHECK(fields_of(feed + "</feed>").authors.size() == feed_authors_max);
}

TEST_CASE("a feed's authors that are long are not repeated for every item") {
    const auto by = [](std::size_t bytes) {
        const auto author = [](const std::string& name) { return "<author><name>" + name + "</name></author>"; };
        return fields_of("<feed xmlns='http://www.w3.org/2005/Atom'><entry/>" + author("Ann") +
                         author(std::string(bytes, 'x')) + author("Bob") + "</feed>")
            .authors.size();
    };
    CHECK(by(feed_authors_bytes_max - 6) == 3);
    CHECK(by(feed_authors_bytes_max - 3) == 2);
    CHECK(by(feed_authors_bytes_max - 2) == 1);
    const std::string own = "<entry><author><name>" + std::string(3000, 'x') + "</name></author></entry>";
    CHECK(fields_of(own).authors.at(0).size() == 3000);
}

TEST_CASE("dates of DCMI metadata terms") {
    const std::string terms = " xmlns:t='http://purl.org/dc/terms/'>";
    CHECK(fields_of("<item" + terms + "<t:issued>2017-10-16T15:10:00Z</t:issued></item>").published == 1508166600.0);
    CHECK(fields_of("<item" + terms + "<t:created>2017-10-16T15:10:00Z</t:created></item>").published == 1508166600.0);
    CHECK(fields_of("<item" + terms + "<t:modified>2017-10-16T15:10:00Z</t:modified></item>").updated == 1508166600.0);
    CHECK(fields_of("<entry><dcterms:issued>2017-10-16T15:10:00Z</dcterms:issued></entry>").published == 1508166600.0);
    CHECK(fields_of("<entry><dcterms:modified>2017-10-16T15:10:00Z</dcterms:modified></entry>").updated ==
          1508166600.0);
}

TEST_CASE("nested categories of iTunes and keywords of Media RSS are categories") {
    CHECK(fields_of(item("<itunes:category text='Society'><itunes:category text='History'/>"
                         "<itunes:category text='Places'/></itunes:category><itunes:category text='Arts'/>"))
              .category == FieldTexts{"Society", "History", "Places", "Arts"});
    CHECK(fields_of(item("<media:keywords>cat, ,dog</media:keywords><media:group><media:keywords>bird"
                         "</media:keywords></media:group>"))
              .category == FieldTexts{"cat", "dog", "bird"});
}

TEST_CASE("content of Atom 0.3 in base64 is decoded if it is text") {
    const auto content = [](const std::string& attributes, const std::string& text) {
        const Read read = fields_of("<feed version='0.3' xmlns='http://purl.org/atom/ns#'><entry><content" +
                                    attributes + ">" + text + "</content></entry></feed>");
        return std::string(read.content.value_or("nothing"));
    };
    // printf %s 'Example <b>Atom</b>' | base64
    const std::string encoded = "RXhhbXBs\n ZSA8Yj5BdG9tPC9iPg==";
    CHECK(content(" mode='base64' type='text/html'", encoded) == "Example <b>Atom</b>");
    CHECK(content(" mode='BASE64'", encoded) == "Example <b>Atom</b>");
    CHECK(content(" mode='escaped'", "a &lt;b&gt;c&lt;/b&gt;") == "a <b>c</b>");
    CHECK(content(" mode='xml'", "<b xmlns='http://www.w3.org/1999/xhtml'>c</b>") == "<b>c</b>");
    CHECK(content("", encoded) == encoded);
    CHECK(content(" mode='base64'", "no base64") == "no base64");
    CHECK(content(" mode='base64' type='image/png'", "iVBORw0KGgo=") == "iVBORw0KGgo=");  // begins with byte 0x89
    CHECK(fields_of("<entry><title mode='base64'>dGl0bGU=</title></entry>").title == "title");
    CHECK(fields_of(item("<title mode='base64'>dGl0bGU=</title>")).title == "dGl0bGU=");
}

TEST_CASE("titles, summaries and categories of Media RSS count wherever they stand") {
    const auto is_in = [](const std::string& begin, const std::string& end) {
        const std::string media = begin +
                                  "<media:title>t</media:title><media:description>d</media:description>"
                                  "<media:category>x</media:category><media:category scheme='s'>y</media:category>"
                                  "<media:keywords>k</media:keywords>" +
                                  end;
        for (const std::string& text :
             {item(media), "<feed xmlns='http://www.w3.org/2005/Atom'><entry>" + media + "</entry></feed>"}) {
            INFO(text);
            const Read f = fields_of(text);
            CHECK(f.title == "t");
            CHECK(f.summary == "d");
            CHECK(f.category == FieldTexts{"x", "y", "k"});
        }
    };
    is_in("", "");
    is_in("<media:group>", "</media:group>");
    is_in("<media:content url='u'>", "</media:content>");
    is_in("<media:content/><media:content url='u'>", "</media:content>");
    is_in("<media:group><media:content>", "</media:content></media:group>");
    is_in("<media:group/><media:group><media:content/><media:content>", "</media:content></media:group>");
    const std::string both =
        "<media:content><media:title>a</media:title><media:category>x</media:category>"
        "</media:content><media:content><media:title>b</media:title>"
        "<media:category>y</media:category></media:content>";
    CHECK(fields_of(item(both)).title == "a");
    CHECK(fields_of(item(both)).category == FieldTexts{"x", "y"});
    CHECK(fields_of(item(both + "<title>own</title>")).title == "own");
    CHECK(fields_of(item(both + "<itunes:title>own</itunes:title>")).title == "own");
    CHECK(fields_of(item("<category>c</category>" + both)).category == FieldTexts{"c", "x", "y"});
}

TEST_CASE("a date that can't be read is NaN, unless another one can") {
    CHECK(std::isnan(*fields_of(item("<pubDate>tomorrow</pubDate>")).published));
    CHECK(fields_of(item("<pubDate>tomorrow</pubDate><dc:date>2017-10-16T15:10:00Z</dc:date>")).published ==
          1508166600.0);
    CHECK(fields_of(item("<pubDate>Mon, 16 Oct 2017 15:10:00 GMT</pubDate><dc:date>1518478934</dc:date>")).published ==
          1508166600.0);
}

TEST_CASE("fields of an Atom entry") {
    const Read f = fields_of(R"(<feed xmlns="http://www.w3.org/2005/Atom"><author><name>Feed</name></author><entry>
        <title type="html">A &lt;b&gt;bold&lt;/b&gt; one</title>
        <link rel="self" href="http://a/self"/><link rel="alternate" type="application/pdf" href="http://a/pdf"/>
        <link rel="alternate" type="text/html" href="http://a/1"/>
        <id>urn:1</id><author><name>Ann</name><email>ann@example.org</email></author>
        <published>2017-10-16T15:10:00Z</published><updated>2017-10-16T15:10:01Z</updated>
        <category term="x" label="X"/><category term="y"/><summary>short</summary>
        <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>one <b>two</b></p> three</div></content>
        </entry></feed>)");
    CHECK(f.title == "A bold one");
    CHECK(f.link == "http://a/1");
    CHECK(f.id == "urn:1");
    CHECK(f.authors == FieldTexts{"Ann"});
    CHECK(f.published == 1508166600.0);
    CHECK(f.updated == 1508166601.0);
    CHECK(f.summary == "short");
    CHECK(f.content == "<p>one <b>two</b></p> three");
    CHECK(f.category == FieldTexts{"x", "y"});
}

TEST_CASE("title and summary of type html are what readers see") {
    const auto title = [](const std::string& attributes, const std::string& text) {
        const Read read = fields_of("<feed xmlns='http://www.w3.org/2005/Atom'><entry><title" + attributes + ">" +
                                    text + "</title></entry></feed>");
        return std::string(read.title.value_or("nothing"));
    };
    const std::string markup = "&lt;b&gt;Tom&lt;/b&gt; &amp;amp; Jerry";
    CHECK(title(" type='html'", markup) == "Tom & Jerry");
    CHECK(title(" type=' HTML '", markup) == "Tom & Jerry");
    CHECK(title(" type='html'", "<![CDATA[1 &lt; 2<br>3]]>") == "1 < 2 3");
    CHECK(title(" type='text/html' mode='escaped'", markup) == "Tom & Jerry");
    CHECK(title(" type='text/html' mode='base64'", "VG9tICZhbXA7IEplcnJ5") == "Tom & Jerry");
    CHECK(title(" type='xhtml'", "<div xmlns='http://www.w3.org/1999/xhtml'>Tom &amp; <i>Jerry</i></div>") ==
          "Tom & Jerry");
    for (const char* attributes : {"", " type='text'", " type='text/html'", " type='text/html' mode='xml'"})
        CHECK(title(attributes, markup) == "<b>Tom</b> &amp; Jerry");
    CHECK(title(" type='html'", "&lt;p&gt;&lt;/p&gt;") == "nothing");
    const DocumentPtr document = parsed(
        "<feed xmlns='http://www.w3.org/2005/Atom'><title type='html'>A &amp;amp; B</title><entry>"
        "<summary type='html'>&lt;p&gt;s&lt;/p&gt;</summary><content type='html'>&lt;p&gt;c&lt;/p&gt;</content></entry>"
        "</feed>");
    CHECK(document->feed_fields().title == "A & B");
    CHECK(read_fields(*document, document->items()[0]).summary == "s");
    CHECK(read_fields(*document, document->items()[0]).content == "<p>c</p>");  // readers render it
    CHECK(text_at(document, "//entry/summary") == "<p>s</p>");
}

TEST_CASE("a person's mail address is left out beside the name") {
    const auto by = [](const std::string& text) { return fields_of(item("<author>" + text + "</author>")); };
    CHECK(by("a@b.c (A B)").authors == FieldTexts{"A B"});
    for (const char* text : {"A B (a@b.c)", "A B &lt;a@b.c&gt;", "a@b.c(A B)", " A B ( a@b.c ) ", "A B (mailto:a@b.c)",
                             "mailto:a@b.c (A B)", "\"A B\" &lt;a@b.c&gt;", "\"A B\" (a@b.c)", "A B&lt;a@b.c&gt;",
                             "A B &lt;mailto:a@b.c&gt;"}) {
        INFO(text);
        CHECK(by(text).authors == FieldTexts{"A B"});
        CHECK(fields_of(item("<dc:creator>" + std::string(text) + "</dc:creator>")).authors == FieldTexts{"A B"});
    }
    for (const char* text : {"a@b.c", "a@b.c ()", "Ann (editor)", "a@b.c (A) B", "(A B)", "A B <a>", "(", "a b@c (A)",
                             "(a@b.c)", "<a@b.c>", "A (@a)", "A (a@)", "A (a@b), B (b@c)", "A (a @ b)"}) {
        std::string escaped = text;
        if (const auto at = escaped.find('<'); at != std::string::npos) escaped.replace(at, 1, "&lt;");
        CHECK(by(escaped).authors == FieldTexts{text});
    }
    CHECK(
        fields_of(R"({"version":"https://jsonfeed.org/version/1","items":[{"authors":[{"avatar":"http://a/i.png"}]}]})")
            .authors.empty());
}

TEST_CASE("an Atom entry's author may be its source's or its feed's") {
    const auto with = [](const std::string& entry) {
        return fields_of("<feed xmlns='http://www.w3.org/2005/Atom'><entry>" + entry +
                         "</entry><author><name>Feed</name></author></feed>");
    };
    CHECK(with("<author><email>a@b</email></author>").authors == FieldTexts{"a@b"});
    CHECK(with("<source><author><name>Source</name></author></source>").authors == FieldTexts{"Source"});
    CHECK(with("").authors == FieldTexts{"Feed"});
}

TEST_CASE("fields of an Atom 0.3 entry") {
    const Read f = fields_of(R"(<feed version="0.3" xmlns="http://purl.org/atom/ns#"><entry><title>t</title>
        <link rel="alternate" type="text/html" href="http://a/1"/><issued>2003-12-13T08:29:29-04:00</issued>
        <modified>2003-12-13T18:30:02Z</modified></entry></feed>)");
    CHECK(f.link == "http://a/1");
    CHECK(f.published == 1071318569.0);
    CHECK(f.updated == 1071340202.0);
}

TEST_CASE("fields of a JSON Feed item") {
    const Read f = fields_of(R"({"version":"https://jsonfeed.org/version/1.1","authors":[{"name":"Feed"}],"items":[
        {"id":17,"url":"http://a/1","external_url":"http://b/","title":"t","content_html":"<p>h</p>","content_text":"h",
         "summary":"s","date_published":"2017-10-16T15:10:00Z","date_modified":"2017-10-16T15:10:01Z",
         "authors":[{"name":"Ann"},{"name":"Bob"}],"tags":["x","y"]}]})");
    CHECK(f.title == "t");
    CHECK(f.link == "http://a/1");
    CHECK(f.id == "17");
    CHECK(f.authors == FieldTexts{"Ann", "Bob"});
    CHECK(f.published == 1508166600.0);
    CHECK(f.updated == 1508166601.0);
    CHECK(f.summary == "s");
    CHECK(f.content == "<p>h</p>");
    CHECK(f.category == FieldTexts{"x", "y"});

    const Read few = fields_of(
        R"({"version":"https://jsonfeed.org/version/1","author":{"name":"Feed","url":"u"},"items":[{"external_url":"http://b/","content_text":"h"}]})");
    CHECK(few.link == "http://b/");
    CHECK(few.content == "h");
    CHECK(few.authors == FieldTexts{"Feed"});
}

TEST_CASE("fields of other XML") {
    const Read f =
        fields_of("<trades><trade id='7' href='http://a/'><name>n</name><date>2017-10-16</date></trade></trades>");
    CHECK(f.id == "7");
    CHECK(f.link == "http://a/");
    CHECK(f.title == "n");
    CHECK(f.published == 1508112000.0);
}

TEST_CASE("a feed's own title and link") {
    FeedFields f = feed_fields_of(
        "<rss><channel><title> T </title><atom:link rel='self' href='s' "
        "xmlns:atom='http://www.w3.org/2005/Atom'/><link>http://a/</link></channel></rss>");
    CHECK(f.title == "T");
    CHECK(f.link == "http://a/");
    f = feed_fields_of(
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><link rel='self' href='s'/>"
        "<link href='http://a/'/></feed>");
    CHECK(f.title == "T");
    CHECK(f.link == "http://a/");
    f = feed_fields_of(
        R"({"version":"https://jsonfeed.org/version/1","title":"T","home_page_url":"http://a/","items":[]})");
    CHECK(f.title == "T");
    CHECK(f.link == "http://a/");
    f = feed_fields_of("<entry><title>t</title><source><title>T</title><link href='http://a/'/></source></entry>");
    CHECK(f.title == "T");
    CHECK(f.link == "http://a/");
    f = feed_fields_of(
        "<rss><channel><atom:link href='http://b/'/><atom:title>A</atom:title><title>T</title>"
        "<link>http://a/</link></channel></rss>");
    CHECK(f.title == "T");
    CHECK(f.link == "http://a/");
    f = feed_fields_of("<rss><channel><atom:link href='http://b/'/><atom:title>A</atom:title></channel></rss>");
    CHECK(f.title == "A");
    CHECK(f.link == "http://b/");
    f = feed_fields_of("<item><atom:source><atom:title>T</atom:title></atom:source></item>");
    CHECK(f.title == "T");
    f = feed_fields_of("<rss><channel><dc:title>T</dc:title></channel></rss>");
    CHECK(f.title == "T");
    f = feed_fields_of("<item><title>t</title></item>");
    CHECK_FALSE(f.title);
    CHECK_FALSE(f.link);
}
