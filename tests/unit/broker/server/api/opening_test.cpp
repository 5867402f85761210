#include <catch2/catch.hpp>
#include <string>

#include "broker/server/api/services.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice::broker;

TEST_CASE("until the store is open, only /healthz is answered, and others are told how far it is") {
    Broker broker(test_options());
    broker.services().opened = [] { return 0.428; };
    broker.start();
    const std::string problem = "the store is being opened, 42 % of its log read";
    HttpClient client(broker.port());
    CHECK(client.get("/healthz").status == 200);
    for (const char* target : {"/readyz", "/v1/status", "/v1/events", "/v1/streams", "/v1/streams/s"}) {
        CAPTURE(target);
        const Reply reply = client.get(target);
        CHECK(reply.status == 503);
        CHECK(reply.headers.at("retry-after") == "1");
        CHECK(reply.body.find(problem) != std::string::npos);
    }
    CHECK(client.get("/nowhere").status == 404);
    // A browser that was connected goes on trying, unless it gets an error.
    client.send("GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nLast-Event-ID: abc-7\r\n\r\n");
    const Reply again = client.read_reply();
    CHECK(again.status == 200);
    CHECK(again.headers.at("content-type") == "text/event-stream");
    CHECK(again.body == "retry: 1000\n\n");
    const Reply published = client.post("/v1/events", rss({item("a")}), "Content-Type: application/rss+xml\r\n");
    CHECK(published.status == 503);
    CHECK(published.body.find(problem) != std::string::npos);

    broker.open();
    CHECK(HttpClient(broker.port()).get("/readyz").status == 503);
    broker.serve();
    HttpClient subscriber(broker.port()), publisher(broker.port());
    CHECK(publisher.get("/readyz").body == "ready\n");
    subscribe(subscriber, "");
    CHECK(publisher.post("/v1/events", rss({item("a")}), "Content-Type: application/rss+xml\r\n").status == 202);
    CHECK(subscriber.read_event()->find("id: 1\n") != std::string::npos);
}
