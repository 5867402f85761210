// Publishing what is no feed: what is refused of it, what is the same when it is posted again, and retries.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>

#include "broker/core/counters.hpp"
#include "broker/core/ingest/idempotency.hpp"
#include "broker/server/api/idempotent_publish.hpp"
#include "broker/server/api/services.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice::broker;
namespace json = boost::json;

namespace {

json::object publish(HttpClient& client, const std::string& type, const std::string& body,
                     const std::string& query = "", const std::string& fields = "") {
    const Reply reply = client.post("/v1/events" + query, body, "Content-Type: " + type + "\r\n" + fields);
    CAPTURE(reply.body);
    REQUIRE(reply.status == 202);
    return json::parse(reply.body).as_object();
}

// "new/updated/unchanged"
std::string counts(const json::object& reply) {
    return json::serialize(reply.at("new")) + "/" + json::serialize(reply.at("updated")) + "/" +
           json::serialize(reply.at("unchanged"));
}

const std::string cloud_event = R"({"specversion":"1.0","id":"1","source":"/s","type":"t","data":1})";

}  // namespace

TEST_CASE("the reply tells which items were refused, and why") {
    RunningBroker running;
    HttpClient client(running.port());
    const json::object reply = publish(client, "application/x-ndjson", "{\"a\":1}\n{\"a\":\n{\"a\":2}\n7\n");
    CHECK(reply.at("received") == 2);
    CHECK(reply.at("new") == 2);
    CHECK(reply.at("refused") == 2);
    const json::array& refusals = reply.at("refusals").as_array();
    REQUIRE(refusals.size() == 2);
    CHECK(refusals[0].at("index") == 1);
    CHECK(refusals[0].at("line") == 2);
    CHECK(refusals[0].at("column") == 6);
    CHECK(refusals[0].at("offset") == 13);
    CHECK(refusals[1].at("reason") == "an event is a JSON object");
    CHECK(running.broker.counters().items_refused == 2);
    CHECK(!publish(client, "application/json", "[{},{}]").contains("refused"));
    CHECK(client.post("/v1/events", "7\n8\n", "Content-Type: application/x-ndjson\r\n").status == 400);
    const Reply other = client.post("/v1/events", "x", "Content-Type: text/html\r\n");
    CHECK(other.status == 415);
    CHECK(other.headers.at("accept-post").find("application/x-ndjson") != std::string::npos);
}

TEST_CASE("equal readings are two events, unless their stream declares what identifies them") {
    RunningBroker running({"streams={w: {id_path: s/id}}"});
    HttpClient client(running.port());
    const std::string reading = R"({"s":{"id":7},"temp":3})", other = R"({"s":{"id":7},"temp":4})";
    for (const char* type : {"application/json", "application/x-ndjson"}) {
        CHECK(counts(publish(client, type, reading)) == "1/0/0");
        CHECK(counts(publish(client, type, reading)) == "1/0/0");
    }
    CHECK(counts(publish(client, "application/x-ndjson", reading + "\n" + reading)) == "2/0/0");
    CHECK(counts(publish(client, "text/csv", "id\n1\n1\n")) == "2/0/0");
    CHECK(counts(publish(client, "application/json", reading, "?stream=w")) == "1/0/0");
    CHECK(counts(publish(client, "application/json", reading, "?stream=w")) == "0/0/1");
    CHECK(counts(publish(client, "application/json", other, "?stream=w")) == "0/1/0");
    CHECK(counts(publish(client, "application/json", "[{}," + other + ",{}]", "?stream=w")) == "2/0/1");
    CHECK(counts(publish(client, "application/json", "[{},{}]", "?stream=w")) == "2/0/0");
    CHECK(counts(publish(client, "application/json", other, "?stream=w&deduplicate=false")) == "1/0/0");
}

TEST_CASE("CloudEvents in their three forms are the same by source and id") {
    RunningBroker running;
    HttpClient client(running.port());
    CHECK(counts(publish(client, "application/cloudevents+json", cloud_event)) == "1/0/0");
    CHECK(counts(publish(client, "application/cloudevents-batch+json", "[" + cloud_event + "]")) == "0/0/1");
    const std::string headers = "ce-specversion: 1.0\r\nCE-ID: 1\r\nce-source: %2Fs\r\nce-type: t\r\n";
    CHECK(counts(publish(client, "application/json", "{\"temp\":1}", "", headers)) == "0/0/1");
    CHECK(counts(publish(client, "application/json", "{\"temp\":1}", "", headers + "ce-x: 1\r\n")) == "0/0/1");
    const std::string another = "ce-specversion: 1.0\r\nce-id: 2\r\nce-source: /s\r\nce-type: t\r\n";
    CHECK(counts(publish(client, "text/html", "<p>", "", another)) == "1/0/0");
    const Reply bad = client.post("/v1/events", "{\n}}", "Content-Type: application/json\r\n" + another);
    CHECK(bad.status == 400);
    CHECK(bad.body.find("\"line\":2,\"column\":2") != std::string::npos);
    CHECK(client.post("/v1/events", "{}", "Content-Type: application/json\r\nce-id: 1\r\n").status == 400);
}

TEST_CASE("a retry with the same Idempotency-Key gets the first reply again") {
    RunningBroker running;
    HttpClient client(running.port());
    const std::string type = "application/json", key = "Idempotency-Key: \"k-1\"\r\n";
    const json::object first = publish(client, type, "{}", "?stream=s", key);
    CHECK(publish(client, type, "{}", "?stream=s", key) == first);
    CHECK(publish(client, type, "{}", "?stream=s", "Idempotency-Key: k-1\r\n") == first);
    CHECK(running.broker.counters().events == 1);
    const auto status = [&](const std::string& body, const std::string& fields,
                            const std::string& query = "?stream=s") {
        return client.post("/v1/events" + query, body, "Content-Type: " + type + "\r\n" + fields).status;
    };
    CHECK(status("{ }", key) == 422);
    CHECK(status("{}", key, "?stream=s&deduplicate=false") == 422);
    CHECK(status("{}", key, "?stream=t") == 202);
    CHECK(status("{}", "Idempotency-Key: k-2\r\n") == 202);
    CHECK(running.broker.counters().events == 3);
    CHECK(status("{}", "Idempotency-Key: \r\n") == 400);
    CHECK(status("{}", "Idempotency-Key: a b\r\n") == 400);
    CHECK(status("{}", "Idempotency-Key: " + std::string(256, 'k') + "\r\n") == 400);
    CHECK(status("{}", key + "Idempotency-Key: k-2\r\n") == 400);
}

TEST_CASE("while a publication runs, another with its Idempotency-Key gets 409") {
    RunningBroker running;
    HttpClient client(running.port());
    sluice::server::HeadFields headers;
    headers.set("Content-Type", "application/json");
    sluice::server::HttpRequest same;
    same.headers = &headers;
    same.query = {{"stream", "s"}};
    same.body = "{}";
    auto& keys = *running.broker.services().idempotency_keys;
    auto first = keys.begin("s\naddress 127.0.0.1", "k", sluice::server::request_digest(same));
    const auto retry = [&] {
        return client.post("/v1/events?stream=s", "{}", "Content-Type: application/json\r\nIdempotency-Key: k\r\n");
    };
    const Reply early = retry();
    CHECK(early.status == 409);
    CHECK(early.headers.at("retry-after") == "1");
    first.claim.keep("the first reply");
    CHECK(retry().body == "the first reply");
    CHECK(running.broker.counters().events == 0);
}

TEST_CASE("a publication that failed leaves its Idempotency-Key free, and a large one is compared, too") {
    RunningBroker running;
    HttpClient client(running.port());
    const std::string key = "Idempotency-Key: k\r\n";
    CHECK(client.post("/v1/events", "{", "Content-Type: application/json\r\n" + key).status == 400);
    CHECK(client.post("/v1/events?stream=a%20b", "{}", "Content-Type: application/json\r\n" + key).status == 400);
    const std::string large = "{\"a\":\"" + std::string(100'000, 'x') + "\"}";
    const json::object first = publish(client, "application/json", large, "", key);
    CHECK(publish(client, "application/json", large, "", key) == first);
    CHECK(client.post("/v1/events", large + " ", "Content-Type: application/json\r\n" + key).status == 422);
}
