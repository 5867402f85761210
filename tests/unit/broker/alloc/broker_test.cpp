// A broker whose allocations fail one after another: requests are refused or lost with their connection, the process
// survives, and afterwards everything works again.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>

#include "broker/core/counters.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/net/connections.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/failing_allocations.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
using namespace sluice::broker;
using testing::FailingAllocations;

namespace {

const std::string xml = "Content-Type: application/rss+xml\r\n";

// Whether a subscriber gets what is published. False if a connection is lost, as one is that does nothing for half a
// second.
bool works(std::uint16_t port, const std::string& stream) {
    try {
        HttpClient subscriber(port), publisher(port);
        subscribe(subscriber, "?stream=" + stream + "&filter=" + percent_encode("category = 'news'"));
        const std::string target = "/v1/events?deduplicate=false&stream=" + stream;
        REQUIRE(publisher.post(target, rss({item("a"), item("b")}), xml).status == 202);
        for (const char* title : {"\"a\"", "\"b\""}) {
            const auto event = subscriber.read_event();
            REQUIRE(event);
            REQUIRE(event->find(title) != std::string::npos);
        }
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

void everything_works(std::uint16_t port, const std::string& stream) { EVENTUALLY(works(port, stream)); }

// Connections and subscriptions that were lost have ended.
void nothing_is_left(Broker& broker) {
    server::Services& services = broker.services();
    EVENTUALLY(services.connections.size() == 0);
    EVENTUALLY(services.subscribers == 0);
    EVENTUALLY(services.registry.size() == 0);
    CHECK(services.event_streams == 0);
}

// Requests of all kinds; their results are ignored. A lost connection throws.
void attempt_everything(std::uint16_t port, std::size_t i) {
    const std::string stream = "s" + std::to_string(i % 10);
    const auto attempt = [](const auto& act) {
        try {
            act();
        } catch (const std::exception&) {
        }
    };
    std::optional<HttpClient> subscriber;
    attempt([&] {
        subscriber.emplace(port);
        subscribe(*subscriber,
                  "?stream=" + stream + "&filter=" + percent_encode("boolean(//a[. = 'x']) or title = 'a'"));
    });
    attempt([&] {
        HttpClient client(port);
        client.post("/v1/events?stream=" + stream, rss({item("a" + std::to_string(i)), item("b")}), xml);
        client.get("/v1/status");
    });
    attempt([&] {
        HttpClient client(port);
        client.post("/v1/match", R"({"filter": "title = 'a'", "document": "<rss><channel><item/></channel></rss>"})",
                    "Content-Type: application/json\r\n");
    });
}

}  // namespace

TEST_CASE("each allocation that a broker makes may fail", "[alloc]") {
    FailingAllocations::exempt_this_thread();
    RunningBroker running({"http.request_timeout=500ms", "http.idle_timeout=500ms", "matcher.apply_delay=0us"});
    everything_works(running.port(), "warm");
    std::uint64_t failed = 0;
    const std::uint64_t last =
        std::getenv("SLUICE_ALLOCATIONS") ? std::strtoull(std::getenv("SLUICE_ALLOCATIONS"), nullptr, 10) : 400;
    for (std::uint64_t n = 1; n <= last; ++n) {
        CAPTURE(n);
        FailingAllocations::fail_every(n, true);
        attempt_everything(running.port(), n);
        FailingAllocations::stop();
        failed += FailingAllocations::failed();
        if (n % 20 == 0) everything_works(running.port(), "after");
    }
    CHECK(failed > std::min<std::uint64_t>(last / 2, 300));  // one attempt makes some hundred allocations
    everything_works(running.port(), "after");
    nothing_is_left(running.broker);
}

TEST_CASE("a broker starts whole or says that it lacks memory", "[alloc]") {
    std::size_t refused = 0, started = 0;
    bool more = true;
    for (std::uint64_t n = 1; more; ++n) {
        CAPTURE(n);
        std::optional<RunningBroker> running;
        FailingAllocations::exempt_this_thread(false);
        FailingAllocations::fail_every(n, true);
        try {
            running.emplace(std::vector<std::string>{"matcher.threads=2"});
        } catch (const std::exception&) {
        }
        FailingAllocations::exempt_this_thread();
        more = FailingAllocations::failed() != 0;
        FailingAllocations::stop();
        if (running) {
            ++started;
            everything_works(running->port(), "after");
        } else {
            ++refused;
        }
    }
    CHECK(refused > 100);
    CHECK(started > 0);
}

TEST_CASE("a broker drains whichever allocation fails", "[alloc]") {
    FailingAllocations::exempt_this_thread();
    std::size_t well = 0;
    bool more = true;
    for (std::uint64_t n = 1; more; ++n) {
        CAPTURE(n);
        RunningBroker running;
        HttpClient subscriber(running.port()), publisher(running.port());
        subscribe(subscriber, "?stream=s");
        REQUIRE(publisher.post("/v1/events?stream=s", rss({item("a")}), xml).status == 202);
        FailingAllocations::exempt_this_thread(false);
        FailingAllocations::fail_every(n, true);
        running.broker.drain();
        FailingAllocations::exempt_this_thread();
        more = FailingAllocations::failed() != 0;
        FailingAllocations::stop();
        CHECK(running.broker.services().connections.size() == 0);
        bool ended_well = false;
        try {
            const auto event = subscriber.read_event();
            ended_well = event && event->find("\"a\"") != std::string::npos && !subscriber.read_event();
        } catch (const std::exception&) {  // the connection is lost
        }
        well += ended_well ? 1u : 0u;
        if (!more) CHECK(ended_well);
    }
    CHECK(well > 1);
}

TEST_CASE("a document for whose tree there is no memory is published whole or not at all", "[alloc]") {
    FailingAllocations::exempt_this_thread();
    RunningBroker running({"matcher.apply_delay=0us"});
    const std::string xml_items = rss(std::vector<std::string>(300, item("a") + std::string(200, 'x')));
    std::string json_items;
    for (int i = 0; i < 1'000; ++i) json_items += "{\"a\":{\"b\":[1,2,3]}}\n";
    const std::pair<const std::string&, std::string> documents[] = {
        {xml_items, xml}, {json_items, "Content-Type: application/x-ndjson\r\n"}};
    for (const auto& [document, type] : documents) {
        std::size_t refused = 0;
        for (std::uint64_t n = 1; n <= 400; ++n) {
            CAPTURE(n, type);
            const std::uint64_t before = running.broker.counters().events;
            std::optional<Reply> reply;
            FailingAllocations::fail_every(n, true);
            try {
                reply = HttpClient(running.port()).post("/v1/events?deduplicate=false", document, type);
            } catch (const std::exception&) {  // the connection is lost
            }
            FailingAllocations::stop();
            const std::uint64_t published = running.broker.counters().events - before;
            if (!reply) continue;
            INFO(reply->body);
            if (reply->status == 202) {
                CHECK(published == (type == xml ? 300 : 1'000));
            } else {
                CHECK((reply->status == 503 || reply->status == 500));
                refused += published == 0 ? 1u : 0u;
            }
        }
        CHECK(refused > 0);
    }
    everything_works(running.port(), "after");
}

TEST_CASE("many allocations may fail", "[alloc]") {
    FailingAllocations::exempt_this_thread();
    RunningBroker running({"http.request_timeout=500ms", "http.idle_timeout=500ms", "matcher.apply_delay=0us"});
    for (const std::uint64_t n : {200u, 97u, 50u, 31u}) {
        CAPTURE(n);
        FailingAllocations::fail_every(n, false);
        for (std::size_t i = 0; i < 10; ++i) attempt_everything(running.port(), i);
        FailingAllocations::stop();
        everything_works(running.port(), "after");
    }
    nothing_is_left(running.broker);
}
