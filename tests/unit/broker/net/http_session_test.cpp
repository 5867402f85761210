#include "broker/net/http_session.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/broker/support.hpp"

using sluice::HttpClient;
using sluice::item;
using sluice::Reply;
using sluice::rss;
using sluice::RunningBroker;

namespace {

const std::string xml = "Content-Type: application/rss+xml\r\n";

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("requests follow each other on one connection") {
    RunningBroker running;
    HttpClient client(running.port());
    for (int i = 1; i <= 3; ++i) {
        const Reply reply = client.post("/v1/events", rss({item("t" + std::to_string(i))}), xml);
        CHECK(reply.status == 202);
        CHECK(contains(reply.body, "\"last_id\":" + std::to_string(i)));
    }
    CHECK(client.get("/healthz").body == "ok\n");
    CHECK(client.get("/readyz").status == 200);
    CHECK(running.broker.counters().connections_accepted == 1);
}

TEST_CASE("pipelined requests are answered in order") {
    RunningBroker running;
    HttpClient client(running.port());
    std::string requests;
    for (int i = 0; i < 50; ++i) {
        const std::string body = rss({item("t" + std::to_string(i))});
        requests += "POST /v1/events HTTP/1.1\r\nHost: t\r\n" + xml + "Content-Length: " + std::to_string(body.size()) +
                    "\r\n\r\n" + body;
        requests += "GET /nowhere HTTP/1.1\r\nHost: t\r\n\r\n";
    }
    client.send(requests);
    for (int i = 1; i <= 50; ++i) {
        CHECK(contains(client.read_reply().body, "\"first_id\":" + std::to_string(i) + ","));
        CHECK(client.read_reply().status == 404);
    }
}

TEST_CASE("a request may arrive byte by byte, and its body in chunks") {
    RunningBroker running;
    HttpClient client(running.port());
    const std::string body = rss({item("a")});
    const std::string request = "POST /v1/events HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n" + xml +
                                "\r\n5\r\n" + body.substr(0, 5) + "\r\n" + "FF;x=y\r\n";
    for (const char c : request.substr(0, request.find("FF;"))) client.send(std::string(1, c));
    client.send("4;x=y\r\n" + body.substr(5, 4) + "\r\n");
    char size[16];
    std::snprintf(size, sizeof size, "%zx\r\n", body.size() - 9);
    client.send(size + body.substr(9) + "\r\n0\r\n\r\n");
    CHECK(client.read_reply().status == 202);
    CHECK(client.get("/healthz").status == 200);
}

TEST_CASE("HEAD answers as GET without the body, OPTIONS with what there is") {
    RunningBroker running;
    HttpClient client(running.port());
    client.send("HEAD /healthz HTTP/1.1\r\nHost: t\r\n\r\n");
    const Reply head = client.read_reply(true);
    CHECK(head.status == 200);
    CHECK(head.headers.at("content-length") == "3");
    client.send("OPTIONS /v1/events HTTP/1.1\r\nHost: t\r\n\r\n");
    const Reply options = client.read_reply();
    CHECK(options.status == 204);
    CHECK(options.headers.at("allow") == "POST, GET, HEAD, OPTIONS");
    client.send("HEAD /v1/events HTTP/1.1\r\nHost: t\r\n\r\n");
    CHECK(client.read_reply(true).headers.at("content-type") == "text/event-stream");
}

TEST_CASE("what is not served is refused, and the connection goes on") {
    RunningBroker running;
    HttpClient client(running.port());
    const Reply missing = client.get("/nowhere");
    CHECK(missing.status == 404);
    CHECK(missing.headers.at("content-type") == "application/problem+json");
    CHECK(missing.body ==
          R"({"type":"about:blank","title":"Not Found","status":404,"detail":"no such path: /nowhere"})");
    client.send("DELETE /v1/status HTTP/1.1\r\nHost: t\r\n\r\n");
    const Reply method = client.read_reply();
    CHECK(method.status == 405);
    CHECK(method.headers.at("allow") == "GET, HEAD, OPTIONS");
    client.send("POST /v1/events HTTP/1.1\r\nHost: t\r\n\r\n");
    CHECK(client.read_reply().status == 411);
    CHECK(client.post("/v1/match", "{}", "Content-Type: text/plain\r\n").status == 415);
    CHECK(client.get("/v1/events?filter=%zz").status == 400);
}

TEST_CASE("a malformed request is refused and the connection closed") {
    RunningBroker running;
    struct Case {
        std::string request;
        unsigned status;
    };
    const std::vector<Case> cases{
        {"nonsense\r\n\r\n", 400},
        {"GET / HTTP/3.0\r\n\r\n", 505},
        {"GET /healthz HTTP/1.1\r\n\r\n", 400},
        {"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
        {"GET /healthz HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n", 400},
        {"POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 400},
        {"POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         400},
        {"POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", 400},
        {"POST /v1/events HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
        {"POST /v1/events HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501},
        {"POST /v1/events HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        {"POST /v1/events HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
        {"POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: miracle\r\n\r\n", 417},
        {"GET /" + std::string(400'000, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n", 431},
    };
    for (const Case& each : cases) {
        CAPTURE(each.request.substr(0, 200));
        HttpClient client(running.port());
        client.send(each.request);
        const Reply reply = client.read_reply();
        CHECK(reply.status == each.status);
        if (reply.headers.count("connection") != 0) {
            CHECK(reply.headers.at("connection") == "close");
            CHECK(client.is_closed_by_peer());
        }
    }
}

TEST_CASE("a body whose length can't be known is not taken for the next request") {
    RunningBroker running;
    for (const std::string head : {"HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n",
                                   "HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n",
                                   "HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
        CAPTURE(head);
        HttpClient client(running.port());
        client.send("POST /v1/events " + head + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
        CHECK(client.read_reply().headers.at("connection") == "close");
        CHECK(client.is_closed_by_peer());
    }
    CHECK(running.broker.counters().requests == 3);
}

TEST_CASE("a body that is announced too large is refused before it is sent") {
    RunningBroker running({"limits.document_bytes=1KiB"});
    for (const char* fields : {"", "Expect: 100-continue\r\n"}) {
        HttpClient client(running.port());
        client.send("POST /v1/events HTTP/1.1\r\nHost: t\r\n" + std::string(fields) +
                    "Content-Length: 1073741824\r\n\r\n");
        const Reply reply = client.read_reply();
        CHECK(reply.status == 413);
        CHECK(contains(reply.body, "at most 1024 bytes"));
        CHECK(client.is_closed_by_peer());
    }
    HttpClient client(running.port());
    client.send("POST /v1/events HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n10000\r\n" +
                std::string(0x10000, 'x'));
    CHECK(client.read_reply().status == 413);
}

TEST_CASE("100-continue is sent when the body is wanted") {
    RunningBroker running;
    HttpClient client(running.port());
    const std::string body = rss({item("a")});
    client.send("POST /v1/events HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\n" + xml +
                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n");
    CHECK(client.read_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
    client.send(body);
    CHECK(client.read_reply().status == 202);
}

TEST_CASE("HTTP/1.0 and Connection: close end the connection") {
    RunningBroker running;
    for (const char* request :
         {"GET /healthz HTTP/1.0\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n"}) {
        HttpClient client(running.port());
        client.send(request);
        CHECK(client.read_reply().headers.at("connection") == "close");
        CHECK(client.is_closed_by_peer());
    }
    HttpClient client(running.port());
    client.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    CHECK(client.read_reply().headers.at("connection") == "keep-alive");
    CHECK(client.get("/healthz").status == 200);
}

TEST_CASE("a silent or slow connection is closed") {
    RunningBroker running({"http.idle_timeout=40ms", "http.request_timeout=40ms"});
    HttpClient silent(running.port());
    CHECK(silent.is_closed_by_peer());
    HttpClient half(running.port());
    half.send("POST /v1/events HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\n<");
    CHECK(half.is_closed_by_peer());
}

TEST_CASE("connections over the limit are turned away") {
    RunningBroker running({"limits.connections=1"});
    HttpClient first(running.port());
    CHECK(first.get("/healthz").status == 200);
    HttpClient second(running.port());
    CHECK(second.read_reply().status == 503);
    CHECK(second.is_closed_by_peer());
    CHECK(first.get("/healthz").status == 200);
}

TEST_CASE("a port in use is a clear error") {
    RunningBroker running;
    const std::string port = std::to_string(running.port());
    CHECK_THROWS_WITH(sluice::Broker(sluice::test_options({"http.port=" + port})),
                      Catch::Contains("cannot listen on 127.0.0.1 port " + port) &&
                          Catch::Contains("Address already in use") && !Catch::Contains("/boost/"));
    CHECK_THROWS_WITH(sluice::Broker(sluice::test_options({"http.address=203.0.113.1"})),
                      Catch::Contains("cannot listen on 203.0.113.1 port 0"));
}
