#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/base/workers.hpp"
#include "broker/core/counters.hpp"
#include "broker/server/api/services.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/support.hpp"

using sluice::base::MemoryUse;
using sluice::broker::HttpClient;
using sluice::broker::item;
using sluice::broker::percent_encode;
using sluice::broker::Reply;
using sluice::broker::rss;
using sluice::broker::RunningBroker;
namespace json = boost::json;

namespace {

std::string target(int id, const std::string& filter) {
    return "/v1/events/" + std::to_string(id) + "/why?filter=" + percent_encode(filter);
}

void publish(HttpClient& client, const std::vector<std::string>& items) {
    REQUIRE(client.post("/v1/events", rss(items), "Content-Type: application/rss+xml\r\n").status == 202);
}

}  // namespace

TEST_CASE("an explanation is that of the item with the id") {
    RunningBroker running;
    HttpClient client(running.port());
    publish(client, {item("one", "x"), item("two", "y"), item("six", "x")});
    for (const auto& [id, title, matched] : {std::tuple(1, "one", true), {2, "two", false}, {3, "six", true}}) {
        const Reply reply = client.get(target(id, "category = 'x'"));
        REQUIRE(reply.status == 200);
        const json::value said = json::parse(reply.body);
        CHECK(said.at("id") == id);
        CHECK(said.at("title") == title);
        CHECK(said.at("matched") == matched);
    }
    EVENTUALLY(running.broker.services().memory.used(MemoryUse::evaluation) == 0);
}

TEST_CASE("an explanation whose client leaves ends, also one that waits for a worker") {
    RunningBroker running(
        {"limits.condition_steps=1000000000000", "limits.document_steps=1000000000000", "limits.filter_searches=10"});
    const sluice::broker::Counters& counters = running.broker.counters();
    HttpClient other(running.port());
    std::vector<std::string> items;
    for (int i = 0; i < 9'000; ++i) items.push_back(item(std::to_string(i)));
    publish(other, items);
    // Takes as many steps as there are triples of items: hours.
    const std::string endless =
        "GET " + target(1, "count(//item[title = following::item[title = following::title]/title]) > 1") +
        " HTTP/1.1\r\nHost: t\r\n\r\n";
    {
        HttpClient first(running.port()), second(running.port());
        first.send(endless);
        second.send(endless);
        EVENTUALLY(running.broker.services().trials.waiting() == 1);
        second.socket().close();
        EVENTUALLY(counters.requests_abandoned == 1);
        first.socket().shutdown(boost::asio::socket_base::shutdown_send);
        const Reply reply = first.read_reply();
        CHECK(reply.status == 503);
        CHECK(reply.body.find("the client closed the connection") != std::string::npos);
    }
    CHECK(counters.requests_abandoned == 2);
    CHECK(other.get(target(1, "title")).status == 200);
}
