#include "protocol/wire/http/query.hpp"

#include <catch2/catch.hpp>

using sluice::wire::parse_target;
using sluice::wire::Query;

TEST_CASE("a target is a path and decoded pairs") {
    CHECK(parse_target("/a/b")->path == "/a/b");
    CHECK(parse_target("/a/b")->query.empty());
    for (const char* target :
         {"/v1/%65vents", "/%761/events", "/v1/event%73", "/v1/%65%76%65%6e%74%73", "/%76%31/events"})
        CHECK(parse_target(target)->path == "/v1/events");
    CHECK(parse_target("/%2d%2E%5f%7E%41%39")->path == "/-._~A9");
    for (const char* kept :
         {"/v1%2Fevents", "/v1%2fevents", "/a%20b", "/a%3Fb", "/%25%36%35", "/a%", "/a%6", "/a%6g", "/%C3%A9"})
        CHECK(parse_target(kept)->path == std::string(kept == std::string("/%25%36%35") ? "/%2565" : kept));
    CHECK(parse_target("/a?")->query.empty());
    CHECK(parse_target("/?x=1&y=2&x=3")->query == Query{{"x", "1"}, {"y", "2"}, {"x", "3"}});
    CHECK(parse_target("/?filter=//item[price%20%3C+90]")->query == Query{{"filter", "//item[price < 90]"}});
    CHECK(parse_target("/?a=b=c&&d&=e")->query == Query{{"a", "b=c"}, {"d", ""}, {"", "e"}});
    CHECK(parse_target("/?a=%2b%26%C3%A9")->query == Query{{"a", "+&é"}});
    CHECK(parse_target("/?a=1#b")->query == Query{{"a", "1"}});
    CHECK(parse_target("/?a=%41")->query == Query{{"a", "A"}});
}

TEST_CASE("a target in absolute form names its host") {
    const auto target = parse_target("http://example.org:80/a/b?x=1");
    CHECK(target->authority == "example.org:80");
    CHECK(target->path == "/a/b");
    CHECK(target->query == Query{{"x", "1"}});
    CHECK(parse_target("HTTPS://[::1]")->authority == "[::1]");
    CHECK(parse_target("HTTPS://[::1]")->path == "/");
    CHECK(parse_target("http://a?x=//b")->path == "/");
    CHECK(parse_target("http://a?x=//b")->query == Query{{"x", "//b"}});
    CHECK(parse_target("/http://a/")->authority.empty());
}

TEST_CASE("what is no target is refused") {
    for (const char* bad : {"", "*", "a", "http:/x/", "http:///", "ftp://x/", "httpx://x/", "http", "/?a=%", "/?a=%4",
                            "/?a=%zz", "/?%=1", "/?a=%4&b"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_target(bad));
    }
}
