#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>

#include "tests/support/eventually.hpp"
#include "tests/unit/broker/support.hpp"

TEST_CASE("the status counts what has happened") {
    sluice::RunningBroker running;
    sluice::HttpClient subscriber(running.port());
    sluice::subscribe(subscriber, "?stream=s&filter=a&filter=a");
    sluice::HttpClient client(running.port());
    client.post("/v1/events?stream=s", sluice::rss({sluice::item("a"), sluice::item("b")}), "");
    const auto status = boost::json::parse(client.get("/v1/status").body);
    CHECK(status.at("version").as_string() == "0.1.0");
    CHECK(status.at("state") == "running");
    CHECK(status.at("backend") == "auto");
    CHECK(status.at("engine").at("reason").as_string().starts_with("the CPU matches: "));  // so few on any machine
    CHECK(status.at("engine").at("faults").as_object().empty());
    CHECK(status.at("connections").to_number<int>() == 2);
    CHECK(status.at("subscribers").to_number<int>() == 1);
    CHECK(status.at("subscriptions").at("total").to_number<int>() == 2);
    CHECK(status.at("subscriptions").at("distinct").to_number<int>() == 1);
    CHECK(status.at("counters").at("events").to_number<int>() == 2);
    CHECK(status.at("streams").at("s").at("last_id").to_number<int>() == 2);
    CHECK(status.at("queue").at("events").to_number<int>() >= 0);
    CHECK(status.at("counters").at("scans").to_number<int>() == 0);
    CHECK(status.at("uptime_seconds").is_int64());
}

TEST_CASE("the status tells what operators have done") {
    sluice::RunningBroker running;
    sluice::HttpClient subscriber(running.port());
    sluice::subscribe(subscriber, "?filter=" + sluice::percent_encode("approx-contains(title, 'abc', 1)") +
                                      "&filter=" + sluice::percent_encode("contains(title, 'xab')"));
    sluice::HttpClient client(running.port());
    client.post("/v1/events", sluice::rss({sluice::item("xabd"), sluice::item("b")}), "");
    EVENTUALLY(running.broker.counters().events_matched == 2);
    const auto status = boost::json::parse(client.get("/v1/status").body);
    CHECK(status.at("subscriptions").at("operators").to_number<int>() == 1);
    const auto& done = status.at("operators").at("approx-distance");
    CHECK(done.at("texts").to_number<int>() == 2);
    CHECK(done.at("pairs").to_number<int>() == 2);
    CHECK(done.at("on_device").at("pairs").to_number<int>() == 0);
    CHECK(done.at("holds").to_number<int>() == 1);
    CHECK(done.at("cells").to_number<int>() > 0);
    CHECK(done.at("unreadable").to_number<int>() == 0);
    const auto& contains = status.at("operators").at("contains");
    CHECK(contains.at("texts").to_number<int>() == 2);
    CHECK(contains.at("bytes").to_number<int>() == 5);
    CHECK(contains.at("filter_hits").to_number<int>() >= 1);
    CHECK(contains.at("verified").to_number<int>() >= 1);
    CHECK(contains.at("hits").to_number<int>() == 1);
    CHECK(status.at("operators").at("laminarity").at("pairs").to_number<int>() == 0);
    CHECK(status.at("engine").at("operators").is_object());
}

TEST_CASE("the status tells what scanned filters cost") {
    sluice::RunningBroker running;
    sluice::HttpClient subscriber(running.port());
    sluice::subscribe(subscriber, "?filter=" + sluice::percent_encode("count(title) mod 2 = 1"));
    sluice::HttpClient client(running.port());
    client.post("/v1/events", sluice::rss({sluice::item("a"), sluice::item("b")}), "");
    EVENTUALLY(running.broker.counters().events_matched == 2);
    const auto status = boost::json::parse(client.get("/v1/status").body);
    CHECK(status.at("counters").at("scans").to_number<int>() == 2);
    CHECK(status.at("counters").at("scan_microseconds").is_number());
}
