#include "protocol/feed/namespaces.hpp"

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
    CHECK(atom->prefix().empty());
    CHECK(atom->attribute().empty());
    CHECK_FALSE(find_known_namespace(""));
    CHECK_FALSE(find_known_namespace("http://www.w3.org/2005/atom"));
    for (const char* prefix : {"dc", "dcterms", "content", "media", "itunes", "georss", "geo", "slash", "wfw", "thr",
                               "yt", "rdf", "xhtml"}) {
        INFO(prefix);
        const KnownNamespace* known = find_customary_prefix(prefix);
        REQUIRE(known);
        CHECK(known->prefix() == std::string(prefix) + ":");
    }
    CHECK_FALSE(find_customary_prefix(""));
    CHECK_FALSE(find_customary_prefix("d"));
    CHECK_FALSE(find_customary_prefix("atom"));
}

TEST_CASE("inner declarations hide outer ones until their scope ends") {
    NamespaceScopes scopes;
    CHECK(scopes.find("xml"));
    CHECK_FALSE(scopes.find(""));
    CHECK_FALSE(scopes.find("a"));
    scopes.declare("", "u1");
    scopes.declare("a", "v1");
    const std::size_t outer = scopes.size();
    scopes.declare("a", "v2");
    scopes.declare("", "");
    CHECK(scopes.find("a")->uri == "v2");
    CHECK(scopes.find("")->uri.empty());
    scopes.shrink(outer);
    CHECK(scopes.find("a")->uri == "v1");
    CHECK(scopes.find("")->uri == "u1");
    scopes.shrink(1);
    CHECK_FALSE(scopes.find(""));
    CHECK_FALSE(scopes.find("a"));
}
