#include "protocol/feed/xml/namespace_scopes.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace sluice::feed;

TEST_CASE("inner declarations hide outer ones until their scope ends") {
    NamespaceScopes scopes;
    CHECK(scopes.find("xml"));
    CHECK_FALSE(scopes.find(""));
    CHECK_FALSE(scopes.find("a"));
    scopes.declare("", "u1", 1);
    scopes.declare("a", "v1", 1);
    const std::size_t outer = scopes.size();
    scopes.declare("a", "v2", outer);
    scopes.declare("", "", outer);
    CHECK(scopes.find("a")->uri == "v2");
    CHECK(scopes.find("")->uri.empty());
    scopes.shrink(outer);
    CHECK(scopes.find("a")->uri == "v1");
    CHECK(scopes.find("")->uri == "u1");
    scopes.shrink(1);
    CHECK_FALSE(scopes.find(""));
    CHECK_FALSE(scopes.find("a"));
}

TEST_CASE("what the tree declares of a prefix: the innermost tag's first declaration") {
    NamespaceScopes scopes;
    scopes.declare("a", "http://search.yahoo.com/mrss/", 1);
    scopes.replace(1, "xmlns:media:");
    CHECK(scopes[1].tree_prefix() == "media");
    CHECK_FALSE(scopes.has_clashes());
    CHECK_FALSE(scopes.tree_uri("a"));
    REQUIRE(scopes.tree_uri("media"));
    CHECK(*scopes.tree_uri("media") == "http://search.yahoo.com/mrss/");
    CHECK(scopes.is_taken("media", "b"));
    CHECK_FALSE(scopes.is_taken("media", "a"));
    CHECK_FALSE(scopes.is_taken("a", "b"));
    scopes.declare("b", "http://search.yahoo.com/mrss", 2);
    scopes.declare("c", "http://search.yahoo.com/mrss/", 2);
    scopes.replace(2, "xmlns:media:");
    scopes.replace(3, "xmlns:media:");
    CHECK(scopes.has_clashes());
    CHECK(*scopes.tree_uri("media") == "http://search.yahoo.com/mrss");
    scopes.shrink(2);
    CHECK_FALSE(scopes.has_clashes());
    CHECK(*scopes.tree_uri("media") == "http://search.yahoo.com/mrss/");
}

TEST_CASE("a number behind a prefix that makes another one") {
    NamespaceScopes scopes;
    CHECK(scopes.free_number("dc_", "dc") == 2);
    for (const char* prefix : {"dc_2", "dc_x", "dc_4", "media_3", "dc_99999999999999999999"})
        scopes.declare(prefix, "u", 1);
    CHECK(scopes.free_number("dc_", "dc") == 3);
    CHECK(scopes.free_number("dc_", "dc_2") == 2);
    std::vector<std::string> prefixes;
    for (std::size_t i = 0; i < NamespaceScopes::bindings_max; ++i) prefixes.push_back("dc_" + std::to_string(i + 2));
    NamespaceScopes full;
    while (full.size() < NamespaceScopes::bindings_max) full.declare(prefixes[full.size() - 1], "u", 1);
    CHECK(full.free_number("dc_", "dc") == NamespaceScopes::bindings_max + 1);
}
