#include "broker/cli/client/acknowledger.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include "tests/unit/broker/cli/scripted_server.hpp"

using namespace sluice::cli;
using test::reply;
using test::ScriptedServer;

namespace {

HttpServer to(const ScriptedServer& server) {
    HttpServer address;
    static_cast<ServerUrl&>(address) = parse_server_url(server.url()).value();
    return address;
}

const Acknowledger::Subscription patient{"work", "10min", std::chrono::minutes(10)};

std::string done() { return reply("200 OK", "Content-Type: application/json\r\n", "{}"); }

boost::json::value body_of(const std::string& request) {
    return boost::json::parse(request.substr(request.find("\r\n\r\n") + 4));
}

}  // namespace

TEST_CASE("Acknowledger: what is handled → one request for many events") {
    ScriptedServer server({done()});
    const HttpServer address = to(server);
    Acknowledger acknowledger(address, patient);
    for (const char* id : {"k-1", "k-2", "k-3"}) CHECK(acknowledger.hold(id));
    acknowledger.acknowledge("k-1");
    acknowledger.reject("k-2", "exit status 3", "5s");
    acknowledger.acknowledge("k-3");
    CHECK(acknowledger.flush());
    CHECK(acknowledger.unsent().events == 0);
    const auto& requests = server.requests();
    CHECK_THAT(requests.at(0), Catch::StartsWith("POST /v1/subscriptions/work/ack HTTP/1.1\r\n") &&
                                   Catch::Contains("Content-Type: application/json\r\n"));
    CHECK(body_of(requests.at(0)) ==
          boost::json::parse(R"({"ids":["k-1","k-3"],"nack":[{"id":"k-2","delay":"5s","reason":"exit status 3"}]})"));
}

TEST_CASE("Acknowledger: enough events, or some time → a request without flush()") {
    ScriptedServer server({done(), done()});
    const HttpServer address = to(server);
    Acknowledger acknowledger(address, patient);
    acknowledger.acknowledge("k-0");
    while (acknowledger.unsent().events != 0) std::this_thread::yield();
    for (std::size_t n = 0; n < Acknowledger::events_enough; ++n) acknowledger.acknowledge("k-" + std::to_string(n));
    while (acknowledger.unsent().events != 0) std::this_thread::yield();
    std::size_t sent = 0;
    for (const std::string& request : server.requests()) sent += body_of(request).at("ids").as_array().size();
    CHECK(sent == Acknowledger::events_enough + 1);
}

TEST_CASE("Acknowledger: what waits to be handled → extended, until it is handled or lost") {
    ScriptedServer server({done(), done(), done()});
    const HttpServer address = to(server);
    Acknowledger acknowledger(address, {"work", "90ms", std::chrono::milliseconds(90)});
    CHECK(acknowledger.hold("k-1"));
    CHECK(!acknowledger.hold("k-1"));
    CHECK(acknowledger.hold("k-2"));
    for (const std::string& request : server.requests())
        CHECK_THAT(request, Catch::Contains(R"({"id":"k-1","by":"90ms"})"));
    acknowledger.forget_held();
    CHECK(acknowledger.hold("k-1"));
}

TEST_CASE("Acknowledger: a failure that may pass → the same again, later or by flush()") {
    ScriptedServer server({reply("503 Service Unavailable", "", R"({"detail":"busy"})"), "", done()});
    const HttpServer address = to(server);
    Acknowledger acknowledger(address, patient);
    acknowledger.acknowledge("k-1");
    CHECK(!acknowledger.flush());
    CHECK(acknowledger.unsent().events == 1);
    CHECK(acknowledger.unsent().reason == "the broker: busy");
    acknowledger.reject("k-2", "r", "1s");
    while (!acknowledger.flush())
        ;
    CHECK(acknowledger.unsent().events == 0);
    CHECK(acknowledger.unsent().reason.empty());
    CHECK(!acknowledger.refusal());
    const auto& requests = server.requests();
    CHECK(body_of(requests.at(0)) == boost::json::parse(R"({"ids":["k-1"]})"));
    CHECK(body_of(requests.at(2)) ==
          boost::json::parse(R"({"ids":["k-1"],"nack":[{"id":"k-2","delay":"1s","reason":"r"}]})"));
}

TEST_CASE("Acknowledger: a refusal → nothing is sent any more") {
    ScriptedServer server({reply("404 Not Found", "", R"({"detail":"no such subscription"})")});
    const HttpServer address = to(server);
    Acknowledger acknowledger(address, patient);
    acknowledger.acknowledge("k-1");
    CHECK(!acknowledger.flush());
    REQUIRE(acknowledger.refusal());
    CHECK(acknowledger.refusal()->status == 404);
    acknowledger.acknowledge("k-2");
    CHECK(!acknowledger.flush());
    CHECK(acknowledger.unsent().events == 2);
    CHECK(server.requests().size() == 1);
}
