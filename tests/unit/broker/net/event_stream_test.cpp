#include "broker/net/event_stream.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>

#include "tests/support/eventually.hpp"
#include "tests/unit/broker/support.hpp"

using sluice::HttpClient;
using sluice::item;
using sluice::percent_encode;
using sluice::Reply;
using sluice::rss;
using sluice::RunningBroker;
using sluice::subscribe;
namespace json = boost::json;

namespace {

const std::string xml = "Content-Type: application/rss+xml\r\n";

void publish(HttpClient& client, const std::vector<std::string>& items, const std::string& stream = "default") {
    REQUIRE(client.post("/v1/events?deduplicate=false&stream=" + stream, rss(items), xml).status == 202);
}

struct SseEvent {
    std::string id;
    json::value data;
};

SseEvent next_event(HttpClient& client) {
    const std::string text = client.read_event().value();
    const std::size_t line = text.find("\ndata: ");
    REQUIRE(text.starts_with("id: "));
    REQUIRE(line != std::string::npos);
    return {text.substr(4, line - 4), json::parse(text.substr(line + 7))};
}

std::string title(const SseEvent& event) { return event.data.at("item").at("title").as_string().c_str(); }

}  // namespace

TEST_CASE("a subscriber is told which conditions no index decides") {
    RunningBroker running;
    HttpClient subscriber(running.port());
    subscribe(subscriber,
              "?filter=a&filter=" + percent_encode("category = 'x' and approx-contains(title, 'o\nne', 1)") +
                  "&filter=" + percent_encode(".//b"));
    CHECK(
        subscriber.read_event() ==
        ": filter 1: approx-distance(title, 'o ne') <= 1 is computed on title: the least edit distance of any part of "
        "the text, in characters; on a GPU where that costs less\n: filter 2: .//b "
        "is scanned: its path has '//'");
    HttpClient publisher(running.port());
    publish(publisher, {item("one", "y"), item("a o ne", "x")});
    CHECK(title(next_event(subscriber)) == "a o ne");
}

TEST_CASE("only the events that the filter accepts arrive") {
    RunningBroker running;
    HttpClient subscriber(running.port());
    subscriber.send("GET /v1/events?filter=" + percent_encode("category = 'x'") + " HTTP/1.1\r\nHost: t\r\n\r\n");
    const Reply head = subscriber.read_head();
    CHECK(head.status == 200);
    CHECK(head.headers.at("content-type") == "text/event-stream");
    CHECK(head.headers.at("cache-control") == "no-store");
    CHECK(head.headers.at("x-accel-buffering") == "no");
    CHECK(head.headers.at("transfer-encoding") == "chunked");
    CHECK(subscriber.read_event() == ": subscribed");
    HttpClient publisher(running.port());
    publish(publisher, {item("one", "x"), item("two", "y"), item("three", "x")});
    const SseEvent first = next_event(subscriber);
    CHECK(first.id == "1");
    CHECK(first.data.at("id").to_number<int>() == 1);
    CHECK(first.data.at("stream") == "default");
    CHECK(title(first) == "one");
    CHECK_FALSE(first.data.as_object().contains("filters"));
    CHECK(title(next_event(subscriber)) == "three");
}

TEST_CASE("several filters of one connection give an event once, and say which hold") {
    RunningBroker running;
    HttpClient subscriber(running.port());
    subscribe(subscriber, "?filter=" + percent_encode("category = 'x'") + "&filter=" +
                              percent_encode("contains(title, 'two')") + "&filter=" + percent_encode("//item"));
    HttpClient publisher(running.port());
    publish(publisher, {item("one", "x"), item("two", "y"), item("two x", "x")});
    CHECK(json::serialize(next_event(subscriber).data.at("filters")) == "[0,2]");
    CHECK(json::serialize(next_event(subscriber).data.at("filters")) == "[1,2]");
    CHECK(json::serialize(next_event(subscriber).data.at("filters")) == "[0,1,2]");
}

TEST_CASE("streams are apart, and * is all of them") {
    RunningBroker running;
    HttpClient a(running.port());
    HttpClient all(running.port());
    subscribe(a, "?stream=a");
    subscribe(all, "?stream=*");
    HttpClient publisher(running.port());
    publish(publisher, {item("in b")}, "b");
    publish(publisher, {item("in a")}, "a");
    CHECK(title(next_event(a)) == "in a");
    CHECK(title(next_event(all)) == "in b");
    const SseEvent second = next_event(all);
    CHECK(title(second) == "in a");
    CHECK(second.id == "1");
    CHECK(second.data.at("stream") == "a");
}

TEST_CASE("format=xml gives the item as it was published, line by line") {
    RunningBroker running;
    HttpClient subscriber(running.port());
    subscribe(subscriber, "?format=xml&filter=" + percent_encode("//item[title]"));
    HttpClient publisher(running.port());
    publish(publisher, {"\n  <title>a &amp; b</title>\r\n"});
    CHECK(subscriber.read_event() == "id: 1\ndata: <item>\ndata:   <title>a &amp; b</title>\ndata: </item>");
}

TEST_CASE("a filter on an attribute that nobody asked for before sees the very next event") {
    RunningBroker running;
    HttpClient publisher(running.port());
    for (int i = 0; i < 50; ++i) {
        HttpClient subscriber(running.port());
        const std::string name = "n" + std::to_string(i);
        subscribe(subscriber, "?filter=" + percent_encode(name + " = '1'"));
        publish(publisher, {"<title>t</title><" + name + ">1</" + name + ">"});
        REQUIRE(title(next_event(subscriber)) == "t");
    }
}

TEST_CASE("bad wishes are refused") {
    RunningBroker running({"limits.filters_per_connection=2", "limits.filter_conjunctions=8"});
    HttpClient client(running.port());
    const Reply bracket = client.get("/v1/events?filter=" + percent_encode("//item[category = 'x'"));
    CHECK(bracket.status == 400);
    const json::value problem = json::parse(bracket.body);
    CHECK(problem.at("type") == "urn:sluice:problem:filter");
    CHECK(problem.at("filter").to_number<int>() == 0);
    CHECK(problem.at("line").to_number<int>() == 1);
    CHECK(problem.at("column").to_number<int>() > 1);
    CHECK(std::string(problem.at("excerpt").as_string().c_str()).find('^') != std::string::npos);
    std::string explosion = "(a='0' or b='0')";
    for (int i = 1; i < 10; ++i) {
        explosion += " and (a='" + std::to_string(i) + "' or b='" + std::to_string(i) + "')";
    }
    CHECK(client.get("/v1/events?filter=" + percent_encode(explosion)).status == 400);
    CHECK(client.get("/v1/events?filter=a&filter=b&filter=c").status == 400);
    CHECK(client.get("/v1/events?format=yaml").status == 400);
    CHECK(client.get("/v1/events?stream=a%2Fb").status == 400);
    CHECK(client.get("/v1/events?filtre=a").status == 400);
    CHECK(running.broker.services().subscribers == 0);
}

TEST_CASE("the numbers of subscribers and subscriptions are bounded") {
    RunningBroker running({"limits.subscribers=2", "limits.subscriptions=3"});
    HttpClient first(running.port());
    subscribe(first, "?filter=a&filter=b");
    HttpClient second(running.port());
    CHECK(second.get("/v1/events?filter=a&filter=b").status == 503);
    subscribe(second, "?filter=a");
    HttpClient third(running.port());
    CHECK(third.get("/v1/events").status == 503);
    CHECK(third.get("/healthz").status == 200);
}

TEST_CASE("a quiet stream has heartbeats") {
    RunningBroker running({"delivery.heartbeat=20ms"});
    HttpClient subscriber(running.port());
    subscribe(subscriber, "");
    CHECK(subscriber.read_event() == ": heartbeat");
    CHECK(subscriber.read_event() == ": heartbeat");
}

TEST_CASE("HTTP/1.0 gets a stream without chunks") {
    RunningBroker running;
    HttpClient subscriber(running.port());
    subscriber.send("GET /v1/events HTTP/1.0\r\n\r\n");
    CHECK(subscriber.read_head().headers.count("transfer-encoding") == 0);
    CHECK(subscriber.read_until("\n\n") == ": subscribed\n\n");
    HttpClient publisher(running.port());
    publish(publisher, {item("a")});
    CHECK(subscriber.read_until("\n\n").starts_with("id: 1\ndata: {"));
}

TEST_CASE("a subscriber that goes away is forgotten") {
    RunningBroker running;
    {
        HttpClient subscriber(running.port());
        subscribe(subscriber, "?filter=a");
        CHECK(running.broker.services().registry.size() == 1);
    }
    EVENTUALLY(running.broker.services().registry.size() == 0);
    EVENTUALLY(running.broker.services().subscribers == 0);
}

TEST_CASE("a subscriber that never reads is disconnected, and others miss nothing") {
    RunningBroker running({"delivery.queue_events=500", "delivery.queue_bytes=64MiB"});
    HttpClient sleeper(running.port());
    sleeper.socket().set_option(boost::asio::socket_base::receive_buffer_size(4096));
    subscribe(sleeper, "");
    HttpClient reader(running.port());
    subscribe(reader, "");
    HttpClient publisher(running.port());
    const std::string text(20'000, 'x');
    int sent = 0;
    while (running.broker.counters().slow_consumers == 0) {
        REQUIRE(sent < 5'000);
        publish(publisher, {item("t" + std::to_string(sent++)) + "<description>" + text + "</description>"});
        REQUIRE(title(next_event(reader)) == "t" + std::to_string(sent - 1));
    }
    CHECK(running.broker.counters().slow_consumers == 1);
    publish(publisher, {item("after")});
    CHECK(title(next_event(reader)) == "after");
    EVENTUALLY(running.broker.services().subscribers == 1);
}

TEST_CASE("a slow subscriber that reads on is told why it ends") {
    RunningBroker running({"delivery.queue_events=1", "delivery.close_timeout=1h"});
    HttpClient subscriber(running.port());
    subscribe(subscriber, "");
    HttpClient publisher(running.port());
    // Two batches: the second comes while the first is being written, which is more than the kernel holds.
    publish(publisher, std::vector<std::string>(64, "<title>" + std::string(100'000, 'x') + "</title>"));
    EVENTUALLY(running.broker.counters().slow_consumers > 0);
    std::string last = subscriber.read_event().value();
    while (last.starts_with("id: ")) last = subscriber.read_event().value();
    CHECK(last.starts_with("event: error\ndata: {"));
    CHECK(last.find("slow-consumer") != std::string::npos);
    CHECK_FALSE(subscriber.read_event());
    CHECK(subscriber.is_closed_by_peer());
}

TEST_CASE("draining delivers what is queued and ends streams well") {
    RunningBroker running;
    HttpClient subscriber(running.port());
    subscribe(subscriber, "");
    HttpClient idle(running.port());
    CHECK(idle.get("/healthz").status == 200);
    HttpClient publisher(running.port());
    constexpr int n = 200;
    std::vector<std::string> items;
    for (int i = 0; i < n; ++i) items.push_back(item(std::to_string(i)));
    publish(publisher, items);
    running.broker.drain();
    for (int i = 0; i < n; ++i) REQUIRE(title(next_event(subscriber)) == std::to_string(i));
    CHECK_FALSE(subscriber.read_event());
    CHECK(subscriber.is_closed_by_peer());
    CHECK(idle.is_closed_by_peer());
    CHECK(running.broker.counters().events_lost == 0);
}

TEST_CASE("draining cuts a subscriber that never reads when its time is over") {
    RunningBroker running({"shutdown.drain_timeout=50ms"});
    HttpClient sleeper(running.port());
    sleeper.socket().set_option(boost::asio::socket_base::receive_buffer_size(4096));
    subscribe(sleeper, "");
    HttpClient publisher(running.port());
    for (int i = 0; i < 20; ++i) publish(publisher, {item("t") + std::string(500'000, 'x')});
    running.broker.drain();
    CHECK(running.broker.services().subscribers == 0);
}

namespace {

constexpr const char* distinct_titles = "not(title = preceding-sibling::item/preceding-sibling::item/title)";

// So many items with titles of their own.
std::vector<std::string> numbered_items(int n) {
    std::vector<std::string> items;
    for (int i = 0; i < n; ++i) items.push_back(item(std::to_string(i)));
    return items;
}

}  // namespace

TEST_CASE("a subscriber whose filter would take too long is told so and ends, alone") {
    const std::string computed = "edit-distance(title, '" + std::string(2000, 'a') + "', 'typing') < 5";
    const bool is_computed = GENERATE(false, true);
    // By the estimates, both take longer for the large document; no estimate for the small one comes near.
    RunningBroker running({is_computed ? "limits.condition_time=20ms" : "limits.condition_time=60s"});
    HttpClient other(running.port()), subscriber(running.port()), elsewhere(running.port());
    subscribe(other, "?filter=" + percent_encode("title = '0'"));
    subscribe(subscriber, "?filter=a&filter=" + percent_encode(is_computed ? computed : distinct_titles));
    CHECK(subscriber.read_event().value().starts_with(": filter 1"));
    subscribe(elsewhere, "?stream=elsewhere&filter=" + percent_encode(is_computed ? computed : distinct_titles));
    CHECK(elsewhere.read_event().value().starts_with(": filter 0"));
    HttpClient publisher(running.port());
    publish(publisher, is_computed ? std::vector<std::string>{item("0"), item(std::string(100'000, 'b'))}
                                   : numbered_items(10'000));
    std::string last = subscriber.read_event().value();
    while (last.starts_with("id: ")) last = subscriber.read_event().value();
    REQUIRE(last.starts_with("event: error\ndata: {"));
    const json::value problem = json::parse(last.substr(last.find('{')));
    CHECK(problem.at("type") == "urn:sluice:problem:slow-filter");
    CHECK(problem.at("filter").to_number<int>() == 1);
    CHECK(problem.at("stream") == "default");
    CHECK(problem.at("id").to_number<int>() >= 1);
    CHECK_FALSE(subscriber.read_event());
    CHECK(subscriber.is_closed_by_peer());
    CHECK(running.broker.counters().slow_filters == 1);
    CHECK(title(next_event(other)) == "0");
    publish(publisher, {item("after")}, "elsewhere");
    if (!is_computed) CHECK(title(next_event(elsewhere)) == "after");
    EVENTUALLY(running.broker.services().subscribers == 2);
}

TEST_CASE("draining gives up what takes longer than its time") {
    RunningBroker running({"limits.condition_time=1h", "shutdown.drain_timeout=0ms"});
    HttpClient subscriber(running.port()), publisher(running.port());
    subscribe(subscriber, "?filter=" + percent_encode("count(//item[title = following::title]) > 1"));
    publish(publisher, numbered_items(2000));
    running.broker.drain();
    CHECK(running.broker.counters().events_lost > 0);
}
