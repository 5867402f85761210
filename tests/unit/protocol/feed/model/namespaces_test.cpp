#include "protocol/feed/model/namespaces.hpp"

#include <catch2/catch.hpp>

using namespace sluice;
using namespace sluice::feed;

TEST_CASE("known namespaces and their prefixes") {
    const KnownNamespace* dc = find_known_namespace("http://purl.org/dc/elements/1.1/");
    REQUIRE(dc);
    CHECK(dc->prefix() == "dc:");
    CHECK(dc->attribute() == "xmlns:dc");
    const KnownNamespace* atom = find_known_namespace("http://www.w3.org/2005/Atom");
    REQUIRE(atom);
    CHECK(atom->prefix() == "atom:");
    CHECK(find_known_namespace("http://purl.org/atom/ns#")->prefix() == "atom:");
    CHECK(find_known_namespace("http://purl.org/rss/1.0/")->prefix() == "rss:");
    CHECK_FALSE(find_known_namespace(""));
    CHECK_FALSE(find_known_namespace("http://"));
    CHECK_FALSE(find_known_namespace("urn:x"));
    for (const char* prefix : {"dc", "dcterms", "content", "media", "itunes", "georss", "geo", "slash", "wfw", "thr",
                               "yt", "rdf", "xhtml", "atom", "rss"}) {
        INFO(prefix);
        const KnownNamespace* known = find_customary_prefix(prefix);
        REQUIRE(known);
        CHECK(known->prefix() == std::string(prefix) + ":");
        CHECK(find_known_namespace(known->uri)->prefix() == known->prefix());
    }
    CHECK(find_customary_prefix("dc")->uri == "http://purl.org/dc/elements/1.1/");
    CHECK(find_customary_prefix("atom") == atom);
    CHECK_FALSE(find_customary_prefix(""));
    CHECK_FALSE(find_customary_prefix("d"));
}

TEST_CASE("namespaces are known in spite of the slips that feeds make") {
    const KnownNamespace* media = find_known_namespace("http://search.yahoo.com/mrss/");
    REQUIRE(media);
    for (const char* uri :
         {"http://search.yahoo.com/mrss", "https://search.yahoo.com/mrss/", "HTTP://Search.Yahoo.com/MRSS/",
          " http://search.yahoo.com/mrss/ ", "http://search.yahoo.com/mrss#", "search.yahoo.com/mrss"}) {
        INFO(uri);
        CHECK(find_known_namespace(uri) == media);
    }
    for (const char* uri :
         {"ftp://search.yahoo.com/mrss/", "http:/search.yahoo.com/mrss/", "httpx://search.yahoo.com/mrss/",
          "http://search.yahoo.com/mrs/", "http://search.yahoo.com/mrss/x"}) {
        INFO(uri);
        CHECK_FALSE(find_known_namespace(uri));
    }
    CHECK(find_known_namespace("http://www.itunes.com/DTDs/PodCast-1.0.dtd")->prefix() == "itunes:");
    CHECK(find_known_namespace("http://www.w3.org/2005/atom")->prefix() == "atom:");
    CHECK(find_known_namespace("http://wellformedweb.org/commentAPI/")->prefix() == "wfw:");
}
