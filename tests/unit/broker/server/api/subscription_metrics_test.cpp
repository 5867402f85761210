// The metrics of durable subscriptions in the status.
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "broker/core/counters.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
using broker::HttpClient;

namespace {

struct Scene {
    broker::RunningBroker running;
    HttpClient client{running.port()};

    void put(const std::string& name, const std::string& options) {
        client.send("PUT /v1/subscriptions/" + name + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                    std::to_string(options.size()) + "\r\n\r\n" + options);
        REQUIRE(client.read_reply().status == 201);
    }
    void erase(const std::string& name) {
        client.send("DELETE /v1/subscriptions/" + name + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
        REQUIRE(client.read_reply().status == 204);
    }
    boost::json::value of(const std::string& target) { return boost::json::parse(client.get(target).body); }
    // Read anew, not a reply that is reused for a while.
    std::int64_t metric(const std::string& name, const std::vector<std::string>& labels) {
        for (const base::MetricReading& reading : running.broker.counters().metrics.read())
            for (const base::MetricSample& sample : reading.samples)
                if (reading.family->name == name && sample.label_values == labels)
                    return std::visit(
                        [](const auto& value) -> std::int64_t {
                            if constexpr (std::is_integral_v<std::decay_t<decltype(value)>>)
                                return static_cast<std::int64_t>(value);
                            else
                                return -1;
                        },
                        sample.value);
        return -1;
    }
    void publish(const std::string& stream, const std::string& title) {
        REQUIRE(client.post("/v1/events?stream=" + stream, broker::rss({broker::item(title)})).status == 202);
    }
};

}  // namespace

TEST_CASE_METHOD(Scene, "the status has each durable subscription with the lag that its own page shows", "[metrics]") {
    put("a", R"({"streams": ["s"]})");
    put("n", R"({"streams": ["news.*"]})");
    publish("s", "1");
    publish("t", "2");
    publish("s", "3");
    CHECK(of("/v1/subscriptions/a/next?max=1&wait=30s").as_array().size() == 1);
    const boost::json::value status = of("/v1/status");
    const boost::json::value& durable = status.at("durable_subscriptions");
    CHECK(durable.at("total").to_number<int>() == 2);
    CHECK(durable.at("unacknowledged").to_number<int>() == 1);
    CHECK(durable.at("lag").at("events").to_number<int>() == 3);
    CHECK(durable.at("lag").at("seconds") == durable.at("subscriptions").at("a").at("lag").at("seconds"));
    CHECK(durable.at("counts").at("delivered").to_number<int>() == 1);
    for (const char* name : {"a", "n"}) {
        const boost::json::value own = of("/v1/subscriptions/" + std::string(name));
        const boost::json::value& shown = durable.at("subscriptions").at(name);
        CHECK(shown.at("lag").at("events").to_number<int>() == own.at("lag").at("events").to_number<int>());
        CHECK(shown.at("unacknowledged").to_number<int>() == own.at("unacknowledged").to_number<int>());
        CHECK(shown.at("counts").at("delivered").to_number<int>() == own.at("counts").at("delivered").to_number<int>());
        CHECK(shown.at("lag").at("seconds").to_number<double>() <= own.at("lag").at("seconds").to_number<double>());
    }
}

TEST_CASE_METHOD(Scene, "beyond 50 durable subscriptions, the others are counted together", "[metrics]") {
    put("behind", R"({"streams": ["s"]})");
    for (int i = 0; i < 52; ++i) put("a" + std::to_string(100 + i), R"({"streams": ["t"]})");
    publish("s", "1");
    publish("t", "2");
    for (int i = 0; i < 52; ++i)
        CHECK(of("/v1/subscriptions/a" + std::to_string(100 + i) + "/next?max=10&wait=30s").as_array().size() == 1);
    CHECK(metric("durable_subscriptions", {}) == 53);
    CHECK(metric("durable_unacknowledged", {}) == 52);
    CHECK(metric("durable_subscription_lag", {"behind"}) == 2);
    CHECK(metric("durable_subscription_lag", {"a148"}) == 1);
    CHECK(metric("durable_subscription_unacknowledged", {"a148"}) == 1);
    CHECK(metric("durable_subscription_lag", {"a149"}) == -1);
    CHECK(metric("durable_subscription_unacknowledged", {"(other)"}) == 3);
    EVENTUALLY(metric("durable_subscription_consumers", {"(other)"}) == 0);
}

TEST_CASE_METHOD(Scene, "totals of durable subscriptions do not fall when these are deleted", "[metrics]") {
    put("a", R"({"streams": ["s"], "ack": "none"})");
    publish("s", "1");
    CHECK(of("/v1/subscriptions/a/next?wait=30s").as_array().size() == 1);
    EVENTUALLY(metric("durable_acknowledgements", {}) == 1);
    erase("a");
    CHECK(metric("durable_subscriptions", {}) == 0);
    CHECK(metric("durable_subscription_deliveries", {"a"}) == -1);
    CHECK(metric("durable_deliveries", {}) == 1);
    CHECK(metric("durable_acknowledgements", {}) == 1);
}

TEST_CASE_METHOD(Scene, "the lag of a durable subscription follows retention, its position and its streams",
                 "[metrics]") {
    put("a", R"({"streams": ["s"]})");
    const auto seconds = [&] { return metric("durable_subscription_lag_seconds", {"a"}); };
    publish("s", "1");
    const std::int64_t first = seconds();
    CHECK(first > 0);
    CHECK(seconds() >= first);  // the same event, older
    CHECK(metric("durable_lag_seconds", {}) >= first);
    CHECK(metric("durable_subscription_lag", {"a"}) == 1);
    client.send("DELETE /v1/streams/s HTTP/1.1\r\nHost: localhost\r\n\r\n");
    REQUIRE(client.read_reply().status == 204);
    CHECK(seconds() == 0);
    CHECK(metric("durable_subscription_lag", {"a"}) == 0);
    publish("t", "2");
    CHECK(metric("durable_subscription_lag", {"a"}) == 0);
    client.send(
        "PATCH /v1/subscriptions/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 18\r\n\r\n{\"streams\": [\"t\"]}");
    REQUIRE(client.read_reply().status == 200);
    CHECK(metric("durable_subscription_lag", {"a"}) == 2);
    CHECK(seconds() > 0);
}
