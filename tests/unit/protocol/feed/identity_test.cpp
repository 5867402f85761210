#include "protocol/feed/identity.hpp"

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
    CHECK(identity("<item><link>http://a/</link><guid> x1 </guid></item>") == "x1");
    CHECK(identity("<item><link>http://a/</link><guid/></item>") == "//a/");
    CHECK(identity("<item><title>only</title></item>").empty());
    CHECK(identity("<entry><id>urn:1</id><link href='http://a/'/></entry>") == "urn:1");
    CHECK(identity("<entry><link rel='self' href='http://b/'/><link href='https://a/'/></entry>") == "//a/");
    CHECK(identity(R"({"items":[{"id":17,"url":"http://a/"}]})") == "17");
    CHECK(identity(R"({"items":[{"url":"http://a/"}]})") == "//a/");
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
    CHECK(identity(R"({"home_page_url":"http://a/","items":[{"id":"17"}]})") == "//a/\n17");
    CHECK(identity(R"({"feed_url":"https://a/f.json","title":"t","items":[{"id":"17"}]})") == "//a/f.json\n17");
    CHECK(rss("http://a/", "1") == rss("http://a/", " 1 "));
}

TEST_CASE("a feed without a link is known by its id, its address or its title") {
    const auto atom = [](const std::string& feed) {
        return identity(("<feed>" + feed + "<entry><id>17</id></entry></feed>").c_str());
    };
    CHECK(atom("<title>t</title><link rel='self' href='http://a/f'/><id>urn:f</id>") == "urn:f\n17");
    CHECK(atom("<title>t</title><link rel='self' href='http://a/f'/>") == "//a/f\n17");
    CHECK(atom("<title>t</title>") == "t\n17");
    CHECK(atom("") == "17");
    CHECK(atom("<title>" + std::string(5000, 't') + "</title>").size() == 2048 + 3);
    CHECK(identity("<rss><channel><link>http://a/</link><item><link>/1</link></item></channel></rss>") == "//a/\n/1");
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
    CHECK(id("<item><guid>a?utm_source=x</guid></item>") == "a?utm_source=x");
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
    CHECK(identity_of(R"({"items":[{"id":"17","n":1}]})", "", "n").id == "17");
}

TEST_CASE("a CloudEvent is the same by its source and id, whatever else it says") {
    const ItemIdentity identity =
        identity_of(R"({"specversion":"1.0","id":"1","source":"/s","type":"t","data":{"n":1}})",
                    "application/cloudevents+json", "data/n");
    CHECK(identity.sameness == Sameness::by_id_alone);
    CHECK(identity.id == "/s\n1");
}
