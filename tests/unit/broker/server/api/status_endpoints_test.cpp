#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>

#include "broker/core/counters.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/support.hpp"

TEST_CASE("the status counts what has happened") {
    sluice::broker::RunningBroker running;
    sluice::broker::HttpClient subscriber(running.port());
    sluice::broker::subscribe(subscriber, "?stream=s&filter=a&filter=a");
    sluice::broker::HttpClient client(running.port());
    client.post("/v1/events?stream=s", sluice::broker::rss({sluice::broker::item("a"), sluice::broker::item("b")}), "");
    const auto status = boost::json::parse(client.get("/v1/status").body);
    CHECK(status.at("version").as_string() == "0.1.0");
    CHECK(status.at("state") == "running");
    CHECK(status.at("backend") == "auto");
    CHECK(status.at("engine").at("reason").as_string().starts_with("the CPU matches: "));  // on any machine, for so few
    CHECK(status.at("engine").at("faults").as_object().empty());
    CHECK(status.at("connections").to_number<int>() == 2);
    CHECK(status.at("subscribers").to_number<int>() == 1);
    CHECK(status.at("subscriptions").at("total").to_number<int>() == 2);
    CHECK(status.at("subscriptions").at("distinct").to_number<int>() == 1);
    CHECK(status.at("counters").at("events").to_number<int>() == 2);
    CHECK(status.at("streams").at("s").at("last_id").to_number<int>() == 2);
    CHECK(status.at("streams").at("s").at("retained").at("first_id").to_number<int>() == 1);
    CHECK(status.at("log").at("epoch").as_string().size() == 11);
    CHECK(status.at("log").at("state") == "open");
    CHECK_FALSE(status.at("log").as_object().contains("reason"));
    CHECK(status.at("log").at("durability") == "memory");
    CHECK(status.at("log").at("damage").as_array().empty());
    CHECK(status.at("log").at("retained").at("events").to_number<int>() == 2);
    CHECK(status.at("log").at("retained").at("bytes").to_number<int>() > 0);
    CHECK(status.at("log").at("retained").at("oldest").as_string().ends_with('Z'));
    CHECK(status.at("queue").at("events").to_number<int>() >= 0);
    CHECK(status.at("counters").at("scans").to_number<int>() == 0);
    CHECK(status.at("uptime_seconds").is_int64());
}

TEST_CASE("the status tells how large batches are, and what matching them took") {
    sluice::broker::RunningBroker running;
    sluice::broker::HttpClient client(running.port());
    client.post("/v1/events", sluice::broker::rss({sluice::broker::item("a"), sluice::broker::item("b")}), "");
    const sluice::broker::Counters& counters = running.broker.counters();
    EVENTUALLY(counters.batch_events.snapshot().sum == 2);
    const auto status = boost::json::parse(client.get("/v1/status").body);
    const auto& batches = status.at("histograms").at("batch_events");
    CHECK(batches.at("sum").to_number<int>() == 2);
    CHECK(batches.at("count") == status.at("counters").at("batches"));
    CHECK(batches.at("buckets").at("2") == batches.at("count"));
    const auto& lanes = status.at("histograms").at("match_seconds");
    CHECK(lanes.at("fast").at("cpu").at("count") == batches.at("count"));
    CHECK(lanes.at("slow").at("cpu").at("count").to_number<int>() == 0);
}

TEST_CASE("the status tells what operators have done") {
    sluice::broker::RunningBroker running;
    sluice::broker::HttpClient subscriber(running.port());
    sluice::broker::subscribe(subscriber,
                              "?filter=" + sluice::broker::percent_encode("approx-contains(title, 'abc', 1)") +
                                  "&filter=" + sluice::broker::percent_encode("contains(title, 'xab')"));
    sluice::broker::HttpClient client(running.port());
    client.post("/v1/events", sluice::broker::rss({sluice::broker::item("xabd"), sluice::broker::item("b")}), "");
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
    sluice::broker::RunningBroker running;
    sluice::broker::HttpClient subscriber(running.port());
    sluice::broker::subscribe(subscriber, "?filter=" + sluice::broker::percent_encode("count(title) mod 2 = 1"));
    sluice::broker::HttpClient client(running.port());
    client.post("/v1/events", sluice::broker::rss({sluice::broker::item("a"), sluice::broker::item("b")}), "");
    EVENTUALLY(running.broker.counters().events_matched == 2);
    const auto status = boost::json::parse(client.get("/v1/status").body);
    CHECK(status.at("counters").at("scans").to_number<int>() == 2);
    CHECK(status.at("counters").at("scan_seconds").is_number());
}

TEST_CASE("the status names the conditions that take long or are not decided") {
    sluice::broker::RunningBroker running({"limits.condition_steps=1000"});
    sluice::broker::HttpClient subscriber(running.port());
    sluice::broker::subscribe(subscriber,
                              "?filter=" + sluice::broker::percent_encode("count(//title[. = following::title]) > 5"));
    sluice::broker::HttpClient client(running.port());
    CHECK(boost::json::parse(client.get("/v1/status").body).at("costly_conditions").as_array().empty());
    std::vector<std::string> items;
    for (int i = 0; i < 100; ++i) items.push_back(sluice::broker::item("t" + std::to_string(i)));
    client.post("/v1/events", sluice::broker::rss(items), "");
    boost::json::array conditions;  // the status may be cached for a while
    const auto listed = [&] {
        return boost::json::parse(client.get("/v1/status").body).at("costly_conditions").as_array();
    };
    EVENTUALLY(!(conditions = listed()).empty());
    const auto& costly = conditions.at(0);
    CHECK(costly.at("condition").as_string().find("following::title") != std::string::npos);
    CHECK(costly.at("undecided").to_number<int>() >= 1);
    CHECK(costly.at("slowest_milliseconds").is_number());
}

TEST_CASE("the status names the paths whose values take too long to read") {
    sluice::broker::RunningBroker running({"limits.condition_steps=1000"});
    sluice::broker::HttpClient subscriber(running.port()), client(running.port());
    sluice::broker::subscribe(subscriber, "?filter=" + sluice::broker::percent_encode("*/*/a = 'q'"));
    std::string content = "<r><i><b><c>";
    for (int i = 0; i < 100; ++i) content += "<a>x</a>";
    REQUIRE(client.post("/v1/events", content + "</c></b></i></r>", "Content-Type: application/xml\r\n").status == 202);
    CHECK(subscriber.read_event().value().starts_with("event: gap\n"));
    boost::json::array conditions;  // the status may be cached for a while
    const auto listed = [&] {
        return boost::json::parse(client.get("/v1/status").body).at("costly_conditions").as_array();
    };
    EVENTUALLY(!(conditions = listed()).empty());
    CHECK(conditions.at(0).at("condition") == "path */*/a");
    CHECK(conditions.at(0).at("undecided") == 1);
}

TEST_CASE("the status names the filters whose computed conditions exceed a budget") {
    const std::string policy = GENERATE("gap", "disconnect");
    sluice::broker::RunningBroker running({"limits.condition_time=1ms", "delivery.undecided=" + policy});
    sluice::broker::HttpClient subscriber(running.port()), client(running.port());
    const std::string costly = "edit-distance(title, '" + std::string(300, 'a') + "', 'typing') > 5";
    sluice::broker::subscribe(subscriber, "?filter=a&filter=" + sluice::broker::percent_encode(costly));
    client.post("/v1/events", sluice::broker::rss({sluice::broker::item(std::string(10'000, 'b'))}), "");
    boost::json::array conditions;  // the status may be cached for a while
    const auto listed = [&] {
        return boost::json::parse(client.get("/v1/status").body).at("costly_conditions").as_array();
    };
    EVENTUALLY(!(conditions = listed()).empty());
    REQUIRE(conditions.size() == 1);
    CHECK(conditions.at(0).at("condition").as_string().starts_with("filter edit-distance(title, 'aaa"));
    CHECK(conditions.at(0).at("undecided") == 1);
}
