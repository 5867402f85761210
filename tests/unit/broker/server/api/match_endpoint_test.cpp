#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/base/workers.hpp"
#include "broker/core/counters.hpp"
#include "broker/server/api/services.hpp"
#include "gpu/api/predicate.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/support.hpp"

using sluice::broker::HttpClient;
using sluice::broker::item;
using sluice::broker::Reply;
using sluice::broker::rss;
using sluice::broker::RunningBroker;
using sluice::engine::Measure;
namespace json = boost::json;

namespace {

const std::string as_json = "Content-Type: application/json\r\n";

Reply match(HttpClient& client, const json::value& body) {
    return client.post("/v1/match", json::serialize(body), as_json);
}

}  // namespace

TEST_CASE("a trial tells of every item what holds and why") {
    RunningBroker running;
    HttpClient client(running.port());
    const Reply reply = match(client, {{"filter", "category = 'x' and contains(title, 'o')"},
                                       {"document", rss({item("one", "x"), item("two", "y"), item("six", "x")})}});
    REQUIRE(reply.status == 200);
    const json::value parsed = json::parse(reply.body);
    const json::value& items = parsed.at("items");
    REQUIRE(items.as_array().size() == 3);
    REQUIRE(parsed.at("leaves").as_array().size() == 2);
    CHECK(parsed.at("leaves").at(1).at("how") == "indexed on string(title)");
    const auto row = [&](std::size_t i) {
        std::string text = items.at(i).at("matched").as_bool() ? "+" : "-";
        for (const auto& leaf : items.at(i).at("because").as_array()) text += leaf.as_bool() ? "1" : "0";
        return text + items.at(i).at("id").as_string().c_str();
    };
    CHECK(row(0) == "+11one");
    CHECK(row(1) == "-01two");
    CHECK(row(2) == "-10six");
    CHECK(items.at(2).at("index").to_number<int>() == 2);
}

TEST_CASE("a trial tells what its filter almost surely does not mean") {
    RunningBroker running;
    HttpClient client(running.port());
    const json::value document(rss({item("one", "x")}));
    const Reply wrong = match(client, {{"filter", "//item/title"}, {"document", document}});
    REQUIRE(wrong.status == 200);
    const json::value hints = json::parse(wrong.body).at("hints");
    REQUIRE(hints.as_array().size() == 1);
    CHECK(hints.at(0).at("line") == 1);
    CHECK(hints.at(0).at("column") == 1);
    CHECK(hints.at(0).at("message") ==
          "this selects <title> elements inside items, and only items match; write //item[title]");
    CHECK(hints.at(0).at("excerpt") == "//item/title\n^");
    const Reply right = match(client, {{"filter", "//item[title]"}, {"document", document}});
    CHECK(json::parse(right.body).at("hints").as_array().empty());
}

TEST_CASE("a trial computes what operators compute") {
    RunningBroker running;
    HttpClient client(running.port());
    const bool has_regex = sluice::engine::invalid_reason({Measure::Kind::matches, "a", "", 0, 0}).empty();
    const std::string second = has_regex ? "matches(title, '^t.o$')" : "approx-contains(title, 'two', 0)";
    const Reply reply = match(client, {{"filter", "edit-distance(title, 'one') <= 1 or " + second},
                                       {"document", rss({item("ore", "x"), item("two", "y"), item("six", "x")})}});
    REQUIRE(reply.status == 200);
    const json::value parsed = json::parse(reply.body);
    const json::value& items = parsed.at("items");
    const auto matched = [&](std::size_t i) { return items.at(i).at("matched").as_bool(); };
    CHECK(matched(0));
    CHECK(matched(1));
    CHECK_FALSE(matched(2));
    const auto how = parsed.at("leaves").at(0).at("how").as_string();
    CHECK(how.starts_with("computed on title: the edit distance"));
}

TEST_CASE("more items than a batch") {
    RunningBroker running;
    HttpClient client(running.port());
    std::vector<std::string> items;
    for (int i = 0; i < 100; ++i) items.push_back(item(std::to_string(i), i % 7 == 0 ? "x" : "y"));
    const Reply reply = match(client, {{"filter", "//item[category = 'x']"}, {"document", rss(items)}});
    const json::value parsed = json::parse(reply.body);
    for (std::size_t i = 0; i < 100; ++i) {
        REQUIRE(parsed.at("items").at(i).at("matched").as_bool() == (i % 7 == 0));
    }
}

TEST_CASE("a bad trial is refused with its reason") {
    RunningBroker running;
    HttpClient client(running.port());
    CHECK(client.post("/v1/match", "{", as_json).status == 400);
    CHECK(client.post("/v1/match", "[]", as_json).status == 400);
    CHECK(match(client, {{"filter", "a"}}).body.find("\\\"document\\\" is missing") != std::string::npos);
    CHECK(match(client, {{"filter", 1}, {"document", ""}}).status == 400);
    CHECK(match(client, {{"filtr", "a"}}).body.find("unknown member \\\"filtr\\\"") != std::string::npos);
    CHECK(match(client, {{"filter", "a["}, {"document", "<a/>"}}).body.find("problem:filter") != std::string::npos);
    CHECK(match(client, {{"filter", "a"}, {"document", "<a>"}}).body.find("problem:document") != std::string::npos);
    CHECK(client.post("/v1/match", std::string(100'000, '['), as_json).status == 400);
    CHECK(match(client, {{"filter", "a"}, {"document", "<a/>"}, {"event_path", "a["}}).status == 400);
    const auto bad_path = match(client, {{"filter", "a"}, {"document", "<a/>"}, {"event_path", "//a["}});
    CHECK(json::parse(bad_path.body).at("type") == "urn:sluice:problem:event-path");
    CHECK(json::parse(bad_path.body).at("title") == "The event path is not valid");
    CHECK(json::parse(bad_path.body).at("column") == 5);
    const auto not_elements = match(client, {{"filter", "a"}, {"document", "<a b=''/>"}, {"event_path", "//@b"}});
    CHECK(json::parse(not_elements.body).at("type") == "urn:sluice:problem:event-path");
    CHECK(match(client, {{"filter", "a"}, {"document", "<a/>"}, {"event_path", "//a[$title]"}}).status == 400);
    CHECK(client.post("/v1/match", "{}", "Content-Type: application/jsonx\r\n").status == 415);
    CHECK(client.post("/v1/match", "{}", "Content-Type: Application/JSON; charset=utf-8\r\n").status == 400);
}

TEST_CASE("a trial that takes too long is given up") {
    using Limits = std::vector<std::string>;
    // By the first filter each event is within the budget, and not all of them together.
    const auto [limits, filter] = GENERATE(table<Limits, std::string>({
        {Limits{"limits.event_time=1ms"}, "edit-distance(title, '" + std::string(300, 'a') + "', 'typing') > 99"},
        {Limits{"limits.condition_steps=1000"}, "count(//title[. = 'x']) > 1"},
        {Limits{"limits.document_steps=1000"}, "count(//title[. = 'x']) > 1"},
    }));
    RunningBroker running(limits);
    HttpClient client(running.port());
    std::vector<std::string> items;
    for (int i = 0; i < 2000; ++i) items.push_back(item(std::to_string(i)));
    const Reply reply = match(client, {{"filter", filter}, {"document", rss(items)}});
    CHECK(reply.status == 413);
    CHECK(reply.body.find("exceeds the budget for a document") != std::string::npos);
}

TEST_CASE("a condition over its budget is unknown in a trial that others decide") {
    RunningBroker running({"limits.condition_steps=1000"});
    HttpClient client(running.port());
    std::vector<std::string> items;
    for (int i = 0; i < 200; ++i) items.push_back(item(std::to_string(i)));
    const Reply reply = match(client, {{"filter", "title = '7' or (title > 190 and count(//title[. = 'x']) > 1 and z)"},
                                       {"document", rss(items)}});
    REQUIRE(reply.status == 200);
    const json::value value = json::parse(reply.body);
    const json::array& leaves = value.at("leaves").as_array();
    for (std::size_t i = 0; i < 200; ++i) {
        const json::value& tried = value.at("items").at(i);
        CHECK(tried.at("matched") == (i == 7));
        for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
            const bool is_costly = leaves.at(leaf).at("leaf").as_string().starts_with("count");
            CHECK(tried.at("because").at(leaf).is_null() == is_costly);
        }
    }
}

TEST_CASE("a trial tells which items were refused") {
    RunningBroker running;
    HttpClient client(running.port());
    const json::value trial{
        {"filter", "a = 1"}, {"document", "{\"a\":1}\n7\n"}, {"content_type", "application/x-ndjson"}};
    const json::value reply = json::parse(match(client, trial).body);
    CHECK(reply.at("items").as_array().size() == 1);
    CHECK(reply.at("refused").to_number<int>() == 1);
    CHECK(reply.at("refusals").at(0).at("line").to_number<int>() == 2);
}

TEST_CASE("a trial repairs its document as its stream does, unless it says otherwise") {
    RunningBroker running({"streams={strict: {repair: strict}}"});
    HttpClient client(running.port());
    const std::string document = "<rss><channel><item><title>R&D</title></item></channel></rss>";
    json::value trial{{"filter", "title = 'R&D'"}, {"document", document}};
    const Reply lenient = match(client, trial);
    REQUIRE(lenient.status == 200);
    CHECK(json::parse(lenient.body).at("items").at(0).at("matched").as_bool());
    CHECK(json::parse(lenient.body).at("repaired").to_number<int>() == 1);
    CHECK(json::parse(lenient.body).at("repairs").at(0).at("kind") == "ampersand");
    trial.get_object()["stream"] = "strict";
    CHECK(match(client, trial).status == 400);
    trial.get_object()["repair"] = "lenient";
    CHECK(match(client, trial).status == 200);
    trial.get_object()["repair"] = "somehow";
    CHECK(match(client, trial).body.find("member \\\"repair\\\" is neither") != std::string::npos);
}

TEST_CASE("a reply grows with the items and with the leaves, not with their product") {
    RunningBroker running;
    HttpClient client(running.port());
    std::string filter = "title = 'a'";
    const std::string long_text(1'000, 'x');
    for (int i = 0; i < 20; ++i) filter += " or title = '" + long_text + std::to_string(i) + "'";
    const Reply reply =
        match(client, {{"filter", filter}, {"document", rss(std::vector<std::string>(500, item("a")))}});
    REQUIRE(reply.status == 200);
    CHECK(json::parse(reply.body).at("items").as_array().size() == 500);
    CHECK(reply.body.size() < 200'000);  // with all leaves' texts in each item: 10 MB
}

namespace {

// The request as bytes.
std::string match_request(const std::string& filter, const std::string& document) {
    const std::string body = json::serialize(json::value{{"filter", filter}, {"document", document}});
    return "POST /v1/match HTTP/1.1\r\nHost: t\r\n" + as_json + "Content-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

}  // namespace

TEST_CASE("a trial whose client leaves ends, also one that waits for a worker") {
    RunningBroker running(
        {"limits.condition_steps=1000000000000", "limits.document_steps=1000000000000", "limits.filter_searches=10"});
    const sluice::broker::Counters& counters = running.broker.counters();
    std::vector<std::string> items;
    for (int i = 0; i < 9'000; ++i) items.push_back(item(std::to_string(i)));
    // Takes as many steps as there are triples of items: hours.
    const std::string endless = "count(//item[title = following::item[title = following::title]/title]) > 1";
    {
        HttpClient first(running.port()), second(running.port());
        first.send(match_request(endless, rss(items)));
        second.send(match_request(endless, rss(items)));
        EVENTUALLY(running.broker.services().trials.waiting() == 1);
        second.socket().close();
        EVENTUALLY(counters.requests_abandoned == 1);
        CHECK(running.broker.services().trials.waiting() == 0);
        first.socket().shutdown(boost::asio::socket_base::shutdown_send);
        const Reply reply = first.read_reply();
        CHECK(reply.status == 503);
        CHECK(reply.body.find("the client closed the connection") != std::string::npos);
    }
    CHECK(counters.requests_abandoned == 2);
    HttpClient other(running.port());
    CHECK(match(other, {{"filter", "a"}, {"document", "<a/>"}}).status == 200);
}

namespace {

json::value tried(HttpClient& client, const json::value& body) {
    const Reply reply = match(client, body);
    INFO(reply.body);
    REQUIRE(reply.status == 200);
    return json::parse(reply.body);
}

void publish(HttpClient& client, const std::string& stream, const std::vector<std::string>& items) {
    const Reply reply = client.post("/v1/events?stream=" + stream, rss(items), "Content-Type: application/rss+xml\r\n");
    REQUIRE(reply.status == 202);
}

}  // namespace

TEST_CASE("a trial on what was published counts matches by the hour, and says why the newest match") {
    RunningBroker running;
    HttpClient client(running.port());
    for (int i = 0; i < 60; ++i) publish(client, i % 2 == 0 ? "s" : "t", {item(std::to_string(i), i < 50 ? "x" : "y")});
    const json::value reply =
        tried(client, {{"filter", "category='x' and title >= 0 or z"}, {"stream", "s"}, {"since", "1h"}});
    CHECK(reply.at("filter") == "category = 'x' and title >= 0 or z");
    CHECK(reply.at("events") == 30);
    CHECK(reply.at("matched") == 25);
    CHECK(reply.at("undecided") == json::value{{"over-budget", 0}, {"context", 0}, {"undelivered", 0}});
    CHECK(reply.at("complete") == true);
    CHECK(reply.at("reset") == "epoch");  // the broker began within the hour
    CHECK(reply.at("read_until").at("id") == 59);
    int events = 0, matched = 0;
    for (const json::value& hour : reply.at("hours").as_array()) {
        CHECK(hour.at("hour").as_string().ends_with(":00:00Z"));
        events += hour.at("events").to_number<int>();
        matched += hour.at("matched").to_number<int>();
    }
    CHECK(events == 30);
    CHECK(matched == 25);

    std::vector<std::string> leaves;
    for (const json::value& leaf : reply.at("leaves").as_array()) leaves.emplace_back(leaf.at("leaf").as_string());
    const json::array& examples = reply.at("examples").as_array();
    REQUIRE(examples.size() == 20);
    for (std::size_t i = 0; i < examples.size(); ++i) {
        const auto number = 48 - 2 * static_cast<int>(i);
        CHECK(examples.at(i).at("id") == number + 1);
        CHECK(examples.at(i).at("stream") == "s");
        CHECK(examples.at(i).at("title") == json::value(std::to_string(number)));
        CHECK(examples.at(i).at("item_id") == json::value(std::to_string(number)));
        CHECK(examples.at(i).at("time").as_string().ends_with("Z"));
        for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
            CHECK(examples.at(i).at("because").at(leaf) == (leaves[leaf] != "z"));
    }
    const json::value of_all = tried(client, {{"filter", "true()"}, {"stream", "*"}, {"since", "1h"}});
    CHECK(of_all.at("events") == 60);
    CHECK(of_all.at("examples").at(0).at("stream") == "t");
    CHECK(tried(client, {{"filter", "true()"}, {"stream", "none"}, {"since", "1h"}}).at("read_until").is_null());
}

TEST_CASE("a trial on what was published tells what is missing and what is undecided") {
    RunningBroker running({"streams={short: {retention: {events: 3}}}", "limits.condition_steps=1000"});
    HttpClient client(running.port());
    for (int i = 0; i < 5; ++i) publish(client, "short", {item(std::to_string(i))});
    const std::string begun =
        json::parse(client.get("/v1/streams/short").body).at("retained").at("oldest").as_string().c_str();
    json::value trial{{"filter", "true()"}, {"stream", "short"}, {"since", begun}};
    CHECK(tried(client, trial).at("reset").is_null());
    publish(client, "short", {item("more")});
    const json::value reply = tried(client, trial);
    CHECK(reply.at("reset") == "retention");
    CHECK(reply.at("events") == 3);

    std::vector<std::string> items;
    for (int i = 0; i < 200; ++i) items.push_back(item(std::to_string(i)));
    publish(client, "long", items);
    const json::value over = tried(client, {{"filter", "title = 7 or (title > 190 and count(//title[. = 'x']) > 1)"},
                                            {"stream", "long"},
                                            {"since", "1h"}});
    CHECK(over.at("matched") == 1);
    CHECK(over.at("undecided").at("over-budget") == 9);
    REQUIRE(over.at("examples").as_array().size() == 1);
    int unknown = 0;
    for (const json::value& leaf : over.at("examples").at(0).at("because").as_array())
        unknown += leaf.is_null() ? 1 : 0;
    CHECK(unknown <= 1);
    items.push_back(item("new"));
    publish(client, "long", items);  // the new one is kept alone
    const json::value beside = tried(client, {{"filter", "count(../item) > 1"}, {"stream", "long"}, {"since", "1h"}});
    CHECK(beside.at("matched") == 200);
    CHECK(beside.at("undecided").at("context") == 1);
}

TEST_CASE("a trial on what was published ends at limits.trial_time with what it has") {
    RunningBroker running({"limits.trial_time=10ms"});
    HttpClient client(running.port());
    std::vector<std::string> items;
    for (int i = 0; i < 2'000; ++i) items.push_back(item("t" + std::to_string(i)));
    for (int i = 0; i < 10; ++i)
        client.post("/v1/events?deduplicate=false", rss(items), "Content-Type: application/rss+xml\r\n");
    const json::value trial{{"filter", "title"}, {"since", "1h"}};
    const json::value reply = tried(client, trial);
    CHECK(reply.at("complete") == false);
    const auto events = reply.at("events").to_number<int>();
    CHECK(events < 20'000);
    CHECK(reply.at("matched") == events);
    CHECK(tried(client, trial).at("read_until") == reply.at("read_until"));
}

TEST_CASE("the examples of a trial on what was published have no answers beyond limits.event_time") {
    RunningBroker running({"limits.event_time=1ms"});
    HttpClient client(running.port());
    for (int i = 0; i < 20; ++i) publish(client, "s", {item(std::string(2'000, 'b') + std::to_string(i))});
    const json::value reply =
        tried(client, {{"filter", "edit-distance(title, '" + std::string(100, 'a') + "', 'typing') > 9"},
                       {"stream", "s"},
                       {"since", "1h"}});
    CHECK(reply.at("matched").to_number<int>() + reply.at("undecided").at("over-budget").to_number<int>() == 20);
    for (const json::value& example : reply.at("examples").as_array())
        CHECK(example.at("because").as_array().size() == 1);
}

TEST_CASE("a bad trial on what was published is refused with its reason") {
    RunningBroker running;
    HttpClient client(running.port());
    const auto detail = [&](const json::value& body) {
        const Reply reply = match(client, body);
        CHECK(reply.status == 400);
        return std::string(json::parse(reply.body).at("detail").as_string());
    };
    CHECK(detail({{"filter", "a"}, {"since", "1h"}, {"document", "<a/>"}}) == "member \"document\" excludes \"since\"");
    CHECK(detail({{"filter", "a"}, {"since", "1h"}, {"repair", "strict"}}) == "member \"repair\" excludes \"since\"");
    CHECK(detail({{"filter", "a"}, {"since", "soon"}}) ==
          "member \"since\" is not a time such as 2026-11-27T10:00:00Z, or a duration such as 30min or 24h");
    CHECK(detail({{"filter", "a"}, {"document", "<a/>"}, {"stream", "*"}}) == "member \"stream\" is not a stream name");
    CHECK(match(client, {{"filter", "a["}, {"since", "1h"}}).body.find("problem:filter") != std::string::npos);
}

TEST_CASE("a trial on what was published lets others in between, and ends with its client or the daemon") {
    RunningBroker running({"limits.condition_steps=1000000000000", "limits.document_steps=1000000000000",
                           "limits.trial_time=24h", "limits.filter_searches=10"});
    HttpClient client(running.port());
    for (int i = 0; i < 30; ++i) {
        std::vector<std::string> items;
        for (int k = 0; k < 600; ++k) items.push_back(item(std::to_string(i * 600 + k)));
        publish(client, "s", items);
    }
    // Takes as many steps for each document as there are triples of its items.
    const std::string filter = "count(//item[title = following::item[title = following::title]/title]) > 1";
    const std::string body = json::serialize(json::value{{"filter", filter}, {"stream", "s"}, {"since", "1h"}});
    HttpClient first(running.port());
    first.send("POST /v1/match HTTP/1.1\r\nHost: t\r\n" + as_json + "Content-Length: " + std::to_string(body.size()) +
               "\r\n\r\n" + body);
    EVENTUALLY(running.broker.services().memory.used(sluice::base::MemoryUse::evaluation) > 0);
    SECTION("a client that leaves") {
        CHECK(match(client, {{"filter", "a"}, {"document", "<a/>"}}).status == 200);
        first.socket().close();
        EVENTUALLY(running.broker.counters().requests_abandoned == 1);
    }
    SECTION("a daemon that drains") {
        running.broker.drain();
        const Reply reply = first.read_reply();
        CHECK(reply.status == 503);
        CHECK(reply.body.find("the broker is shutting down") != std::string::npos);
    }
}
