#include "broker/server/sse/event_stream.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>
#include <future>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/base/workers.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/server/api/services.hpp"
#include "broker/store/event_log.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/string_connection.hpp"
#include "tests/unit/broker/support.hpp"

using sluice::broker::HttpClient;
using sluice::broker::item;
using sluice::broker::percent_encode;
using sluice::broker::Reply;
using sluice::broker::rss;
using sluice::broker::RunningBroker;
using sluice::broker::subscribe;
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
        "the text, in characters; on a GPU where that is cheaper\n: filter 2: .//b "
        "is scanned: its path has '//'");
    HttpClient publisher(running.port());
    publish(publisher, {item("one", "y"), item("a o ne", "x")});
    CHECK(title(next_event(subscriber)) == "a o ne");
}

TEST_CASE("a subscriber is told what its filter almost surely does not mean") {
    RunningBroker running;
    HttpClient subscriber(running.port());
    subscribe(subscriber, "?filter=a&filter=" + percent_encode("a or\ncategory = politics"));
    CHECK(subscriber.read_event() ==
          ": filter 1: hint: 2:10: politics without quotes is the name of an element; for the text write category = "
          "'politics'\n: filter 1: category = politics is scanned: it compares two values of the event");
}

TEST_CASE("a date that a filter compares with is understood") {
    RunningBroker running;
    HttpClient subscriber(running.port());
    subscribe(subscriber, "?filter=" + percent_encode("$published >= '2024-01-01' and '2024-02-01' > $published"));
    HttpClient publisher(running.port());
    const auto dated = [](const std::string& title, const std::string& date) {
        return "<title>" + title + "</title><pubDate>" + date + "</pubDate>";
    };
    publish(publisher, {dated("old", "Sun, 31 Dec 2023 23:59:59 GMT"), dated("first", "Mon, 01 Jan 2024 00:00:00 GMT"),
                        dated("new", "Thu, 01 Feb 2024 00:00:00 GMT"), dated("last", "Wed, 31 Jan 2024 23:59:59 GMT")});
    CHECK(title(next_event(subscriber)) == "first");
    CHECK(title(next_event(subscriber)) == "last");
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
    CHECK(second.id == "2");
    CHECK(second.data.at("stream") == "a");
}

TEST_CASE("format=xml gives the item as XML that stands alone, line by line") {
    RunningBroker running;
    HttpClient subscriber(running.port());
    subscribe(subscriber, "?format=xml&filter=" + percent_encode("//item[title]"));
    HttpClient publisher(running.port());
    publish(publisher, {"\n  <title>a &amp; b</title>\r\n"});
    CHECK(subscriber.read_event() == "id: 1\ndata: <item>\ndata:   <title>a &amp; b</title>\ndata: </item>");
    publish(publisher, {"<title>a&nbsp;b</title>\n<dc:date/>"});
    CHECK(subscriber.read_event() ==
          "id: 2\ndata: <item xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><title>a\u00a0b</title>\n"
          "data: <dc:date/></item>");
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

TEST_CASE("bad subscriptions are refused") {
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
    const std::pair<const char*, const char*> refused[] = {
        {"format=yaml", "json, xml or source"},
        {"format=", "json, xml or source"},
        {"format=JSON", "json, xml or source"},
        {"values=some", "expected all"},
        {"values=", "expected all"},
        {"values=ALL", "expected all"},
        {"values=all&values=all", "more than once"},
        {"values=all&format=xml", "values=all needs format=json: format=xml is the item alone"},
        {"values=all&format=source", "values=all needs format=json: format=source is the item alone"},
        {"annotate=alignment&format=source", "annotate=alignment needs format=json: format=source is"},
        {"annotate=alignment&format=yaml", "json, xml or source"},
    };
    for (const auto& [query, why] : refused) {
        INFO(query);
        const auto reply = client.get("/v1/events?" + std::string(query));
        CHECK(reply.status == 400);
        CHECK_THAT(reply.body, Catch::Contains(why));
    }
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
    CHECK(third.get("/v1/events?filter=wrong(").status == 503);  // its filter is not even compiled
    CHECK(third.get("/healthz").status == 200);
}

TEST_CASE("the filters of a client that has left are not compiled") {
    std::promise<void> busy, go_on;  // outlive the worker
    RunningBroker running;
    sluice::server::Services& services = running.broker.services();
    REQUIRE(services.compilers.post(nullptr, [&] {
        busy.set_value();
        go_on.get_future().wait();
    }));
    busy.get_future().wait();
    {
        HttpClient client(running.port());
        client.send("GET /v1/events?filter=a" + std::string(500, 'b') + " HTTP/1.1\r\nHost: t\r\n\r\n");
        EVENTUALLY(services.compilers.waiting() == 1);
    }
    EVENTUALLY(services.counters.requests_abandoned == 1);
    CHECK(services.compilers.waiting() == 0);
    EVENTUALLY(services.subscribers == 0);
    go_on.set_value();
    HttpClient other(running.port());
    subscribe(other, "?filter=a" + std::string(500, 'b'));
}

TEST_CASE("long filters are compiled piece by piece, all of them") {
    RunningBroker running;
    HttpClient subscriber(running.port()), publisher(running.port());
    std::string query = "?filter=" + percent_encode("title = 'x'");
    for (int i = 0; i < 200; ++i) query += "&filter=" + percent_encode("title = '" + std::to_string(i) + "'");
    subscribe(subscriber, query);
    CHECK(running.broker.services().registry.size() == 201);
    publish(publisher, {item("199"), item("200"), item("x")});
    CHECK(title(next_event(subscriber)) == "199");
    CHECK(title(next_event(subscriber)) == "x");
    HttpClient wrong(running.port());
    const Reply refused = wrong.get("/v1/events" + query + "&filter=" + percent_encode("title = "));
    CHECK(refused.status == 400);
    CHECK(json::parse(refused.body).at("filter").to_number<int>() == 201);
}

TEST_CASE("the conditions of one connection's filters are bounded together") {
    RunningBroker running({"limits.literals_per_connection=4", "limits.operators_per_connection=2"});
    HttpClient client(running.port());
    const auto status = [&](const std::vector<std::string>& filters) {
        std::string query;
        for (const std::string& filter : filters) query += "&filter=" + percent_encode(filter);
        return client.get("/v1/events?stream=*" + query);
    };
    const Reply literals = status({"a = '1' and b = '1'", "c = '1' and d = '1'", "e = '1'"});
    CHECK(literals.status == 413);
    CHECK(literals.body.find("limits.literals_per_connection, 4") != std::string::npos);
    const std::string computed = "edit-distance(title, 'abc') <= ";
    const Reply operators = status({computed + "1", computed + "2", computed + "3"});
    CHECK(operators.status == 413);
    CHECK(operators.body.find("limits.operators_per_connection, 2") != std::string::npos);
    CHECK(running.broker.services().subscribers == 0);
    HttpClient subscriber(running.port());
    subscribe(subscriber, "?stream=*&filter=" + percent_encode("a = '1' and b = '1'") +
                              "&filter=" + percent_encode(computed + "1"));
}

TEST_CASE("a subscriber's long query is released before its stream begins") {
    RunningBroker running({"http.header_bytes=1MiB"});
    HttpClient subscriber(running.port());
    subscribe(subscriber, "?filter=" + percent_encode("title = '" + std::string(30'000, 'x') + "'"));
    EVENTUALLY(running.broker.services().memory.used(sluice::base::MemoryUse::bodies) == 0);
}

TEST_CASE("a quiet stream has heartbeats") {
    RunningBroker running({"delivery.heartbeat=20ms"});
    HttpClient subscriber(running.port());
    subscribe(subscriber, "");
    CHECK(subscriber.read_event().value().starts_with(": heartbeat\nid: "));
    CHECK(subscriber.read_event().value().starts_with(": heartbeat\nid: "));
}

TEST_CASE("HTTP/1.0 gets a stream without chunks") {
    RunningBroker running;
    HttpClient subscriber(running.port());
    subscriber.send("GET /v1/events HTTP/1.0\r\n\r\n");
    CHECK(subscriber.read_head().headers.count("transfer-encoding") == 0);
    CHECK(subscriber.read_until("\n\n") == ": subscribed\n\n");
    HttpClient publisher(running.port());
    publish(publisher, {item("a")});
    CHECK(subscriber.read_until("\n\n").ends_with("-0\n\n"));
    CHECK(subscriber.read_until("\n\n").find("-1\ndata: {") != std::string::npos);
}

// 64 filters make them wide. One more event comes before each step of the subscriber's thread.
TEST_CASE("EventStream: one write has all events that have come until the stream's turn") {
    boost::asio::io_context io{1};
    RunningBroker running;
    sluice::testing::StringConnection subscriber(io, running.broker.services());
    std::string filters;
    for (int i = 0; i < 64; ++i) filters += "&filter=title";
    subscriber.send("GET /v1/events?stream=s" + filters + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EVENTUALLY((subscriber.run(), subscriber.output().find(": subscribed") != std::string::npos));
    HttpClient publisher(running.port());
    const std::size_t writes = subscriber.writes();
    std::size_t published = 0, written = 0;
    for (; subscriber.writes() == writes; subscriber.run()) {
        REQUIRE(published < 1'000);
        publish(publisher, {item("t")}, "s");
        ++published;
        EVENTUALLY(running.broker.counters().deliveries == published);
    }
    for (std::size_t at = 0; (at = subscriber.output().find("\ndata: ", at)) != std::string::npos; ++at) ++written;
    CHECK(published > 1);
    CHECK(written == published);
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
    RunningBroker running({"delivery.queue_events=500", "delivery.queue_bytes=64MiB", "delivery.close_timeout=1ms",
                           "delivery.slow_consumer=disconnect"});
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

TEST_CASE("the filters of a subscriber that is to be disconnected are not matched any more") {
    RunningBroker running({"delivery.queue_events=1", "delivery.slow_consumer=disconnect"});
    HttpClient sleeper(running.port());
    sleeper.socket().set_option(boost::asio::socket_base::receive_buffer_size(4096));
    subscribe(sleeper, "?filter=" + percent_encode("starts-with(title, 'x')"));
    HttpClient publisher(running.port());
    // Not even one of these events fits into the kernel's buffers, so the first one stays in the writing.
    const std::string large = "<title>" + std::string(1'000'000, 'x') + "</title>";
    publish(publisher, {large});
    EVENTUALLY(sleeper.socket().available() > 0);
    publish(publisher, std::vector<std::string>(10, large));
    EVENTUALLY(running.broker.services().registry.size() == 0);
    CHECK(running.broker.services().subscribers == 1);  // it may still read what is being written
    EVENTUALLY(running.broker.counters().slow_consumers == 1);
}

TEST_CASE("a slow subscriber that reads on is told why it ends") {
    RunningBroker running({"delivery.queue_events=1", "delivery.slow_consumer=disconnect"});
    HttpClient subscriber(running.port());
    subscribe(subscriber, "");
    HttpClient publisher(running.port());
    // Two batches: the second arrives while the first, larger than the kernel's buffers, is being written.
    publish(publisher, std::vector<std::string>(64, "<title>" + std::string(100'000, 'x') + "</title>"));
    EVENTUALLY(running.broker.counters().slow_consumers > 0);
    std::string last = subscriber.read_event().value();
    while (last.starts_with("id: ")) last = subscriber.read_event().value();
    CHECK(last.starts_with("event: error\ndata: {"));
    CHECK(last.find("slow-consumer") != std::string::npos);
    CHECK_FALSE(subscriber.read_event());
    CHECK(subscriber.is_closed_by_peer());
}

TEST_CASE("a slow subscriber reads on from the log and gets everything") {
    RunningBroker running({"delivery.queue_events=1"});
    HttpClient subscriber(running.port());
    subscribe(subscriber, "");
    HttpClient publisher(running.port());
    constexpr int n = 300;
    for (int i = 0; i < n; i += 10) {
        std::vector<std::string> items;
        for (int j = i; j < i + 10; ++j)
            items.push_back("<title>" + std::to_string(j) + "</title><description>" + std::string(100'000, 'x') +
                            "</description>");
        publish(publisher, items);
    }
    EVENTUALLY(running.broker.counters().slow_consumers > 0);
    for (int i = 0; i < n; ++i) REQUIRE(title(next_event(subscriber)) == std::to_string(i));
    publish(publisher, {item("live again")});
    CHECK(title(next_event(subscriber)) == "live again");
    CHECK(running.broker.counters().deliveries_unwritten == 0);
}

TEST_CASE("a replay that the shutdown cuts short does not look complete") {
    RunningBroker running({"shutdown.drain_timeout=100ms"});
    HttpClient subscriber(running.port()), publisher(running.port());
    subscriber.socket().set_option(boost::asio::socket_base::receive_buffer_size(4096));
    for (int i = 0; i < 30; ++i)
        publish(publisher, {"<title>t</title><description>" + std::string(1'000'000, 'x') + "</description>"});
    subscribe(subscriber, "?until=now");
    running.broker.drain();
    boost::system::error_code error;
    std::string end;
    boost::asio::read(subscriber.socket(), boost::asio::dynamic_buffer(end), error);
    CHECK(error);
    CHECK_FALSE(end.ends_with("\r\n0\r\n\r\n"));
}

TEST_CASE("Last-Event-ID, after, since and from say where an event stream begins") {
    RunningBroker running;
    HttpClient publisher(running.port());
    for (const char* title : {"a", "b", "c"}) publish(publisher, {item(title)});
    const std::string epoch = running.broker.services().log.epoch();
    const auto received = [&](const std::string& query, const std::string& fields = "") {
        HttpClient client(running.port());
        client.send("GET /v1/events?until=now" + query + " HTTP/1.1\r\nHost: t\r\n" + fields + "\r\n");
        REQUIRE(client.read_head().status == 200);
        CHECK(client.read_event() == ": subscribed");
        std::string texts;
        for (auto event = client.read_event(); event; event = client.read_event()) {
            if (event->starts_with(':')) continue;
            const std::size_t data = event->find("data: ") + 6;
            const json::value value = json::parse(event->substr(data));
            texts += event->starts_with("event: reset") ? "reset(" + std::string(value.at("reason").as_string()) + ")"
                                                        : std::string(value.at("item").at("title").as_string());
        }
        return texts;
    };
    CHECK(received("") == "abc");
    CHECK(received("&from=first") == "abc");
    CHECK(received("&stream=*") == "abc");
    CHECK(received("&stream=other&from=first") == "");
    publish(publisher, {item("x"), item("y")}, "short");
    CHECK(publisher.get("/v1/streams/short").status == 200);
    running.broker.services().log.retain("short", {.events = 1});
    CHECK(received("&stream=*&from=first") == "abcy");
    CHECK(received("&stream=*&after=0") == "reset(retention)abcy");
    CHECK(received("&stream=short&after=3") == "reset(retention)y");
    CHECK(received("&after=1") == "bc");
    CHECK(received("&after=" + epoch + "-2") == "c");
    CHECK(received("&after=3") == "");
    CHECK(received("&after=4") == "");
    CHECK(received("&after=6") == "reset(unknown)abc");
    CHECK(received("&after=x-2") == "reset(epoch)abc");
    CHECK(received("&since=1h") == "reset(epoch)abc");
    CHECK(received("&since=2100-01-01T00:00:00Z") == "");
    CHECK(received("&lastEventId=" + epoch + "-2") == "c");
    CHECK(received("&lastEventId=" + epoch + "-2&from=first") == "c");
    CHECK(received("&from=first", "Last-Event-ID: " + epoch + "-1\r\n") == "bc");
    CHECK(received("&lastEventId=" + epoch + "-2", "Last-Event-ID: " + epoch + "-1\r\n") == "bc");
    CHECK(received("", "Last-Event-ID: never seen\r\n") == "reset(epoch)abc");
    CHECK(received("&filter=" + percent_encode("title = 'b'")) == "b");
    CHECK(received("&filter=" + percent_encode("count(//item) = 1 and title != 'b'")) == "ac");
    for (const char* bad : {"after=x", "after=-1", "since=soon", "since=24", "from=last", "until=later",
                            "after=1&since=1h", "from=first&after=1"}) {
        INFO(bad);
        CHECK(HttpClient(running.port()).get("/v1/events?" + std::string(bad)).status == 400);
    }
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
    RunningBroker running({"shutdown.drain_timeout=1ms"});
    HttpClient sleeper(running.port());
    sleeper.socket().set_option(boost::asio::socket_base::receive_buffer_size(4096));
    subscribe(sleeper, "");
    HttpClient publisher(running.port());
    for (int i = 0; i < 20; ++i) publish(publisher, {item("t") + std::string(500'000, 'x')});
    EVENTUALLY(running.broker.counters().deliveries == 20);
    running.broker.drain();
    CHECK(running.broker.services().subscribers == 0);
}

namespace {

constexpr const char* distinct_titles = "not(title = preceding-sibling::item/preceding-sibling::item/title)";

// `n` items with different titles.
std::vector<std::string> numbered_items(int n) {
    std::vector<std::string> items;
    for (int i = 0; i < n; ++i) items.push_back(item(std::to_string(i)));
    return items;
}

}  // namespace

TEST_CASE("a subscriber over its budget gets a gap in the event's place, and the events that follow") {
    RunningBroker running({"limits.condition_time=20ms"});
    HttpClient subscriber(running.port()), publisher(running.port());
    const std::string costly = "edit-distance(title, '" + std::string(2000, 'a') + "', 'typing') > 5";
    subscribe(subscriber, "?filter=" + percent_encode("title = 'never'") + "&filter=" + percent_encode(costly));
    CHECK(subscriber.read_event().value().starts_with(": filter 1"));
    publish(publisher, {item("0"), item(std::string(100'000, 'b')), item("after")});
    CHECK(title(next_event(subscriber)) == "0");
    const std::string told = subscriber.read_event().value();
    REQUIRE(told.starts_with("event: gap\nid: 2\ndata: {"));
    const json::value gap = json::parse(told.substr(told.find('{')));
    CHECK(gap.at("type") == "urn:sluice:problem:over-budget");
    CHECK(gap.at("filter").to_number<int>() == 1);
    CHECK(gap.at("stream") == "default");
    CHECK(gap.at("reason") == "over-budget");
    CHECK(gap.at("first_id").to_number<int>() == 2);
    CHECK(gap.at("last_id").to_number<int>() == 2);
    CHECK(title(next_event(subscriber)) == "after");
    const sluice::broker::Counters& counters = running.broker.counters();
    EVENTUALLY(counters.gaps + counters.deliveries == 3);
    CHECK(counters.gaps == 1);
}

TEST_CASE("a subscriber that spends more than it may on a document gets a gap, alone") {
    // A document this short gets about a tenth of that: its conditions together would use up its whole allowance.
    RunningBroker running({"limits.subscriber_steps=1000000", "limits.document_steps=3000000"});
    const auto condition = [](int i) {
        return percent_encode("count(//title[. = 'x" + std::to_string(i) + "']) mod 2 = 0");
    };
    std::string query = "?filter=" + condition(0);
    for (int i = 1; i < 60; ++i) query += "&filter=" + condition(i);
    HttpClient greedy(running.port()), modest(running.port()), publisher(running.port());
    subscribe(greedy, query);
    CHECK(greedy.read_event().value().starts_with(": filter 0"));
    subscribe(modest, "?filter=" + condition(60));
    CHECK(modest.read_event().value().starts_with(": filter 0"));
    publish(publisher, numbered_items(500));
    CHECK(title(next_event(modest)) == "0");
    CHECK(title(next_event(modest)) == "1");
    EVENTUALLY(running.broker.counters().gaps > 0);
    std::string told = greedy.read_event().value();
    CHECK(told.starts_with("id: 1\n"));  // by its decided filters
    told = greedy.read_event().value();
    CHECK(told.starts_with("event: gap\nid: 1\n"));
}

TEST_CASE("if so configured, a subscriber over its budget gets an error and ends, alone") {
    RunningBroker running(
        {"limits.condition_time=20ms", "limits.condition_steps=100000", "delivery.undecided=disconnect"});
    const std::string computed = "edit-distance(title, '" + std::string(2000, 'a') + "', 'typing') < 5";
    const bool is_computed = GENERATE(false, true);
    HttpClient other(running.port()), subscriber(running.port()), elsewhere(running.port());
    subscribe(other, "?filter=" + percent_encode("title = '0'"));
    subscribe(subscriber, "?filter=a&filter=" + percent_encode(is_computed ? computed : distinct_titles));
    CHECK(subscriber.read_event().value().starts_with(": filter 1"));
    subscribe(elsewhere, "?stream=elsewhere&filter=" + percent_encode(is_computed ? computed : distinct_titles));
    CHECK(elsewhere.read_event().value().starts_with(": filter 0"));
    HttpClient publisher(running.port());
    publish(publisher,
            is_computed ? std::vector<std::string>{item("0"), item(std::string(100'000, 'b'))} : numbered_items(3000));
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
    RunningBroker running({"limits.condition_steps=1000000000000", "limits.document_steps=1000000000000",
                           "limits.filter_searches=10", "shutdown.drain_timeout=0ms"});
    HttpClient subscriber(running.port()), publisher(running.port());
    // As many steps as there are triples of items; each is about a nanosecond.
    const std::string endless = "count(//item[title = following::item[title = following::title]/title]) > 1";
    subscribe(subscriber, "?filter=" + percent_encode(endless));
    publish(publisher, numbered_items(8000));
    running.broker.drain();
    CHECK(running.broker.counters().events_lost > 0);
}

TEST_CASE("draining leaves streams time to end well, and tells who loses events") {
    RunningBroker running({"limits.condition_steps=1000000000000", "limits.document_steps=1000000000000",
                           "limits.filter_searches=10", "shutdown.drain_timeout=10s"});
    HttpClient loser(running.port()), other(running.port()), publisher(running.port());
    const std::string endless = "count(//item[title = following::item[title = following::title]/title]) > 1";
    subscribe(loser, "?filter=" + percent_encode(endless));
    subscribe(other, "?stream=other");
    publish(publisher, numbered_items(8000));
    publish(publisher, {item("well")}, "other");
    running.broker.drain();
    CHECK(running.broker.counters().events_lost > 0);
    CHECK(title(next_event(other)) == "well");
    CHECK_FALSE(other.read_event());
    std::optional<std::string> last;
    for (auto event = loser.read_event(); event; event = loser.read_event()) last = event;
    REQUIRE(last);
    CHECK(last->find("undelivered") != std::string::npos);
}
