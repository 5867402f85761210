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
