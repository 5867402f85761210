#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>

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
