#include "protocol/http/query.hpp"

#include <catch2/catch.hpp>

using sluice::parse_target;
using sluice::Query;

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

TEST_CASE("what is no target is refused") {
    for (const char* bad : {"", "*", "http://x/", "a", "/?a=%", "/?a=%4", "/?a=%zz", "/?%=1", "/?a=%4&b"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_target(bad));
    }
}
