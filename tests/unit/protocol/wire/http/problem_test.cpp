#include "protocol/wire/http/problem.hpp"

#include <catch2/catch.hpp>

TEST_CASE("a problem is RFC 9457 JSON") {
    CHECK(sluice::wire::to_json({404, "about:blank", "", "no such path", {}}) ==
          R"({"type":"about:blank","title":"Not Found","status":404,"detail":"no such path"})");
    CHECK(sluice::wire::to_json({400, "urn:x", "Bad \"filter\"", "", {{"line", 2}, {"excerpt", "a\n^"}}}) ==
          R"({"type":"urn:x","title":"Bad \"filter\"","status":400,"line":2,"excerpt":"a\n^"})");
}

TEST_CASE("a detail that quotes bytes that are no text is JSON nevertheless") {
    CHECK(sluice::wire::to_json({404, "about:blank", "", "no such path: /\xff\xc3", {}}) ==
          "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,"
          "\"detail\":\"no such path: /\xef\xbf\xbd\xef\xbf\xbd\"}");
}
