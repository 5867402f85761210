#include "broker/cli/http_client.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/broker/cli/scripted_server.hpp"

using namespace sluice::cli;
using test::reply;
using test::ScriptedServer;

namespace {

const HttpRequest get{};

}  // namespace

TEST_CASE("a server's URL") {
    const auto local = parse_server("http://localhost:8080/");
    REQUIRE(local.has_value());
    CHECK(local->host == "localhost");
    CHECK(local->port == "8080");
    CHECK(local->authority == "localhost:8080");
    CHECK(parse_server("http://example.org")->port == "80");
    CHECK(parse_server("http://[::1]:9000")->host == "::1");
    for (const char* wrong : {"", "localhost:8080", "https://localhost", "http://", "http://localhost/v1/events",
                              "http://localhost:99999999", "http://user@localhost", "http://localhost?x"}) {
        CAPTURE(wrong);
        const auto parsed = parse_server(wrong);
        REQUIRE(!parsed);
        CHECK_THAT(parsed.error().message, Catch::Contains("http://HOST[:PORT]"));
    }
}

TEST_CASE("a request carries its body and type, a reply its status and body") {
    ScriptedServer server({reply("503 Service Unavailable", "Content-Type: a/b\r\nRetry-After: 7\r\n", "later")});
    const auto got = send(*parse_server(server.url()), {.method = boost::beast::http::verb::post,
                                                        .target = "/v1/events?stream=a%20b",
                                                        .content_type = "application/xml",
                                                        .body = "<rss/>"});
    REQUIRE(got.has_value());
    CHECK(got->status == 503);
    CHECK(got->content_type == "a/b");
    CHECK(got->retry_after_seconds == 7u);
    CHECK(got->body == "later");
    const auto& request = server.requests().at(0);
    CHECK_THAT(request, Catch::StartsWith("POST /v1/events?stream=a%20b HTTP/1.1\r\n"));
    CHECK_THAT(request, Catch::Contains("\r\nHost: 127.0.0.1:"));
    CHECK_THAT(request, Catch::Contains("\r\nContent-Type: application/xml\r\n"));
    CHECK_THAT(request, Catch::EndsWith("\r\n\r\n<rss/>"));
}

TEST_CASE("a long reply is handed over piece by piece until it is no longer wanted") {
    ScriptedServer server({"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n3\r\nefg\r\n0\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n3\r\nefg\r\n"});
    const auto where = *parse_server(server.url());
    std::string all;
    const auto whole = send(where, get, [&](std::string_view piece) {
        all += piece;
        return true;
    });
    REQUIRE(whole.has_value());
    CHECK(whole->body.empty());
    CHECK(all == "abcdefg");
    std::string some;
    const auto part = send(where, get, [&](std::string_view piece) {
        some += piece;
        return false;
    });
    CHECK(part.has_value());
    CHECK_THAT(some, Catch::StartsWith("abcd"));
}

TEST_CASE("a reply other than 200 is read whole, also by who wants pieces") {
    ScriptedServer server({reply("400 Bad Request", "", "why")});
    const auto got = send(*parse_server(server.url()), get, [](std::string_view) { return true; });
    REQUIRE(got.has_value());
    CHECK(got->body == "why");
}

TEST_CASE("a connection that ends in the middle is an error") {
    ScriptedServer server({"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", ""});
    const auto where = *parse_server(server.url());
    const auto half = send(where, get);
    REQUIRE(!half);
    CHECK_THAT(half.error().message, Catch::StartsWith("lost the connection to 127.0.0.1:"));
    const auto none = send(where, get);
    REQUIRE(!none);
    CHECK_THAT(none.error().message, Catch::StartsWith("no reply from 127.0.0.1:"));
}

TEST_CASE("nobody listens") {
    std::string url;
    {
        ScriptedServer server({});
        url = server.url();
    }
    const auto got = send(*parse_server(url), get);
    REQUIRE(!got);
    CHECK_THAT(got.error().message, Catch::StartsWith("can't connect to 127.0.0.1:"));
}
