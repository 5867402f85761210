#include "broker/server/http/http_session.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <fstream>
#include <list>
#include <unistd.h>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/counters.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/net/address_table.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/string_connection.hpp"
#include "tests/unit/broker/support.hpp"

using sluice::broker::HttpClient;
using sluice::broker::item;
using sluice::broker::Reply;
using sluice::broker::rss;
using sluice::broker::RunningBroker;

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

TEST_CASE("a crowd of new connections does not delay those that are served already") {
    using sluice::testing::StringConnection;
    boost::asio::io_context io;  // its only thread is the test's
    RunningBroker running;
    sluice::server::Services& services = running.broker.services();
    constexpr std::string_view request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    StringConnection known(io, services);
    known.send(request);
    EVENTUALLY((known.run(), contains(known.output(), "ok\n")));
    CHECK(services.new_connections == 0);
    std::list<StringConnection> crowd;
    for (int i = 0; i < 500; ++i) crowd.emplace_back(io, services).send(request);
    CHECK(services.new_connections == 500);
    const std::size_t before = known.output().size();
    known.send(request);
    EVENTUALLY((known.run(), known.output().size() > before));
    const auto answered = [&] {
        return std::count_if(crowd.begin(), crowd.end(),
                             [](const StringConnection& each) { return !each.output().empty(); });
    };
    CHECK(answered() < 100);
    EVENTUALLY((known.run(), answered() == 500));
    CHECK(services.new_connections == 0);
}

TEST_CASE("many requests in the pipeline do not delay those of other connections") {
    using sluice::testing::StringConnection;
    boost::asio::io_context io;  // its only thread is the test's
    RunningBroker running;
    constexpr std::string_view request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    StringConnection greedy(io, running.broker.services()), modest(io, running.broker.services());
    const auto replies = [](const StringConnection& connection) {
        const std::string& output = connection.output();
        std::size_t n = 0;
        for (std::size_t at = output.find("ok\n"); at != std::string::npos; at = output.find("ok\n", at + 1)) ++n;
        return n;
    };
    constexpr std::size_t many = 500;
    for (std::size_t i = 0; i < many; ++i) greedy.send(request);
    modest.send(request);
    EVENTUALLY((greedy.run(), replies(modest) == 1));
    CHECK(replies(greedy) < many / 2);
    EVENTUALLY((greedy.run(), replies(greedy) == many));
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

TEST_CASE("tokens of a request's head are compared without regard to case, and names by their characters") {
    RunningBroker running;
    const std::string feed = "Content-Type: Application/RSS+XML; Charset=\"UTF-8\"\r\n", end = "\r\n";
    const std::string body = "<rss><channel><item><title>t</title></item></channel></rss>";
    const std::string chunks = "3b\r\n" + body + "\r\n0\r\n\r\n";
    REQUIRE(body.size() == 0x3b);
    const std::string host = " HTTP/1.1\r\nHost: A\r\n", post = "POST /v1/events" + host + feed;
    const std::string length = "Content-Length: 59\r\n";
    struct Case {
        std::string request;
        unsigned status;
    };
    const Case cases[] = {
        {"GET /v1/st%61tus" + host + end, 200},
        {"GET /%76%31/status HTTP/1.2\r\nHost: a\r\n\r\n", 200},
        {"GET /v1%2Fstatus" + host + end, 404},
        {"GET /v1/./status" + host + end, 404},
        {"GET http://a/v1/%73tatus HTTP/1.9\r\nHOST: a\r\n\r\n", 200},
        {"PUT /v1/streams/%6eews" + host + "content-length: 2\r\n\r\n{}", 201},
        {"PUT /v1/streams/a%2Fb" + host + "content-length: 2\r\n\r\n{}", 400},
        {"PUT /v1/streams/p" + host + "content-encoding: Identity\r\ncontent-length: 2\r\n\r\n{}", 201},
        {post + "Transfer-Encoding: Chunked\r\n\r\n" + chunks, 202},
        {post + "TRANSFER-ENCODING:  CHUNKED \r\n\r\n" + chunks, 202},
        {post + length + "Connection: Keep-Alive, Upgrade\r\n\r\n" + body, 202},
        {post + length + "Content-Encoding: IDENTITY\r\n\r\n" + body, 202},
        {"POST /v1/%65vents" + host + feed + length + "Expect: 100-Continue\r\n\r\n" + body, 202},
        {"POST /v1/events" + host + "Content-Type: TEXT/CSV; HEADER=Absent\r\nContent-Length: 3\r\n\r\n1,2", 202},
        {"POST /v1/events" + host + "Content-Type: Application/CloudEvents+XML\r\nContent-Length: 4\r\n\r\n<a/>", 415},
        {"POST /v1/match" + host + "Content-Type: Application/JSON;Charset=UTF-8\r\nContent-Length: 36\r\n\r\n" +
             R"({"filter":"a","document":"<a>1</a>"})",
         200},
    };
    for (const Case& each : cases) {
        CAPTURE(each.request);
        HttpClient client(running.port());
        client.send(each.request);
        CHECK(client.read_reply().status == each.status);
    }
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

TEST_CASE("HTTP/1.0 has no expectations") {
    RunningBroker running;
    const std::string body = rss({item("a")});
    for (const char* expected : {"100-continue", "miracle"}) {
        HttpClient client(running.port());
        client.send("POST /v1/events HTTP/1.0\r\nExpect: " + std::string(expected) + "\r\n" + xml +
                    "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n");
        client.send(body);
        CHECK(client.read_reply().status == 202);
    }
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

TEST_CASE("a silent connection is closed") {
    RunningBroker running({"http.idle_timeout=10ms"});
    HttpClient silent(running.port());
    CHECK(silent.is_closed_by_peer());
    CHECK(running.broker.counters().requests_refused[sluice::broker::RequestRefusal::timed_out] == 0);
}

TEST_CASE("a slow request is told so") {
    RunningBroker running({"http.request_timeout=10ms"});
    for (const char* part :
         {"G", "GET / HTTP/1.1\r\nHost: t\r\n", "POST /v1/events HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\n<",
          "POST /v1/events HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"}) {
        CAPTURE(part);
        HttpClient slow(running.port());
        slow.send(part);
        CHECK(slow.read_reply().status == 408);
        CHECK(slow.is_closed_by_peer());
    }
    CHECK(running.broker.counters().requests_refused[sluice::broker::RequestRefusal::timed_out] == 4);
}

// Beast throws at both, and where it reads by itself no session can catch that.
TEST_CASE("fields and trailers that are too long for Beast are refused") {
    RunningBroker running;
    for (const std::string& request :
         {"GET /healthz HTTP/1.1\r\nHost: t\r\nX: " + std::string(65'536, 'a') + "\r\n\r\n",
          "GET /healthz HTTP/1.1\r\nHost: t\r\n" + std::string(65'536, 'a') + ": x\r\n\r\n",
          "POST /v1/events HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: " +
              std::string(65'536, 'a') + "\r\n\r\n"}) {
        HttpClient client(running.port());
        client.send(request);
        CHECK(client.read_reply().status == 431);
        CHECK(client.is_closed_by_peer());
    }
    HttpClient client(running.port());
    CHECK(client.get("/healthz").status == 200);
}

TEST_CASE("targets in absolute form, OPTIONS * and empty lines before a request are understood") {
    RunningBroker running;
    HttpClient client(running.port());
    client.send("\r\n\r\nGET http://localhost:1/healthz HTTP/1.1\r\nHost: ignored.example\r\n\r\n");
    CHECK(client.read_reply().status == 200);
    client.send("\r\nOPTIONS * HTTP/1.1\r\nHost: t\r\n\r\n");
    const Reply options = client.read_reply();
    CHECK(options.status == 204);
    CHECK(options.headers.at("allow") == "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
    client.send("GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(client.read_reply().status == 421);
    client.send("GET * HTTP/1.1\r\nHost: t\r\n\r\n");
    CHECK(client.read_reply().status == 400);
}

TEST_CASE("requests of foreign pages are refused, those of allowed ones answered") {
    RunningBroker running({"http.allow_origins=[\"https://good.example\"]"});
    HttpClient client(running.port());
    const std::string body = rss({item("a")});
    CHECK(client.post("/v1/events", body, xml + "Origin: https://good.example\r\n").status == 202);
    const auto ask = [&](const std::string& head) {
        client.send(head + "\r\n\r\n");
        return client.read_reply();
    };
    const Reply preflight =
        ask("OPTIONS /v1/events HTTP/1.1\r\nHost: t\r\nOrigin: https://good.example\r\n"
            "Access-Control-Request-Method: POST");
    CHECK(preflight.status == 204);
    CHECK(preflight.headers.at("access-control-allow-origin") == "https://good.example");
    CHECK(preflight.headers.at("access-control-allow-methods") == "POST, GET, HEAD, OPTIONS");
    CHECK(ask("GET /nowhere HTTP/1.1\r\nHost: t\r\nOrigin: https://good.example").headers.at("vary") == "Origin");
    CHECK(ask("GET /healthz HTTP/1.1\r\nHost: t\r\nOrigin: https://evil.example").status == 403);
    CHECK(ask("GET /healthz HTTP/1.1\r\nHost: evil.example").status == 421);
    CHECK(client.post("/v1/events", body, xml + "Origin: null\r\n").status == 403);
    CHECK(running.broker.counters().requests_refused[sluice::broker::RequestRefusal::foreign] == 3);
    HttpClient stream(running.port());
    stream.send("GET /v1/events HTTP/1.1\r\nHost: t\r\nOrigin: https://good.example\r\n\r\n");
    CHECK(stream.read_head().headers.at("access-control-allow-origin") == "https://good.example");
}

TEST_CASE("an address has its share of connections, requests and bytes") {
    RunningBroker running({"limits.address_exempt=[]", "limits.address_connections=2", "limits.address_requests=1",
                           "limits.address_bytes=1000"});
    HttpClient first(running.port());
    CHECK(first.get("/healthz").status == 200);
    CHECK(first.get("/healthz").status == 200);
    {
        // Another connection has made all requests of the next hour.
        const auto now = sluice::server::AddressTable::Clock::now();
        const auto other = running.broker.services().addresses.connect(boost::asio::ip::address_v4::loopback(), now);
        REQUIRE(other);
        while (!other->take_request(now + std::chrono::hours(1))) continue;
        HttpClient third(running.port());
        CHECK(third.read_reply().status == 429);
        CHECK(third.is_closed_by_peer());
    }
    const Reply many = first.get("/healthz");  // the connection goes on
    CHECK(many.status == 429);
    CHECK(std::stoi(many.headers.at("retry-after")) >= 1);
    HttpClient second(running.port());
    second.send("nonsense\r\n\r\n");
    CHECK(second.read_reply().status == 429);
    const auto& counters = running.broker.counters();
    CHECK(counters.requests_refused[sluice::broker::RequestRefusal::address_requests] == 2);
    CHECK(counters.connections_refused[sluice::broker::ConnectionRefusal::address] == 1);
}

TEST_CASE("by default the subscribers of one address leave connections to others") {
    const auto connected = [](const std::vector<std::string>& overrides) {
        RunningBroker running(overrides);
        std::vector<std::unique_ptr<HttpClient>> subscribers;
        for (int i = 0; i < 12; ++i) {
            subscribers.push_back(std::make_unique<HttpClient>(running.port()));
            subscribers.back()->send("GET /v1/events HTTP/1.1\r\nHost: t\r\n\r\n");
            const unsigned status = subscribers.back()->read_head().status;
            if (status != 200) return std::pair(i, status);
        }
        return std::pair(12, 0u);
    };
    CHECK(connected({"limits.address_exempt=[]", "limits.connections=20"}) == std::pair(5, 429u));
    CHECK(connected({"limits.connections=20"}) == std::pair(12, 0u));  // the machine's own addresses are exempt
    CHECK(connected({"limits.address_exempt=[]", "limits.connections=20", "limits.address_connections=0"}) ==
          std::pair(12, 0u));
}

TEST_CASE("bytes of requests that are under way are shared by the connections of an address") {
    RunningBroker running({"limits.address_exempt=[]", "limits.address_bytes=1000"});
    const std::string post = "POST /v1/events HTTP/1.1\r\nHost: t\r\n" + xml;
    {
        HttpClient begun(running.port());
        begun.send(post + "Expect: 100-continue\r\nContent-Length: 600\r\n\r\n");
        begun.read_until("\r\n\r\n");
        HttpClient other(running.port());
        other.send(post + "Content-Length: 401\r\n\r\n");
        CHECK(other.read_reply().status == 429);
        HttpClient chunked(running.port());
        chunked.send(post + "Transfer-Encoding: chunked\r\n\r\n400\r\n" + std::string(0x400, 'x') + "\r\n1\r\n");
        CHECK(chunked.read_reply().status == 413);
        CHECK(running.broker.counters().requests_refused[sluice::broker::RequestRefusal::address_bytes] == 2);
    }
    HttpClient large(running.port());
    large.send(post + "Content-Length: 1001\r\n\r\n");
    CHECK(large.read_reply().status == 413);
    // What is over is given back.
    for (int i = 0; i < 5; ++i) {
        const std::string body = rss({item("a")});
        unsigned status = 429;
        const auto attempt = [&] {  // a refused body ends its connection
            HttpClient client(running.port());
            return status = client.post("/v1/events", body + std::string(900 - body.size(), ' '), xml).status;
        };
        EVENTUALLY(attempt() != 429);
        CHECK(status == 202);
    }
}

TEST_CASE("connections over the limit are turned away, or make those go that wait for a request") {
    RunningBroker running({"limits.connections=2"});
    // A client whose request is answered. It is turned away until the broker has noticed that another one waits, which
    // is a moment after that one has its reply.
    const auto admitted = [&](const std::string& target) {
        std::unique_ptr<HttpClient> client;
        const auto is_in = [&] {
            client = std::make_unique<HttpClient>(running.port());
            try {
                client->send("GET " + target + " HTTP/1.1\r\nHost: t\r\n\r\n");
                return client->read_head().status == 200;
            } catch (const std::exception&) {
                return false;  // the connection was closed before the request came
            }
        };
        EVENTUALLY(is_in());
        return client;
    };
    const auto stream = admitted("/v1/events"), publisher = admitted("/v1/streams"), next = admitted("/v1/streams");
    CHECK(publisher->is_closed_by_peer());
    const auto other_stream = admitted("/v1/events");
    CHECK(next->is_closed_by_peer());
    HttpClient last(running.port());
    CHECK(last.get("/v1/streams").status == 503);
    CHECK(last.is_closed_by_peer());
    // A few more connections are for operators.
    for (const char* target : {"/healthz", "/readyz", "/v1/status"})
        CHECK(HttpClient(running.port()).get(target).status == 200);
    EVENTUALLY(running.broker.services().monitoring_connections == 0);
}

TEST_CASE("operators get answers while the memory is used up") {
    RunningBroker running;
    sluice::base::MemoryBudget& memory = running.broker.services().memory;
    const sluice::base::MemoryCharge all = memory.force_charge(sluice::base::MemoryUse::filters, memory.bytes_max());
    for (int i = 0; i < 100; ++i) {
        for (const char* target : {"/healthz", "/readyz", "/v1/status"})
            REQUIRE(HttpClient(running.port()).get(target).status == 200);
        const auto refused = HttpClient(running.port()).get("/v1/streams");
        REQUIRE(refused.status == 503);
        REQUIRE(refused.body.find("limits.memory") != std::string::npos);
    }
    EVENTUALLY(running.broker.services().monitoring_connections == 0);
}

TEST_CASE("what a long head takes is charged for, and given back") {
    RunningBroker running;
    const auto charged = [&] { return running.broker.services().memory.used(sluice::base::MemoryUse::bodies); };
    HttpClient client(running.port());
    const std::string filter(20'000, 'a');
    client.send("GET /v1/filters?" + filter + filter + " HTTP/1.1\r\nHost: t\r\n");
    EVENTUALLY(charged() >= 40'000);
    client.send("\r\n");
    CHECK(client.read_reply().status == 404);
    HttpClient other(running.port());
    other.send("GET /v1/filters?" + filter + filter);
    EVENTUALLY(charged() >= 80'000);
    other.socket().close();
    EVENTUALLY(charged() <= 80'000);
}

TEST_CASE("a long head is refused where there is no memory for it") {
    RunningBroker running({"limits.memory=64MiB"});
    const auto rest =
        running.broker.services().memory.force_charge(sluice::base::MemoryUse::bodies, std::size_t{64} << 20);
    HttpClient client(running.port());
    client.send("GET /v1/filters?" + std::string(20'000, 'a'));
    CHECK(client.read_reply().status == 503);
}

TEST_CASE("a port that needs a capability is a clear error") {
    int first = 1'024;  // of the ports that need none
    std::ifstream("/proc/sys/net/ipv4/ip_unprivileged_port_start") >> first;
    if (first <= 80 || geteuid() == 0) return;  // this process may listen on it
    CHECK_THROWS_WITH(sluice::broker::Broker(sluice::broker::test_options({"http.port=80"})),
                      Catch::EndsWith("cannot listen on 127.0.0.1 port 80: Permission denied; ports below 1024 need "
                                      "the capability CAP_NET_BIND_SERVICE"));
}

TEST_CASE("a port in use is a clear error") {
    RunningBroker running;
    const std::string port = std::to_string(running.port());
    CHECK_THROWS_WITH(sluice::broker::Broker(sluice::broker::test_options({"http.port=" + port})),
                      Catch::Contains("cannot listen on 127.0.0.1 port " + port) &&
                          Catch::EndsWith("Address already in use; --set http.port= chooses another port"));
    const std::string listener = "http.listeners=[{address: 127.0.0.1, port: " + port + "}]";
    CHECK_THROWS_WITH(sluice::broker::Broker(sluice::broker::test_options({listener})),
                      Catch::EndsWith("Address already in use; choose another port in http.listeners"));
    CHECK_THROWS_WITH(
        sluice::broker::Broker(sluice::broker::test_options({"http.address=203.0.113.1", "http.allow_plaintext=true"})),
        Catch::Contains("cannot listen on 203.0.113.1 port 0"));
}
