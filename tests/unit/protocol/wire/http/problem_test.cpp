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

TEST_CASE("every status that the broker answers has a reason phrase") {
    for (const unsigned status : {200u, 201u, 202u, 204u, 400u, 401u, 403u, 404u, 405u, 408u, 409u, 410u, 411u,
                                  412u, 413u, 415u, 417u, 421u, 422u, 429u, 431u, 500u, 501u, 503u, 505u, 507u}) {
        CAPTURE(status);
        CHECK_FALSE(sluice::wire::reason_phrase(status).empty());
    }
}
