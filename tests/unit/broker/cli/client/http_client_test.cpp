#include "broker/cli/client/http_client.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/broker/cli/scripted_server.hpp"

using namespace sluice::cli;
using test::ClosedPort;
using test::reply;
using test::ScriptedServer;
using test::then_silence;

namespace {

const HttpRequest get{};

HttpServer at(const std::string& url) {
    HttpServer server;
    static_cast<ServerUrl&>(server) = *parse_server_url(url);
    return server;
}
HttpServer at(const ScriptedServer& server) { return at(server.url()); }

// To take the body of a reply.
HttpWatch pieces(std::function<bool(std::string_view)> take) {
    HttpWatch watch;
    watch.piece = std::move(take);
    return watch;
}

}  // namespace

TEST_CASE("a request carries its body and type, a reply its status and body") {
    ScriptedServer server({reply("503 Service Unavailable", "Content-Type: a/b\r\nRetry-After: 7\r\n", "later")});
    const auto got = send(
        at(server),
        {.method = "POST", .target = "/v1/events?stream=a%20b", .content_type = "application/xml", .body = "<rss/>"});
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
    const auto where = at(server);
    std::string all;
    const auto whole = send(where, get, pieces([&](std::string_view piece) {
                                all += piece;
                                return true;
                            }));
    REQUIRE(whole.has_value());
    CHECK(whole->body.empty());
    CHECK(all == "abcdefg");
    std::string some;
    const auto part = send(where, get, pieces([&](std::string_view piece) {
                               some += piece;
                               return false;
                           }));
    CHECK(part.has_value());
    CHECK_THAT(some, Catch::StartsWith("abcd"));
}

TEST_CASE("a reply other than 200 is read whole, also by who wants pieces") {
    ScriptedServer server({reply("400 Bad Request", "", "why")});
    const auto got = send(at(server), get, pieces([](std::string_view) { return true; }));
    REQUIRE(got.has_value());
    CHECK(got->body == "why");
}

TEST_CASE("a connection that ends in the middle is an error") {
    ScriptedServer server({"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", ""});
    const auto where = at(server);
    const auto half = send(where, get);
    REQUIRE(!half);
    CHECK_THAT(half.error().message, Catch::StartsWith("lost the connection to 127.0.0.1:") &&
                                         Catch::EndsWith(": it was closed in the middle of the reply"));
    const auto none = send(where, get);
    REQUIRE(!none);
    CHECK_THAT(none.error().message,
               Catch::StartsWith("no reply from 127.0.0.1:") && Catch::EndsWith(": the connection was closed"));
}

TEST_CASE("nobody listens") {
    const ClosedPort port;
    const auto got = send(at(port.url()), get);
    REQUIRE(!got);
    CHECK_THAT(got.error().message, Catch::StartsWith("can't connect to 127.0.0.1:"));
}

TEST_CASE("a server that does not reply is given up") {
    ScriptedServer server({then_silence("")});
    auto where = at(server);
    where.silence_max = std::chrono::milliseconds(20);
    const auto none = send(where, get);
    REQUIRE(!none);
    CHECK(none.error().message == "no reply from " + where.authority + " for 0.02 s");
}

TEST_CASE("a server that stops in the middle of its reply is given up, after a time that the head may change") {
    ScriptedServer server({then_silence("HTTP/1.1 200 OK\r\nSluice-Heartbeat: 0.5\r\nContent-Length: 10\r\n\r\nhalf")});
    const auto where = at(server);
    HttpWatch watch;
    double heartbeat = 0;
    watch.head = [&](const HttpReply& reply) {
        heartbeat = reply.heartbeat_seconds.value_or(0);
        return std::chrono::milliseconds(10);
    };
    const auto got = send(where, get, watch);
    REQUIRE(!got);
    CHECK(heartbeat == 0.5);
    CHECK(got.error().message == "no sign of " + where.authority + " for 0.01 s");
}

TEST_CASE("what is not HTTP is said to be something else") {
    ScriptedServer server({"SSH-2.0-OpenSSH_9.2\r\n"});
    const auto got = send(at(server), get);
    REQUIRE(!got);
    CHECK(got.error().message == "the reply of " + at(server).authority + " is not HTTP");
}

TEST_CASE("a path is kept before the target, and interim replies are passed over") {
    ScriptedServer server({"HTTP/1.1 103 Early Hints\r\nContent-Type: a/b\r\n\r\n" + reply("200 OK", "", "yes")});
    const auto got = send(at(server.url() + "/news/broker/"), {.target = "/v1/status"});
    REQUIRE(got.has_value());
    CHECK(got->status == 200);
    CHECK(got->content_type.empty());
    CHECK_THAT(server.requests().at(0), Catch::StartsWith("GET /news/broker/v1/status HTTP/1.1\r\n"));
}

TEST_CASE("progress of a long body is told") {
    ScriptedServer server({reply("202 Accepted", "", "{}")});
    const std::string body(3u << 20, 'x');
    std::size_t sent = 0;
    HttpWatch watch;
    watch.sent = [&](std::size_t bytes) { sent = bytes; };
    REQUIRE(send(at(server), {.method = "POST", .content_type = "a/b", .body = body}, watch).has_value());
    CHECK(sent == body.size());
}

TEST_CASE("what a receiver throws comes out of the request") {
    ScriptedServer server({reply("200 OK", "", "x")});
    const auto thrower = pieces([](std::string_view) -> bool { throw std::bad_alloc(); });
    CHECK_THROWS_AS(send(at(server), get, thrower), std::bad_alloc);
}
