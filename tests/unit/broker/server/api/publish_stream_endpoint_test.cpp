// POST /v1/publish: many documents in one request.
#include <algorithm>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <exception>
#include <optional>
#include <string>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/net/address_table.hpp"
#include "config/options.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice::broker;
namespace json = boost::json;

namespace {

const std::string ndjson = "Content-Type: application/x-ndjson\r\n";
const std::string sequence = "Content-Type: application/json-seq\r\n";

json::object publish(HttpClient& client, const std::string& body, const std::string& query = "",
                     const std::string& fields = ndjson) {
    const Reply reply = client.post("/v1/publish" + query, body, fields);
    CAPTURE(reply.body);
    REQUIRE(reply.status == 202);
    return json::parse(reply.body).as_object();
}

// "documents accepted/refused received new/updated/unchanged next"
std::string counts(const json::object& summary) {
    const auto number = [&](const char* name) { return json::serialize(summary.at(name)); };
    return number("documents") + " " + number("accepted") + "/" + number("refused") + " " + number("received") + " " +
           number("new") + "/" + number("updated") + "/" + number("unchanged") + " " + number("next_number");
}

std::string chunk(const std::string& data) {
    std::string size;
    for (std::size_t left = data.size(); left != 0; left /= 16) size += "0123456789abcdef"[left % 16];
    std::reverse(size.begin(), size.end());
    return (size.empty() ? "0" : size) + "\r\n" + data + "\r\n";
}

std::string head(const std::string& query = "", const std::string& fields = ndjson) {
    return "POST /v1/publish" + query + " HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n" + fields + "\r\n";
}

constexpr const char* end = "0\r\n\r\n";

// What the address of the tests' clients takes.
sluice::server::AddressPlace own_place(RunningBroker& running) {
    const auto now = sluice::server::AddressTable::Clock::now();
    return running.broker.services().addresses.connect(boost::asio::ip::address_v4::loopback(), now);
}

// Its further requests must wait for some half an hour.
void take_all_requests(const sluice::server::AddressPlace& place) {
    const auto later = sluice::server::AddressTable::Clock::now() + std::chrono::minutes(30);
    while (!place->take_request(later)) continue;
}

// Until it is destroyed, no document has room in the queue.
std::optional<EventQueue::Place> fill_queue(RunningBroker& running, const sluice::feed::DocumentPtr& filler) {
    const auto& services = running.broker.services();
    return services.queue.reserve("filler", *filler, services.options.matcher.queue_events, 1);
}

// A chunk of the reply that has one line.
json::object read_line(HttpClient& client) {
    client.read_until("\r\n");  // its size
    const std::string line = client.read_until("\n");
    client.read_until("\r\n");
    return json::parse(line).as_object();
}

}  // namespace

TEST_CASE("each line is a document, and a summary follows the last one") {
    RunningBroker running;
    HttpClient client(running.port());
    CHECK(client.post("/v1/publish?stream=s", "{\"a\":1}\n\n{\"a\":2}\n[{},{}]", ndjson).body ==
          R"({"stream":"s","documents":3,"accepted":3,"refused":0,"next_number":4,"received":4,"new":4,"updated":0,)"
          R"("unchanged":0,"first_id":1,"last_id":4,"stored":"memory"})");
    CHECK(counts(publish(client, "")) == "0 0/0 0 0/0/0 1");
    CHECK(counts(publish(client, "", "", "Content-Type: text/jsonl; charset=utf-8\r\n")) == "0 0/0 0 0/0/0 1");
    CHECK(running.broker.counters().documents == 3);
    CHECK(running.broker.services().publish_streams == 0);
}

TEST_CASE("a document that is refused is told with its place, and the others are published") {
    RunningBroker running({"limits.document_bytes=1KiB"});
    HttpClient client(running.port());
    const std::string large = "\"" + std::string(2'000, 'x') + "\"";
    const json::object summary = publish(client, "{}\n{\n\n7\n" + large + "\n{}\n");
    CHECK(counts(summary) == "5 2/3 2 2/0/0 6");
    const json::array& faults = summary.at("faults").as_array();
    REQUIRE(faults.size() == 3);
    CHECK(faults[0].at("number") == 2);
    CHECK(faults[0].at("line") == 2);
    CHECK(faults[0].at("status") == 400);
    CHECK(faults[1].at("number") == 3);
    CHECK(faults[1].at("line") == 4);
    CHECK(faults[2].at("number") == 4);
    CHECK(faults[2].at("line") == 5);
    CHECK(faults[2].at("status") == 413);
    CHECK(running.broker.counters().documents_refused.total() == 3);
    CHECK(publish(client, std::string(50, '7') + "\n").at("faults").as_array().size() == 1);
    std::string many;
    for (int i = 0; i < 30; ++i) many += "7\n";
    CHECK(publish(client, many).at("faults").as_array().size() == 20);
}

TEST_CASE("records of a sequence are documents of any type") {
    RunningBroker running;
    HttpClient client(running.port());
    const std::string feeds = "\x1e" + rss({item("a"), item("b")}) + "\n\x1e" + rss({item("a"), item("c")}) + "\n";
    CHECK(counts(publish(client, feeds, "?content_type=application/rss%2Bxml", sequence)) == "2 2/0 4 3/0/1 3");
    CHECK(counts(publish(client, "\x1e{}\n\x1e{\n}\n\x1e", "", sequence)) == "2 2/0 2 2/0/0 3");
    const json::object cut = publish(client, "\x1e{}\n\x1e{}", "", sequence);
    CHECK(counts(cut) == "2 1/1 1 1/0/0 3");
    CHECK(cut.at("faults").at(0).at("status") == 400);
}

TEST_CASE("what a stream of documents can't be is refused at once") {
    RunningBroker running;
    const auto status = [&](const std::string& query, const std::string& fields) {
        HttpClient client(running.port());
        const Reply reply = client.post("/v1/publish" + query, "{}\n", fields);
        CHECK(reply.headers.at("content-type") == "application/problem+json");
        return reply.status;
    };
    for (const char* query : {"?stream=a%20b", "?deduplicate=maybe", "?repair=maybe", "?strem=a", "?reply=all",
                              "?first_number=0", "?first_number=x", "?first_number=-1", "?stream=a&stream=b"}) {
        CAPTURE(query);
        CHECK(status(query, ndjson) == 400);
    }
    CHECK(status("", "Content-Type: application/json\r\n") == 415);
    CHECK(status("", "") == 415);
    CHECK(status("", "Content-Type: text/csv\r\n") == 415);
    CHECK(status("", ndjson + "Content-Encoding: gzip\r\n") == 415);
    CHECK(status("", ndjson + "ce-id: 1\r\n") == 400);
    CHECK(status("", ndjson + "Idempotency-Key: a b\r\n") == 400);
    CHECK(status("", ndjson + "Expect: more\r\n") == 417);
    CHECK(running.broker.counters().events == 0);
}

TEST_CASE("a body may come in any pieces, and another request follows it") {
    RunningBroker running;
    HttpClient client(running.port());
    const std::string body = "{\"a\":1}\n{\"b\":\"\xc3\xa9\"}\r\n7\n{}";
    for (const std::size_t piece : {1u, 2u, 5u, 100u}) {
        std::string request = head("?stream=s");
        for (std::size_t at = 0; at < body.size(); at += piece) request += chunk(body.substr(at, piece));
        client.send(request + end);
        const Reply reply = client.read_reply();
        CAPTURE(piece, reply.body);
        REQUIRE(reply.status == 202);
        CHECK(counts(json::parse(reply.body).as_object()) == "4 3/1 3 3/0/0 5");
    }
    CHECK(client.get("/healthz").status == 200);
    client.send(head() + "5\r\n{}\n{}\r\nx\r\n");
    const Reply broken = client.read_reply();
    CHECK(broken.status == 400);
    CHECK(counts(json::parse(broken.body).as_object()) == "1 1/0 1 1/0/0 2");
    CHECK(client.is_closed_by_peer());
}

TEST_CASE("with reply=stream each document is answered as it is done, before the next one comes") {
    const sluice::testing::TemporaryFolder folder;
    for (const std::string& store : {std::string("store.kind=memory"), std::string("store.kind=rocksdb")}) {
        RunningBroker running({store, "store.path=" + (folder.path() / "store").string()});
        HttpClient client(running.port());
        client.send(head("?stream=s&reply=stream"));
        const Reply begun = client.read_head();
        CHECK(begun.status == 200);
        CHECK(begun.headers.at("content-type") == "application/x-ndjson");
        for (int i = 1; i <= 3; ++i) {
            client.send(chunk("{\"a\":1}\n"));
            const json::object line = read_line(client);
            CHECK(line.at("number") == i);
            CHECK(line.at("new") == 1);
        }
        client.send(chunk("\n{\n"));
        const json::object refused = read_line(client);
        CHECK(refused.at("number") == 4);
        CHECK(refused.at("status") == 400);
        CHECK(refused.at("line") == 5);
        client.send(end);
        CHECK(counts(read_line(client)) == "4 3/1 3 3/0/0 5");
        CHECK(client.read_until("\r\n\r\n") == end);
        CHECK(client.is_closed_by_peer());
    }
}

TEST_CASE("documents are published as they come, in order, whether or not their appends have ended") {
    const sluice::testing::TemporaryFolder folder;
    RunningBroker running({"store.kind=rocksdb", "store.path=" + (folder.path() / "store").string()});
    HttpClient client(running.port()), subscriber(running.port());
    subscribe(subscriber, "?stream=s");
    client.send(head("?stream=s") + chunk("{\"n\":0}\n"));
    CHECK(subscriber.read_event()->find("\"data\":{\"n\":0}") != std::string::npos);
    constexpr int documents = 2'000;
    std::string body;
    for (int i = 1; i <= documents; ++i) body += "{\"n\":" + std::to_string(i) + "}\n";
    client.send(chunk(body) + end);
    for (int i = 1; i <= documents; ++i)
        REQUIRE(subscriber.read_event()->find("\"data\":{\"n\":" + std::to_string(i) + "}") != std::string::npos);
    const json::object summary = json::parse(client.read_reply().body).as_object();
    CHECK(summary.at("accepted") == documents + 1);
    CHECK(summary.at("last_id").as_int64() - summary.at("first_id").as_int64() == documents);
}

TEST_CASE("a repetition with the same Idempotency-Key publishes only what is missing") {
    const sluice::testing::TemporaryFolder folder;
    for (const std::string& store : {std::string("store.kind=memory"), std::string("store.kind=rocksdb")}) {
        RunningBroker running({store, "store.path=" + (folder.path() / "store").string()});
        const std::string fields = ndjson + "Idempotency-Key: k\r\n";
        {
            HttpClient cut(running.port());
            cut.send(head("?stream=s", fields) + chunk("{\"a\":1}\n{\"a\":2}\n{\"a\""));
            EVENTUALLY(running.broker.counters().documents == 2);
        }
        EVENTUALLY(running.broker.services().publish_streams == 0);
        HttpClient client(running.port());
        const std::string body = "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n";
        const json::object first = publish(client, body, "?stream=s", fields);
        CHECK(counts(first) == "3 3/0 3 3/0/0 4");
        CHECK(running.broker.counters().documents == 3);
        CHECK(publish(client, body, "?stream=s", fields) == first);
        CHECK(publish(client, "{\"a\":3}\n", "?stream=s&first_number=3", fields).at("new") == 1);
        CHECK(running.broker.counters().documents == 3);
        const json::object other = publish(client, "{\"b\":1}\n{\"a\":2}\n", "?stream=s", fields);
        CHECK(other.at("faults").at(0).at("status") == 422);
        CHECK(other.at("accepted") == 1);
        const std::string csv = "?stream=s&content_type=text%2Fcsv";  // the same text, but another document
        CHECK(publish(client, "{\"a\":1}\n", csv, fields).at("faults").at(0).at("status") == 422);
    }
}

TEST_CASE("the keys of a stream's documents are nobody else's") {
    RunningBroker running;
    HttpClient client(running.port());
    const auto key_of = [](const std::string& key) {
        return "Content-Type: application/json\r\nIdempotency-Key: " + key + "\r\n";
    };
    for (const char* key : {"k", "k/1", "k1", "k-1"}) CHECK(client.post("/v1/events", "{}", key_of(key)).status == 202);
    CHECK(counts(publish(client, "{\"a\":1}\n", "", ndjson + "Idempotency-Key: k\r\n")) == "1 1/0 1 1/0/0 2");
}

TEST_CASE("a record is not waited for for ever, but the next one is") {
    RunningBroker running({"http.request_timeout=200ms", "http.idle_timeout=1s"});
    HttpClient patient(running.port());
    patient.send(head() + chunk("{}\n"));
    HttpClient slow(running.port());
    slow.send(head() + chunk("{}\n{"));
    const Reply late = slow.read_reply();
    CHECK(late.status == 408);
    CHECK(counts(json::parse(late.body).as_object()) == "1 1/0 1 1/0/0 2");
    patient.send(chunk("{}\n") + end);
    CHECK(patient.read_reply().status == 202);
}

TEST_CASE("the daemon ends a stream of documents when it drains, and says how far it has come") {
    RunningBroker running;
    HttpClient client(running.port()), streamed(running.port());
    client.send(head("?first_number=11") + chunk("{}\n{}\n{"));
    streamed.send(head("?reply=stream") + chunk("{}\n"));
    EVENTUALLY(running.broker.counters().documents == 3);
    running.broker.drain();
    const Reply ended = client.read_reply();
    CHECK(ended.status == 503);
    CHECK(counts(json::parse(ended.body).as_object()) == "2 2/0 2 2/0/0 13");
    streamed.read_head();
    CHECK(read_line(streamed).at("number") == 1);
    const json::object last = read_line(streamed);
    CHECK(last.at("status") == 503);
    CHECK(last.at("next_number") == 2);
}

TEST_CASE("what a daemon that drains refuses has not come, so that the client sends it again") {
    RunningBroker running;
    auto& services = running.broker.services();
    HttpClient late(running.port()), waiting(running.port());
    for (HttpClient* each : {&late, &waiting}) each->send(head() + chunk("{}\n"));
    EVENTUALLY(running.broker.counters().documents == 2);
    const auto filler = document({item("a")});
    const auto full = fill_queue(running, filler);
    REQUIRE(full);
    waiting.send(chunk("{}\n{}\n"));
    EVENTUALLY(services.queue.waiting_publishers() == 1);
    services.draining = true;  // as in Broker::drain(), before the connections are told
    late.send(chunk("{}\n{\n"));
    services.queue.close();
    for (HttpClient* each : {&late, &waiting}) {
        const Reply ended = each->read_reply();
        CHECK(ended.status == 503);
        CHECK(counts(json::parse(ended.body).as_object()) == "1 1/0 1 1/0/0 2");
    }
}

TEST_CASE("every record is a request of its address, also a faulty one") {
    RunningBroker running(
        {"limits.address_exempt=[]", "limits.address_requests=1", "limits.document_bytes=1KiB", "publish.wait=0s"});
    const auto place = own_place(running);
    REQUIRE(place);
    HttpClient client(running.port());
    client.send(head() + chunk("{}\n"));
    EVENTUALLY(running.broker.counters().documents == 1);
    take_all_requests(place);
    client.send(chunk(std::string(2'000, 'x') + "\n{}\n") + end);
    const json::object summary = json::parse(client.read_reply().body).as_object();
    CHECK(counts(summary) == "3 1/2 1 1/0/0 4");
    for (const auto& fault : summary.at("faults").as_array()) CHECK(fault.at("status") == 429);
    CHECK(running.broker.counters().requests_refused[RequestRefusal::address_requests] == 2);
    CHECK(running.broker.counters().documents_refused.total() == 0);
}

TEST_CASE("the reply to a document does not wait with the next one") {
    SECTION("for room in the queue") {
        RunningBroker running;
        HttpClient client(running.port());
        client.send(head("?reply=stream"));
        CHECK(client.read_head().status == 200);
        const auto filler = document({item("a")});
        auto full = fill_queue(running, filler);
        REQUIRE(full);
        client.send(chunk("{\n{}\n"));
        CHECK(read_line(client).at("status") == 400);
        EVENTUALLY(running.broker.services().queue.waiting_publishers() == 1);
        full.reset();
        CHECK(read_line(client).at("new") == 1);
    }
    SECTION("for the rate of its address") {
        RunningBroker running({"limits.address_exempt=[]", "limits.address_requests=1", "publish.wait=1h"});
        const auto place = own_place(running);
        REQUIRE(place);
        HttpClient client(running.port());
        client.send(head("?reply=stream"));
        CHECK(client.read_head().status == 200);
        take_all_requests(place);
        client.send(chunk("{}\n{}\n"));
        CHECK(read_line(client).at("number") == 1);
        running.broker.drain();  // does not wait either
        CHECK(read_line(client).at("next_number") == 2);
    }
}

TEST_CASE("a stream of documents gives way while none is coming") {
    RunningBroker running({"limits.connections=2"});
    HttpClient idle(running.port()), busy(running.port());
    idle.send(head() + chunk("{}\n"));
    busy.send(head() + chunk("{}\n{"));
    EVENTUALLY(running.broker.counters().documents == 2);
    const auto is_admitted = [&] {
        HttpClient other(running.port());
        try {
            return other.get("/v1/streams").status == 200;
        } catch (const std::exception&) {
            return false;  // the connection was closed before the request came
        }
    };
    EVENTUALLY(is_admitted());
    const Reply ended = idle.read_reply();
    CHECK(ended.status == 503);
    CHECK(counts(json::parse(ended.body).as_object()) == "1 1/0 1 1/0/0 2");
    busy.send(chunk("}\n") + end);
    CHECK(busy.read_reply().status == 202);
}

TEST_CASE("documents that are not wanted are not asked for") {
    RunningBroker running;
    const std::string fields = ndjson + "Expect: 100-continue\r\n";
    HttpClient refused(running.port());
    refused.send(head("?reply=all", fields));
    CHECK(refused.read_reply().status == 400);
    for (const char* query : {"", "?reply=stream"}) {
        HttpClient client(running.port());
        client.send(head(query, fields));
        CHECK(client.read_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
        client.send(chunk("{}\n") + end);
        CHECK(client.read_head().status == (*query == '\0' ? 202u : 200u));
    }
}

TEST_CASE("a stream of documents keeps no room for a record that was refused") {
    RunningBroker running({"limits.document_bytes=1MiB", "limits.address_exempt=[]", "limits.address_bytes=3MiB"});
    const auto& memory = running.broker.services().memory;
    const auto place = own_place(running);
    REQUIRE(place);
    const auto has_share = [&] {
        constexpr std::size_t all = 3u << 20;
        const bool has = place->take_bytes(all);
        if (has) place->release_bytes(all);
        return has;
    };
    HttpClient client(running.port());
    client.send(head() + chunk("{}\n"));
    EVENTUALLY(running.broker.counters().documents == 1);
    client.send(chunk(std::string(500'000, 'x')));
    EVENTUALLY(memory.used(sluice::base::MemoryUse::bodies) > 500'000);
    EVENTUALLY(!has_share());
    client.send(chunk(std::string(1'000'000, 'x')));
    EVENTUALLY(has_share());  // what is dropped takes none
    client.send(chunk("\n"));
    EVENTUALLY(running.broker.counters().documents_refused.total() == 1);
    client.send(chunk("\n"));  // little has come, and the room for much goes
    EVENTUALLY(memory.used(sluice::base::MemoryUse::bodies) < 20'000);
    EVENTUALLY(has_share());
    client.send(chunk("{}\n") + end);
    CHECK(counts(json::parse(client.read_reply().body).as_object()) == "3 2/1 2 2/0/0 4");
}

TEST_CASE("a stream of documents gives back the memory that a record took") {
    RunningBroker running({"limits.document_bytes=8MiB"});
    auto& memory = running.broker.services().memory;
    HttpClient client(running.port());
    client.send(head() + chunk("{}\n"));
    EVENTUALLY(running.broker.counters().documents == 1);
    const std::size_t before = memory.used(sluice::base::MemoryUse::bodies);
    client.send(chunk("{\"a\":\"" + std::string(4'000'000, 'x')));
    EVENTUALLY(memory.used(sluice::base::MemoryUse::bodies) > before + 4'000'000);
    client.send(chunk("\"}\n") + chunk("{}\n"));
    const auto& counters = running.broker.counters();
    EVENTUALLY(counters.documents + counters.documents_refused.total() == 3);
    EVENTUALLY(memory.used(sluice::base::MemoryUse::bodies) < before + 1'000'000);
    client.send(end);
    CHECK(client.read_reply().status == 202);
    EVENTUALLY(memory.used(sluice::base::MemoryUse::bodies) == 0);
}
