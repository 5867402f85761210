#include "protocol/feed/item/identity.hpp"

#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

ItemIdentity identity_of(const char* text, const char* type = "", const char* id_path = "") {
    const DocumentPtr document = parsed(text, {type, "", {}});
    return ItemIdentities(*document, id_path).of(document->items()[0]);
}

std::string identity(const char* text) {
    const ItemIdentity identity = identity_of(text);
    CHECK((identity.sameness == Sameness::by_id) != identity.id.empty());
    return identity.id;
}

}  // namespace

TEST_CASE("an item is known by its id, else by its link") {
    CHECK(identity("<item><link>http://a/</link><guid> x1 </guid></item>") == "0:x1");
    CHECK(identity("<item><link>http://a/</link><guid/></item>") == "//a/");
    CHECK(identity("<item><title>only</title></item>").empty());
    CHECK(identity("<entry><id>urn:1</id><link href='http://a/'/></entry>") == "urn:1");
    CHECK(identity("<entry><link rel='self' href='http://b/'/><link href='https://a/'/></entry>") == "//a/");
    CHECK(identity(R"({"version":"https://jsonfeed.org/version/1","items":[{"id":17,"url":"http://a/"}]})") == "0:17");
    CHECK(identity(R"({"version":"https://jsonfeed.org/version/1","items":[{"url":"http://a/"}]})") == "//a/");
    CHECK(identity(R"(<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
        <item r:about="http://a/1"><link>http://a/</link></item></r:RDF>)") == "//a/1");
    CHECK(identity("<trades><trade id='1'><link>http://a/</link></trade></trades>").empty());
}

TEST_CASE("an id that is no address is one within its feed") {
    const auto rss = [](const char* link, const char* guid) {
        return identity(("<rss><channel><link>" + std::string(link) + "</link><item><guid>" + guid +
                         "</guid></item></channel></rss>")
                            .c_str());
    };
    CHECK(rss("http://a/", "1") != rss("http://b/", "1"));
    CHECK(rss("http://a/", "1") == rss("https://a/", "1"));
    CHECK(rss("http://a/", "http://x/1") == rss("http://b/", "https://x/1"));
    CHECK(rss("http://a/", "tag:x,2020:1") == rss("http://b/", "tag:x,2020:1"));
    CHECK(
        identity(R"({"version":"https://jsonfeed.org/version/1","home_page_url":"http://a/","items":[{"id":"17"}]})") ==
        "4://a/17");
    CHECK(
        identity(
            R"({"version":"https://jsonfeed.org/version/1","feed_url":"https://a/f.json","title":"t","items":[{"id":"17"}]})") ==
        "10://a/f.json17");
    CHECK(rss("http://a/", "1") == rss("http://a/", " 1 "));
}

TEST_CASE("a feed without a link is known by its id, its address or its title") {
    const auto atom = [](const std::string& feed) {
        return identity(("<feed>" + feed + "<entry><id>17</id></entry></feed>").c_str());
    };
    CHECK(atom("<title>t</title><link rel='self' href='http://a/f'/><id>urn:f</id>") == "5:urn:f17");
    CHECK(atom("<title>t</title><link rel='self' href='http://a/f'/>") == "5://a/f17");
    CHECK(atom("<title>t</title>") == "1:t17");
    CHECK(atom("") == "0:17");
    CHECK(atom("<title>" + std::string(5000, 't') + "</title>").size() == 2048 + 7);
    CHECK(identity("<rss><channel><link>http://a/</link><item><link>/1</link></item></channel></rss>") == "4://a//1");
}

TEST_CASE("parameters that are ignored are no part of an address") {
    const std::vector<std::string> names{"?utm_*"};
    const auto id = [&](const char* text) {
        const DocumentPtr document = parsed(text);
        return ItemIdentities(*document, "", IgnoredParts(names)).of(document->items()[0]).id;
    };
    CHECK(id("<item><link>http://a/?utm_source=x</link></item>") == "//a/");
    CHECK(id("<item><link>http://a/?b=1&amp;utm_source=x</link></item>") == "//a/?b=1");
    CHECK(id("<item><guid>http://a/?utm_source=x&amp;b=1</guid></item>") == "//a/?b=1");
    CHECK(id("<item><guid>a?utm_source=x</guid></item>") == "0:a?utm_source=x");
}

TEST_CASE("ItemIdentities: addresses are compared as RFC 3986 says, in ids, links and of the feed") {
    const std::vector<std::string> names{"?utm_*"};
    const auto id = [&](const std::string& channel, const std::string& item) {
        const DocumentPtr document = parsed("<rss><channel>" + channel + "<item>" + item + "</item></channel></rss>");
        return ItemIdentities(*document, "", IgnoredParts(names)).of(document->items()[0]).id;
    };
    const std::string of_link = id("", "<link>https://t.example/caf%C3%A9/~a?b=%2F</link>");
    const std::string of_feed = id("<link>https://t.example/</link>", "<guid>17</guid>");
    for (const std::string address :
         {"https://t.example/caf%C3%A9/~a?b=%2F", "http://t.example/caf%c3%a9/~a?b=%2f",
          "HTTPS://T.Example:443/café/%7Ea?b=%2F", "http://t.example:80/x/../caf%c3%A9/./%7ea?b=%2f",
          "https://t.example:/caf%C3%A9/~a?utm_source=x&amp;b=%2F",
          "https://t.example/caf%C3%A9/~a?b=%2F&amp;utm_x="}) {
        CAPTURE(address);
        CHECK(id("", "<link>" + address + "</link>") == of_link);
        CHECK(id("", "<guid>" + address + "</guid>") == of_link);
    }
    for (const std::string address :
         {"https://t.example", "http://t.example/", "https://T.EXAMPLE", "https://t.example:443",
          "http://t.example:80/", "https://t.example/?utm_source=rss",
          "https://t.example?utm_source=a&amp;utm_medium=b", "https://t.example/.", "Http://t.example/a/..",
          "https://t.ex%61mple/"}) {
        CAPTURE(address);
        CHECK(id("<link>" + address + "</link>", "<guid>17</guid>") == of_feed);
    }
    for (const std::string address : {"https://t.example/Caf%C3%A9/~a?b=%2F", "https://t.example/caf%C3%A9/~a?b=/",
                                      "https://t.example/caf%C3%A9/~a", "https://t.example:8443/caf%C3%A9/~a?b=%2F",
                                      "https://u@t.example/caf%C3%A9/~a?b=%2F", "https://t.example/caf%C3%A9/~a/?b=%2F",
                                      "https://t.example/caf%C3%A9/~a?b=%2F#c"}) {
        CAPTURE(address);
        CHECK(id("", "<link>" + address + "</link>") != of_link);
    }
    CHECK(id("", "<guid>URN:ISBN:Aa</guid>") == id("", "<guid>urn:isbn:Aa</guid>"));
    CHECK(id("", "<guid>URN:ISBN:Aa</guid>") != id("", "<guid>urn:isbn:aa</guid>"));
    CHECK(id("", "<guid>TAG:a,2020:%7E</guid>") == "tag:a,2020:%7E");
    CHECK(id("", "<guid>see http://A/</guid>") == "0:see http://A/");
}

TEST_CASE("ItemIdentities: an address in its usual form is identified as another spelling of it is") {
    const std::vector<std::string> names{"?utm_*", "?b"};
    const auto id = [&](const std::string& guid) {
        const DocumentPtr document = parsed("<rss><channel><item><guid>" + guid + "</guid></item></channel></rss>");
        return ItemIdentities(*document, "", IgnoredParts(names)).of(document->items()[0]).id;
    };
    const std::string_view parts[] = {"/a",  "/",   "/9.html", "-",         "?", "utm_x=1",
                                      "b=2", "c=3", "&amp;",   "&amp;amp;", ";", "#"};
    std::mt19937 random(5);
    for (int i = 0; i < 2'000; ++i) {
        std::string rest = "://t.example/";
        for (std::size_t n = random() % 8; n > 0; --n) rest += parts[random() % std::size(parts)];
        CAPTURE(rest);
        REQUIRE(id("https" + rest) == id("HTTPS" + rest));  // compared part by part
        REQUIRE(id("http" + rest) == id("https" + rest));
    }
}

TEST_CASE("ItemIdentities: the parts of an identity cannot be taken for others") {
    const auto cloud_event = [](const char* source, const char* id) {
        return identity_of(
                   (std::string(R"({"specversion":"1.0","type":"t","source":")") + source + R"(","id":")" + id + "\"}")
                       .c_str(),
                   "application/cloudevents+json")
            .id;
    };
    CHECK(cloud_event("a\\nb", "c") != cloud_event("a", "b\\nc"));
    CHECK(cloud_event("1:a", "b") != cloud_event("1", ":ab"));
    const auto rss = [](const char* title, const char* guid) {
        return identity((std::string("<rss><channel><title>") + title + "</title><item><guid>" + guid +
                         "</guid></item></channel></rss>")
                            .c_str());
    };
    CHECK(rss("a\nb", "c") != rss("a", "b\nc"));
    CHECK(rss("ab", "c") != rss("a", "bc"));
    CHECK(rss("", "1:ab") != rss("a", "b"));
}

TEST_CASE("what is no feed is the same only by the id that its stream declares") {
    const char* const json = R"({"id":"1","sensor":{"id":" 7 ","temp":3}})";
    CHECK(identity_of(json).sameness == Sameness::never);
    CHECK(identity_of(json, "", "sensor/id").sameness == Sameness::by_id);
    CHECK(identity_of(json, "", "sensor/id").id == "7");
    CHECK(identity_of(json, "", "sensor/no").sameness == Sameness::never);
    CHECK(identity_of(R"([{"id":[null,"","x"]}])", "", "id").id == "x");
    CHECK(identity_of("id,v\n5,1\n", "text/csv", "id").id == "5");
    CHECK(identity_of("id,v\n,1\n", "text/csv", "id").sameness == Sameness::never);
    CHECK(identity_of(">r1 d\nAC\n", "text/x-fasta").sameness == Sameness::never);
    CHECK(identity_of(">r1 d\nAC\n", "text/x-fasta", "@id").id == "r1");
    CHECK(identity_of("<a><b><c k='9'/></b></a>").sameness == Sameness::by_content);
    CHECK(identity_of("<a><b><c k='9'/></b></a>", "", "c/@k").id == "9");
    CHECK(identity_of(R"({"version":"https://jsonfeed.org/version/1","items":[{"id":"17","n":1}]})", "", "n").id ==
          "0:17");
}

TEST_CASE("a CloudEvent is the same by its source and id, whatever else it says") {
    const ItemIdentity identity =
        identity_of(R"({"specversion":"1.0","id":"1","source":"/s","type":"t","data":{"n":1}})",
                    "application/cloudevents+json", "data/n");
    CHECK(identity.sameness == Sameness::by_id_alone);
    CHECK(identity.id == "2:/s1");
}
