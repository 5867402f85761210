#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>
#include <future>
#include <thread>

#include "broker/base/workers.hpp"
#include "broker/server/api/services.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/support.hpp"

using sluice::broker::HttpClient;
using sluice::broker::item;
using sluice::broker::Reply;
using sluice::broker::rss;
using sluice::broker::RunningBroker;

namespace {

const std::string xml = "Content-Type: application/rss+xml\r\n";

struct Fixture {
    explicit Fixture(std::vector<std::string> overrides = {}) : running(std::move(overrides)), client(running.port()) {}

    Reply request(const std::string& method, const std::string& target, const std::string& body = "") {
        std::string text = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n";
        if (method == "PUT" || method == "PATCH") text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
        client.send(text + "\r\n" + body);
        return client.read_reply();
    }
    boost::json::object json(const Reply& reply) { return boost::json::parse(reply.body).as_object(); }

    RunningBroker running;
    HttpClient client;
};

}  // namespace

TEST_CASE("streams are defined, shown, changed and deleted") {
    Fixture f;
    CHECK(f.request("GET", "/v1/streams/news").status == 404);
    CHECK(f.request("PATCH", "/v1/streams/news", "{}").status == 404);
    const Reply made = f.request("PUT", "/v1/streams/news", R"({"id_path": "@id", "deduplication_window": "1d"})");
    CHECK(made.status == 201);
    CHECK(f.json(made).at("name") == "news");
    CHECK(f.json(made).at("options").at("id_path") == "@id");
    CHECK(f.json(made).at("options").at("deduplication_window") == "1d");
    CHECK(f.json(made).at("last_id") == 0);

    CHECK(f.client.post("/v1/events?stream=news", rss({item("a"), item("b"), item("c")}), xml).status == 202);
    const auto shown = f.json(f.request("GET", "/v1/streams/news"));
    CHECK(shown.at("last_id") == 3);
    CHECK(shown.at("items") == 3);

    const Reply changed = f.request("PATCH", "/v1/streams/news", R"({"deduplicate": false})");
    CHECK(changed.status == 200);
    CHECK(f.json(changed).at("options").at("id_path") == "@id");
    CHECK(f.client.post("/v1/events?stream=news", rss({item("a")}), xml).body.find("\"new\":1") != std::string::npos);

    const auto reset = f.json(f.request("PATCH", "/v1/streams/news", R"({"deduplication_window": null})"));
    CHECK(reset.at("options").at("deduplication_window") == "90d");
    CHECK(reset.at("options").at("id_path") == "@id");
    CHECK(f.json(f.request("PATCH", "/v1/streams/news", R"({"deduplicate": null})")).at("options").at("deduplicate") ==
          true);
    CHECK(f.request("PATCH", "/v1/streams/news", R"({"nonsense": null})").status == 400);
    CHECK(f.request("PATCH", "/v1/streams/news", R"({"deduplicate": false})").status == 200);

    const Reply replaced = f.request("PUT", "/v1/streams/news", "{}");
    CHECK(replaced.status == 200);
    CHECK(f.json(replaced).at("options").at("id_path") == "");

    CHECK(f.json(f.request("GET", "/v1/streams")).at("streams").as_array().size() == 1);
    CHECK(f.request("DELETE", "/v1/streams/news").status == 204);
    CHECK(f.request("DELETE", "/v1/streams/news").status == 404);
    CHECK(f.client.post("/v1/events?stream=news", rss({item("a")}), xml).body.find("\"first_id\":5") !=
          std::string::npos);
}

TEST_CASE("a stream's options that are none are refused with their place, and change nothing") {
    Fixture f;
    CHECK(f.request("PUT", "/v1/streams/s", R"({"id_path": "@id"})").status == 201);
    const std::string long_path = R"({"event_path": ")" + std::string(1'024, 'a') + R"(b"})";
    const std::pair<std::string, const char*> bad[] = {
        {R"({"repare": {}})", "repare"},
        {R"({"deduplicate": false, "deduplication_window": 5})", "5 has no unit"},
        {R"({"repair": "maybe"})", "repair"},
        {R"({"event_path": "//["})", "at character"},
        {R"({"event_path": "//a | //b/@c"})", "selects attributes"},
        {R"({"event_path": "/"})", "selects the document"},
        {R"({"event_path": "(//text())[1]"})", "selects texts"},
        {R"([1])", "expected an object of options"},
        {R"({)", "body:1"},
        {long_path, "longer than 1024 bytes"},
    };
    for (const auto& [body, reason] : bad) {
        const Reply reply = f.request("PATCH", "/v1/streams/s", body);
        CHECK(reply.status == 400);
        INFO(reply.body);
        CHECK(reply.body.find(reason) != std::string::npos);
    }
    const auto options = f.json(f.request("GET", "/v1/streams/s")).at("options");
    CHECK(options.at("id_path") == "@id");
    CHECK(options.at("repair") == "lenient");
    CHECK(f.json(f.request("PATCH", "/v1/streams/s", R"({"repair": "strict"})")).at("options").at("repair") ==
          "strict");
    CHECK(f.json(f.request("PATCH", "/v1/streams/s", R"({"repair": null})")).at("options").at("repair") == "lenient");
    CHECK(options.at("deduplicate") == true);
    CHECK(f.request("PUT", "/v1/streams/%20", "{}").status == 400);
    CHECK(f.request("PUT", "/v1/streams/" + std::string(129, 'a'), "{}").status == 400);
    CHECK(f.request("GET", "/v1/streams/").status == 404);
    CHECK(f.request("GET", "/v1/streams/a/b").status == 404);
    CHECK(f.request("GET", "/v1/streams?x=1").status == 400);
    const Reply wrong = f.request("POST", "/v1/streams/s");
    CHECK(wrong.status == 405);
    CHECK(wrong.headers.at("allow") == "GET, HEAD, PUT, PATCH, DELETE, OPTIONS");
}

TEST_CASE("Streams: retention and context → in the options as they are read, and what is kept follows") {
    Fixture f({"store.retention={events: 3}"});
    const Reply made = f.request("PUT", "/v1/streams/s", R"({"retention": {"bytes": 1048576}, "context": "document"})");
    const auto options = f.json(made).at("options");
    CHECK(boost::json::serialize(options.at("retention")) == R"({"age":"7d","events":3,"bytes":"1MiB"})");
    CHECK(options.at("context") == "document");
    CHECK(boost::json::serialize(f.json(made).at("retained")) ==
          R"({"first_id":null,"last_id":null,"events":0,"bytes":0,"oldest":null})");
    CHECK(f.request("PUT", "/v1/streams/s", boost::json::serialize(options)).status == 200);

    f.client.post("/v1/events?stream=s", rss({item("a"), item("b"), item("c"), item("d")}), xml);
    const auto kept = f.json(f.request("GET", "/v1/streams/s")).at("retained");
    CHECK(kept.at("first_id") == 2);
    CHECK(kept.at("last_id") == 4);
    CHECK(kept.at("events") == 3);
    CHECK(kept.at("bytes").to_number<int>() > 0);
    CHECK(kept.at("oldest").as_string().ends_with('Z'));
    const auto changed = f.json(f.request("PATCH", "/v1/streams/s", R"({"retention": {"events": 1, "bytes": null}})"));
    CHECK(boost::json::serialize(changed.at("options").at("retention")) == R"({"age":"7d","events":1,"bytes":"0B"})");
    CHECK(changed.at("options").at("context") == "document");
    CHECK(changed.at("retained").at("first_id") == 4);
    const auto reset = f.json(f.request("PATCH", "/v1/streams/s", R"({"retention": null, "context": null})"));
    CHECK(boost::json::serialize(reset.at("options").at("retention")) == R"({"age":"7d","events":3,"bytes":"0B"})");
    CHECK(reset.at("options").at("context") == "auto");

    const std::pair<std::string, const char*> bad[] = {
        {R"({"retention": {"age": 3}})", "retention.age: 3 has no unit"},
        {R"({"retention": {"age": "36501d"}})", "retention.age: 36501d is not between"},
        {R"({"retention": {"events": -1}})", "retention.events: -1 is not between 0 and"},
        {R"({"retention": {"bytes": "1MB"}})", "retention.bytes: expected a size"},
        {R"({"retention": {"days": 3}})", "unknown option \"days\" in \"retention\""},
        {R"({"retention": "7d"})", "retention: expected a map of options"},
        {R"({"context": "item"})", "context: expected one of auto, document"},
    };
    for (const auto& [body, reason] : bad) {
        const Reply reply = f.request("PATCH", "/v1/streams/s", body);
        CHECK(reply.status == 400);
        CHECK(std::string(f.json(reply).at("detail").as_string()).find(reason) != std::string::npos);
    }
    CHECK(f.request("DELETE", "/v1/streams/s").status == 204);
    CHECK(f.json(f.request("GET", "/v1/status")).at("log").at("retained").at("events") == 0);
}

TEST_CASE("streams are listed a hundred at a time") {
    Fixture f;
    for (int i = 0; i < 101; ++i)
        f.client.post("/v1/events?stream=s" + std::to_string(10'000 + i), rss({item("a")}), xml);
    const auto first = f.json(f.request("GET", "/v1/streams"));
    CHECK(first.at("streams").as_array().size() == 100);
    CHECK(first.at("total") == 101);
    REQUIRE(first.at("next") == "/v1/streams?after=s10099");
    const auto second = f.json(f.request("GET", "/v1/streams?after=s10099"));
    CHECK(second.at("streams").as_array().size() == 1);
    CHECK_FALSE(second.contains("next"));
}

TEST_CASE("the options of many keys in a long body are parsed by a worker, while its I/O thread serves others") {
    Fixture f({"io.threads=1"});
    auto& workers = f.running.broker.services().workers;
    std::promise<void> go_on;
    const auto waits = go_on.get_future().share();
    std::atomic<std::size_t> busy = 0;
    const std::size_t threads = std::max(1u, std::thread::hardware_concurrency() / 2);
    for (std::size_t i = 0; i < threads; ++i) {
        const auto wait = [&busy, waits] {
            ++busy;
            waits.wait();
        };
        REQUIRE(workers.post(nullptr, wait));
    }
    EVENTUALLY(busy == threads);
    std::string body = "{";
    for (int i = 10'000; body.size() < 60'000; ++i) body += std::to_string(i) + ",";
    body += "}";
    f.client.send("PUT /v1/streams/s HTTP/1.1\r\nHost: t\r\nContent-Length: " + std::to_string(body.size()) +
                  "\r\n\r\n" + body);
    EVENTUALLY(workers.waiting() == 1);
    HttpClient other(f.running.port());
    CHECK(other.get("/v1/streams/s").status == 404);
    go_on.set_value();
    CHECK(f.client.read_reply().status == 400);
}
