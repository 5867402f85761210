#include "protocol/feed/item/links.hpp"

#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/xml/xml_inheritance.hpp"
#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

// $link of the only item.
std::optional<std::string> link_of(const std::string& text) {
    const DocumentPtr document = parsed(text);
    REQUIRE(document->items().size() == 1);
    const Fields fields = read_fields(*document, document->items()[0]);
    return fields.link ? std::optional(std::string(*fields.link)) : std::nullopt;
}

}  // namespace

TEST_CASE("a relative link is resolved, and its path keeps what is written") {
    const auto rss = [](const std::string& channel, const std::string& item) {
        return link_of("<rss><channel>" + channel + "<item>" + item + "</item></channel></rss>");
    };
    const std::string home = "<link>http://a/blog/index.html</link>";
    CHECK(rss(home, "<link>1</link>") == "http://a/blog/1");
    CHECK(rss(home, "<link>/1</link>") == "http://a/1");
    CHECK(rss(home, "<link>//b/1</link>") == "http://b/1");
    CHECK(rss(home, "<link>?p=1</link>") == "http://a/blog/index.html?p=1");
    CHECK(rss(home, "<link>http://b/../1</link>") == "http://b/../1");
    CHECK(rss(home, "<link xml:base='http://c/d/'>1</link>") == "http://c/d/1");
    CHECK(rss(home, "<link xml:base='d/'>1</link>") == "http://a/blog/d/1");
    CHECK(rss("", "<link>/1</link>") == "/1");
    CHECK(rss("<link>/</link>", "<link>/1</link>") == "/1");
    CHECK(rss("<link>http://a/" + std::string(3'000, 'x') + "/</link>", "<link>1</link>") == "1");

    const DocumentPtr document = parsed("<rss><channel>" + home + "<item><link>1</link></item></channel></rss>");
    CHECK(text_at(document, "/rss/channel/item/link") == "1");
    TextBlocks texts;
    CHECK(read_link(*document, document->items()[0], texts) == "1");
}

TEST_CASE("an Atom link is its address, not the text inside it") {
    const std::string atom = " xmlns='http://www.w3.org/2005/Atom'";
    const auto entry = [&](const std::string& links) { return link_of("<entry" + atom + ">" + links + "</entry>"); };
    const auto item = [&](const std::string& links) {
        return link_of("<rss xmlns:atom='http://www.w3.org/2005/Atom'><channel><item>" + links +
                       "</item></channel></rss>");
    };
    CHECK(entry("<link href='http://a/'>Home page</link>") == "http://a/");
    CHECK(entry("<link rel='self' href='http://b/'>Here</link><link href='http://a/'/>") == "http://a/");
    CHECK(entry("<link>http://a/</link>") == "http://a/");
    CHECK_FALSE(entry("<link rel='self' href='http://b/'>Here</link>"));
    CHECK(item("<atom:link href='http://a/'>Home page</atom:link>") == "http://a/");
    CHECK(item("<atom:link href='http://b/'>Home page</atom:link><link>http://a/</link>") == "http://a/");
    CHECK(item("<atom:link rel='self' href='http://b/'/><link>http://a/</link>") == "http://a/");
    CHECK(item("<link/><atom:link href='http://a/'/>") == "http://a/");
    CHECK(item("<link href='http://b/'>http://a/</link>") == "http://a/");
    CHECK(item("<link" + atom + " href='http://b/'/><link>http://a/</link>") == "http://a/");
    CHECK(link_of("<list><x><link href='http://b/'>http://a/</link></x></list>") == "http://a/");
    CHECK(link_of("<list" + atom + "><x><link href='http://a/'>Home page</link></x></list>") == "http://a/");
}

TEST_CASE("the nearest xml:base counts, relative to those around it") {
    const auto atom = [](const std::string& feed_base, const std::string& entry_base, const std::string& link) {
        return link_of("<feed xmlns='http://www.w3.org/2005/Atom' xml:base='" + feed_base +
                       "'><link href='http://home/'/><entry xml:base='" + entry_base + "'>" + link + "</entry></feed>");
    };
    CHECK(atom("http://a/b/", "", "<link href='c'/>") == "http://a/b/c");
    CHECK(atom("http://a/b/", "d/", "<link href='c'/>") == "http://a/b/d/c");
    CHECK(atom("http://a/b/", "/d/", "<link href='c' xml:base='e/'/>") == "http://a/d/e/c");
    CHECK(atom("http://a/b/", "http://x/y", "<link href='c'/>") == "http://x/c");
    CHECK(atom("/b/", "", "<link href='c'/>") == "http://home/b/c");
    CHECK(atom("http://a/b/", "", "<content src='../c'/>") == "http://a/c");
}

TEST_CASE("address_of: without another base, references are relative to the feed's own address") {
    const auto atom = [](const std::string& feed, const std::string& link) {
        return link_of("<feed xmlns='http://www.w3.org/2005/Atom'>" + feed + "<entry><link href='" + link +
                       "'/></entry></feed>");
    };
    const auto rss = [](const std::string& channel, const std::string& link) {
        return link_of("<rss xmlns:a='http://www.w3.org/2005/Atom'><channel>" + channel + "<item><link>" + link +
                       "</link></item></channel></rss>");
    };
    CHECK(atom("<link rel='self' href='https://t.example/f/feed.xml'/>", "n4") == "https://t.example/f/n4");
    CHECK(atom("<link rel=' SELF ' href=' https://t.example/f/feed.xml '/>", "/n4") == "https://t.example/n4");
    CHECK(atom("<link href='/home/'/><link rel='self' href='https://t.example/f/feed.xml'/>", "n4") ==
          "https://t.example/home/n4");
    CHECK(atom("<link href='http://h/x/'/><link rel='self' href='https://t.example/f/'/>", "n4") == "http://h/x/n4");
    CHECK(atom("<link rel='self' href='feed.xml'/>", "n4") == "n4");
    CHECK(atom("<link rel='self' href='https://t.example/" + std::string(base_bytes_max, 'x') + "/'/>", "n4") == "n4");
    CHECK(atom("<link rel='via' href='https://t.example/f/'/>", "n4") == "n4");
    CHECK(rss("<a:link rel='self' href='https://t.example/f/rss'/>", "n4") == "https://t.example/f/n4");
    CHECK(rss("<link>/</link><a:link rel='self' href='https://t.example/f/rss'/>", "n4") == "https://t.example/n4");
    CHECK(rss("<a:link rel='self' href='https://t.example/f/rss'/>", "https://o.example/") == "https://o.example/");
}

TEST_CASE("bases that are many or long together make no address") {
    const auto nested = [](std::size_t depth, const std::string& base) {
        std::string begin = "<x xml:base='http://a/'>", end = "</x>";
        for (std::size_t i = 1; i < depth; ++i) {
            begin += "<x xml:base='" + base + "'>";
            end += "</x>";
        }
        return link_of(begin + "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='c'/></entry></feed>" +
                       end);
    };
    CHECK(nested(4, "b/") == "http://a/b/b/b/c");
    CHECK(nested(bases_max, "b/") == "http://a/b/b/b/b/b/b/b/c");
    CHECK(nested(bases_max + 1, "b/") == "c");
    const std::string half(base_bytes_max / 2 - 1, 'b');
    CHECK(nested(2, half + "/") == "http://a/" + half + "/c");
    CHECK(nested(3, half + "/") == "c");
    CHECK(nested(2, std::string(base_bytes_max, ' ') + "b/") == "http://a/c");
    CHECK(nested(2, " b/ ") == "http://a/b/c");
    const auto behind = [](std::size_t others) {
        std::string attributes;
        for (std::size_t i = 0; i < others; ++i) attributes += " a" + std::to_string(i) + "='1'";
        return link_of("<feed" + attributes + " xml:base='http://a/'><entry><link href='c'/></entry></feed>");
    };
    CHECK(behind(inherited_attributes_max - 1) == "http://a/c");
    CHECK(behind(inherited_attributes_max) == "c");
}

TEST_CASE("relative addresses of a JSON Feed are resolved") {
    const auto json = [](const std::string& members, const std::string& url) {
        return link_of("{\"version\":\"https://jsonfeed.org/version/1\"," + members + "\"items\":[{\"url\":\"" + url +
                       "\"}]}");
    };
    CHECK(json(R"("home_page_url":"http://a/b/","feed_url":"http://f/",)", "c") == "http://a/b/c");
    CHECK(json(R"("feed_url":" http://f/feed.json ",)", "c") == "http://f/c");
    CHECK(json("\"feed_url\":\"http://f/" + std::string(base_bytes_max, 'x') + "\",", "c") == "c");
    CHECK(json("", "c") == "c");
}
