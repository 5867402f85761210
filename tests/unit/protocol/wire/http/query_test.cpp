#include "protocol/wire/http/query.hpp"

#include <catch2/catch.hpp>

using sluice::wire::parse_target;
using sluice::wire::Query;

TEST_CASE("a target is a path and decoded pairs") {
    CHECK(parse_target("/a/b")->path == "/a/b");
    CHECK(parse_target("/a/b")->query.empty());
    CHECK(parse_target("/a?")->query.empty());
    CHECK(parse_target("/?x=1&y=2&x=3")->query == Query{{"x", "1"}, {"y", "2"}, {"x", "3"}});
    CHECK(parse_target("/?filter=//item[price%20%3C+90]")->query == Query{{"filter", "//item[price < 90]"}});
    CHECK(parse_target("/?a=b=c&&d&=e")->query == Query{{"a", "b=c"}, {"d", ""}, {"", "e"}});
    CHECK(parse_target("/?a=%2b%26%C3%A9")->query == Query{{"a", "+&é"}});
    CHECK(parse_target("/?a=1#b")->query == Query{{"a", "1"}});
    CHECK(parse_target("/?a=%41")->query == Query{{"a", "A"}});
}

TEST_CASE("unreserved characters of a path are the same encoded and plain") {
    struct Case {
        const char *target, *path;
    };
    const Case cases[] = {
        {"/v1/%65vents", "/v1/events"},
        {"/%76%31/%65%76%65%6e%74%73?a=1", "/v1/events"},
        {"/v1/streams/%41%5A%61%7a%30%39", "/v1/streams/AZaz09"},
        {"/v1/streams/a%2Db%2e%5F%7E", "/v1/streams/a-b._~"},
        {"http://host/v1/%73tatus", "/v1/status"},
        {"/v1%2Fevents", "/v1%2Fevents"},
        {"/v1%2fevents", "/v1%2fevents"},
        {"/v1/%2565vents", "/v1/%2565vents"},
        {"/v1/events%3Fa", "/v1/events%3Fa"},
        {"/v1/%20%C3%A9%00", "/v1/%20%C3%A9%00"},
        {"/v1/%6", "/v1/%6"},
        {"/v1/%", "/v1/%"},
        {"/v1/%zz%6g", "/v1/%zz%6g"},
        {"/v1/./%2E%2e/x", "/v1/./../x"},
        {"/%61+b", "/a+b"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.target);
        CHECK(parse_target(c.target)->path == c.path);
    }
    CHECK(parse_target("/%61?%61=%62")->query == Query{{"a", "b"}});
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
