#include <atomic>
#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <optional>
#include <utility>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/base/workers.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/delivery/mailboxes.hpp"
#include "broker/core/ingest/idempotency.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/core/matching/dispatch.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/core/matching/fanout.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/core/replay/replay.hpp"
#include "broker/core/subscriptions/durable_subscriptions.hpp"
#include "broker/server/api/limits.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/endpoints.hpp"
#include "broker/server/http/authentication.hpp"
#include "broker/server/http/browser_rules.hpp"
#include "broker/server/http/http_sessions.hpp"
#include "broker/server/net/address_table.hpp"
#include "broker/server/net/connections.hpp"
#include "broker/server/net/io_threads.hpp"
#include "broker/server/net/listeners.hpp"
#include "broker/server/sse/sse_framer.hpp"
#include "broker/store/memory_log.hpp"
#include "config/options.hpp"
#include "protocol/feed/document_memory.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/skip.hpp"
#include "tests/unit/broker/support.hpp"

using sluice::broker::gzip;
using sluice::broker::HttpClient;
using sluice::broker::item;
using sluice::broker::Reply;
using sluice::broker::rss;
using sluice::broker::RunningBroker;

namespace {

const std::string xml = "Content-Type: application/rss+xml\r\n";

}  // namespace

TEST_CASE("publishing says what became of the items") {
    RunningBroker running;
    HttpClient client(running.port());
    CHECK(
        client.post("/v1/events?stream=s", rss({item("a"), item("b")}), xml).body ==
        R"({"stream":"s","received":2,"new":2,"updated":0,"unchanged":0,"first_id":1,"last_id":2,"stored":"memory"})");
    CHECK(
        client.post("/v1/events?stream=s", rss({item("a"), item("b", "x"), item("c")}), xml).body ==
        R"({"stream":"s","received":3,"new":1,"updated":1,"unchanged":1,"first_id":3,"last_id":4,"stored":"memory"})");
    CHECK(
        client.post("/v1/events?stream=s", rss({item("a")}), xml).body ==
        R"({"stream":"s","received":1,"new":0,"updated":0,"unchanged":1,"first_id":null,"last_id":null,"stored":"memory"})");
    CHECK(
        client.post("/v1/events?stream=s&deduplicate=false", rss({item("a")}), xml).body ==
        R"({"stream":"s","received":1,"new":1,"updated":0,"unchanged":0,"first_id":5,"last_id":5,"stored":"memory"})");
}

TEST_CASE("bad parameters are refused by name") {
    RunningBroker running;
    HttpClient client(running.port());
    for (const char* query : {"?stream=a%20b", "?stream=", "?stream=*", "?deduplicate=maybe", "?repair=maybe",
                              "?strem=a", "?stream=a&stream=b"}) {
        CAPTURE(query);
        const Reply reply = client.post(std::string("/v1/events") + query, rss({item("a")}), xml);
        CHECK(reply.status == 400);
        CHECK(reply.headers.at("content-type") == "application/problem+json");
    }
    CHECK(client.post("/v1/events?strem=a", "", xml).body.find("unknown parameter \\\"strem\\\"") != std::string::npos);
    CHECK(running.broker.counters().events == 0);
}

TEST_CASE("a document that is refused publishes nothing and says where the fault is") {
    RunningBroker running;
    HttpClient client(running.port());
    const Reply truncated = client.post("/v1/events", "<rss><channel>\n<item></chan", xml);
    CHECK(truncated.status == 400);
    CHECK(truncated.body.find("\"type\":\"urn:sluice:problem:document\"") != std::string::npos);
    CHECK(truncated.body.find("\"line\":2") != std::string::npos);
    CHECK(client.post("/v1/events?repair=strict", rss({item("\xff")}), xml).status == 400);
    CHECK(client.post("/v1/events", rss({item("a")}), "Content-Type: image/png\r\n").status == 415);
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "<a>";
    CHECK(client.post("/v1/events", deep, xml).status == 413);
    CHECK(running.broker.counters().events == 0);
    CHECK(running.broker.counters().documents_refused.total() == 4);
    CHECK(client.post("/v1/events", rss({item("a")}), xml).status == 202);
}

TEST_CASE("a document that is not well-formed is repaired, unless the stream or the request wants it strict") {
    RunningBroker running({"streams={strict: {repair: strict}}"});
    HttpClient client(running.port());
    const std::string broken =
        "<rss><channel>\n<item><title>a</title></item><item><guid>R&D & more</guid><br></item></channel></rss>";
    CHECK(
        client.post("/v1/events", broken, xml).body ==
        R"({"stream":"default","received":2,"new":2,"updated":0,"unchanged":0,"first_id":1,"last_id":2,"stored":"memory","repaired":3,)"
        R"("repairs":[{"kind":"ampersand","reason":"an '&' that begins no reference","count":2,)"
        R"("line":2,"column":43,"offset":57},{"kind":"unclosed-element","reason":"<br> has no end tag",)"
        R"("count":1,"line":2,"column":59,"offset":73}]})");
    CHECK(client.post("/v1/events", broken, xml).body.find("\"new\":0,\"updated\":0,\"unchanged\":2") !=
          std::string::npos);
    CHECK(client.post("/v1/events?repair=strict", broken, xml).status == 400);
    CHECK(client.post("/v1/events?stream=strict", broken, xml).status == 400);
    CHECK(client.post("/v1/events?stream=strict&repair=lenient", broken, xml).status == 202);
    CHECK(running.broker.counters().documents_repaired == 3);
}

TEST_CASE("a document that is no feed is refused with 422") {
    RunningBroker running({"streams={pages: {event_path: //p}}"});
    HttpClient client(running.port());
    const std::string page = "<html><body><p>Not found</p></body></html>";
    for (const std::string& text :
         {page, std::string("<!DOCTYPE html><html><body><p>Not found<br></body></html>"),
          std::string("<Error><Code>AccessDenied</Code></Error>"), std::string("<opml><body><outline/></body></opml>"),
          std::string("{\"error\":\"not found\"}")}) {
        CAPTURE(text);
        const Reply reply = client.post("/v1/events", text, xml);
        CHECK(reply.status == 422);
        CHECK(reply.body.find("\"type\":\"urn:sluice:problem:document\"") != std::string::npos);
    }
    CHECK(client.post("/v1/events?stream=pages", page, xml).status == 202);
    CHECK(client.post("/v1/events", "<rss/>", xml).status == 202);
    CHECK(running.broker.counters().events == 1);
}

TEST_CASE("gzip is undone within the limit, and other codings are refused") {
    RunningBroker running({"limits.document_bytes=100KiB"});
    HttpClient client(running.port());
    const std::string gz = xml + "Content-Encoding: gzip\r\n";
    CHECK(client.post("/v1/events", gzip(rss({item("a")})), gz).status == 202);
    CHECK(client.post("/v1/events", gzip(rss({item(std::string(200'000, 'x'))})), gz).status == 413);
    CHECK(client.post("/v1/events", "not gzip", gz).status == 400);
    const Reply other = client.post("/v1/events", "x", xml + "Content-Encoding: br\r\n");
    CHECK(other.status == 415);
    CHECK(other.headers.at("accept-encoding") == "gzip");
    const std::string plain = rss({item("b")}), packed = gzip(plain);
    struct Case {
        const char* fields;
        std::string body;
        unsigned status;
    };
    const Case cases[] = {
        {"Content-Encoding: GZIP\r\n", packed, 202},
        {"Content-Encoding: X-Gzip\r\n", packed, 202},
        {"Content-Encoding: gzip, identity\r\n", packed, 202},
        {"Content-Encoding: identity ,, gzip\r\n", packed, 202},
        {"Content-Encoding: identity\r\nContent-Encoding: gzip\r\n", packed, 202},
        {"Content-Encoding: Identity, identity\r\n", plain, 202},
        {"Content-Encoding: \r\n", plain, 202},
        {"Content-Encoding: gzip\r\n", packed + std::string(1'000, '\0'), 202},
        {"Content-Encoding: gzip, gzip\r\n", packed, 415},
        {"Content-Encoding: gzip\r\nContent-Encoding: br\r\n", packed, 415},
        {"Content-Encoding: deflate\r\n", packed, 415},
        {"Content-Encoding: gzip\r\n", packed + "x", 400},
    };
    for (const Case& each : cases) {
        CAPTURE(each.fields);
        const Reply reply = client.post("/v1/events", each.body, xml + each.fields);
        CHECK(reply.status == each.status);
        CHECK((reply.headers.count("accept-encoding") == 1) == (each.status == 415));
    }
    CHECK(client.post("/v1/events", plain, gz)
              .body.find("the body is not gzip: it begins with the bytes 3c 72 73 73, "
                         "not with 1f 8b; leave out Content-Encoding if it is not "
                         "compressed") != std::string::npos);
}

TEST_CASE("a stream's options apply to it alone") {
    RunningBroker running({"streams={w: {event_path: //obs, deduplicate: false}}"});
    HttpClient client(running.port());
    const std::string body = "<d><a><obs>1</obs></a><obs>1</obs></d>";
    CHECK(client.post("/v1/events?stream=w", body, "Content-Type: application/xml\r\n").body.find("\"new\":2") !=
          std::string::npos);
    CHECK(client.post("/v1/events?stream=w", body, "Content-Type: application/xml\r\n").body.find("\"new\":2") !=
          std::string::npos);
}

TEST_CASE("a client that has closed its sending side may publish a document of any size") {
    RunningBroker running;
    for (const std::size_t items : {1u, 2'000u}) {
        HttpClient client(running.port());
        const std::string body = rss(std::vector<std::string>(items, item("a") + std::string(50, 'x')));
        client.send("POST /v1/events HTTP/1.1\r\nHost: t\r\n" + xml + "Content-Length: " + std::to_string(body.size()) +
                    "\r\n\r\n" + body);
        client.socket().shutdown(boost::asio::socket_base::shutdown_send);
        CHECK(client.read_reply().status == 202);
    }
}

TEST_CASE("without room a publisher waits, then gets 503, and nothing is published or remembered") {
    // A broker that is not started matches nothing: only its I/O runs, so the queue stays full.
    sluice::broker::Counters counters;
    sluice::base::MemoryBudget memory(std::size_t{1} << 30);
    // As in a broker, what subscribers use and the I/O threads' loops outlive those who use them.
    sluice::broker::Mailboxes mailboxes;
    sluice::broker::EventMemory event_memory(memory, mailboxes, counters);
    sluice::server::Connections connections(10);
    sluice::server::IoThreads threads(1);
    sluice::broker::EventQueue queue(1, 1'000'000);
    sluice::config::Options options = sluice::broker::test_options({"publish.wait=1ms"});
    sluice::broker::Fanout fanout(counters);
    sluice::broker::SubscriptionRegistry registry(
        {sluice::engine::Backend::naive, std::chrono::microseconds(0), 10, 10}, fanout,
        [](std::shared_ptr<const sluice::engine::Program>) {});
    sluice::store::MemoryLog log(0, memory);
    log.listen(sluice::broker::Dispatch(queue, fanout, counters, {}));
    sluice::broker::Publisher publisher({10, 10, std::chrono::hours(1)}, queue, log, counters, memory);
    sluice::base::Workers workers(1, 10);
    sluice::server::AddressTable addresses({});
    const sluice::server::BrowserRules browser_rules(options.http);
    sluice::server::Authentication authentication({options.auth, {}, memory, counters});
    const auto keys =
        std::make_shared<sluice::broker::IdempotencyKeys>(sluice::broker::IdempotencyKeys::Settings(), memory);
    sluice::broker::Replay replay({}, {log, queue, event_memory, memory, counters});
    sluice::broker::DurableSubscriptions subscriptions(
        {log, counters, registry, replay, memory, publisher.streams(), {}, 10, std::chrono::steady_clock::now});
    const auto framers = std::make_shared<const sluice::server::SseFramers>(log.epoch());
    sluice::server::Services services{{options, counters, connections, memory, addresses},
                                      queue,
                                      publisher,
                                      registry,
                                      log,
                                      replay,
                                      subscriptions,
                                      framers,
                                      workers,
                                      workers,
                                      workers,
                                      mailboxes,
                                      browser_rules,
                                      authentication,
                                      keys,
                                      std::chrono::steady_clock::now()};
    sluice::server::HttpSessions sessions(services, browser_rules, authentication,
                                          sluice::server::make_router(services));
    const auto listeners = std::make_shared<sluice::server::Listeners>(threads, services, sessions, nullptr);
    listeners->start();
    threads.start();
    {
        HttpClient client(listeners->places().front().port);
        CHECK(client.post("/v1/events", rss({item("a"), item("b")}), xml).status == 202);
        const Reply busy = client.post("/v1/events", rss({item("c")}), xml);
        CHECK(busy.status == 503);
        CHECK(busy.headers.at("retry-after") == "1");
        CHECK(counters.documents_refused[sluice::broker::DocumentRefusal::queue_full] == 1);
        CHECK(counters.events == 2);

        // If room appears while a publisher waits, it is let in, and its item is still new.
        std::atomic<bool> is_patient{false};
        boost::asio::post(threads.next(), [&] {  // to the thread that reads it
            options.publish.wait = std::chrono::hours(1);
            is_patient = true;
        });
        EVENTUALLY(is_patient);
        const std::string body = rss({item("c")});
        const std::string post = "POST /v1/events HTTP/1.1\r\nHost: t\r\n" + xml +
                                 "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
        client.send("GET /healthz HTTP/1.1\r\nHost: t\r\n\r\n" + post);
        CHECK(client.read_reply().status == 200);  // the reply before it does not wait
        EVENTUALLY(queue.waiting_publishers() == 1);
        // Its stream could be evicted meanwhile: only the list of all streams, and this line, know it.
        CHECK(publisher.streams().known("default").stream.use_count() == 2);
        sluice::broker::QueuedBatch batch;
        queue.pop(sluice::broker::Lane::fast, 32, std::chrono::microseconds(0), batch);
        const Reply accepted = client.read_reply();
        CHECK(accepted.status == 202);
        CHECK(accepted.body.find("\"new\":1") != std::string::npos);
        CHECK(accepted.body.find("\"first_id\":3") != std::string::npos);

        // What a client has left while it waited is not published, and another one gets the room.
        HttpClient leaver(listeners->places().front().port);
        leaver.send(post);
        EVENTUALLY(queue.waiting_publishers() == 1);
        client.send(post);
        EVENTUALLY(queue.waiting_publishers() == 2);
        leaver.socket().shutdown(boost::asio::socket_base::shutdown_send);
        queue.finish(batch);
        batch.clear();
        queue.pop(sluice::broker::Lane::fast, 32, std::chrono::microseconds(0), batch);
        CHECK(leaver.read_reply().status == 503);
        CHECK(counters.documents_refused[sluice::broker::DocumentRefusal::abandoned] == 1);
        CHECK(client.read_reply().body.find("\"unchanged\":1") != std::string::npos);
        CHECK(counters.events == 3);
        CHECK(queue.waiting_publishers() == 0);
    }
    EVENTUALLY(connections.size() == 0);
    threads.stop();
}

TEST_CASE("a busy broker answers 503 to a document that would fit into an idle one, and 413 to any other", "[memory]") {
#ifdef __SANITIZE_THREAD__
    return sluice::testing::skip(
        "the thread sanitizer's own memory counts for limits.memory, and leaves bodies no room");
#endif
    using sluice::base::MemoryUse;
    RunningBroker running({"limits.memory=256MiB", "publish.wait=0s"});
    auto& memory = running.broker.services().memory;
    const auto limits = sluice::server::feed_limits(running.broker.services().options.limits);
    std::size_t replies[2] = {}, unsettled = 0;
    for (const char* each : {"some text ", "<a/>", "<a b='c'/>x "}) {
        for (std::size_t bytes = 3'000'000; bytes <= 15'000'000; bytes += 2'000'000) {
            std::string text = "<r><i>";
            while (text.size() < bytes) text += each;
            text += "</i></r>";
            const std::size_t needed = sluice::feed::document_memory_max(
                text,
                {"application/rss+xml", "", limits, sluice::feed::RepairMode::lenient, sluice::feed::DigestOptions{}});
            const auto could_fit = [&](std::size_t held) {
                return memory.could_fit(MemoryUse::documents, needed, held);
            };
            const bool fits = could_fit(text.size());
            if (fits != could_fit(text.size() + (1u << 20)) || needed < (40u << 20)) continue;
            const auto reply_status = [&]() -> std::optional<unsigned> {
                // The body finds room, the document does not.
                const std::size_t others = memory.ceiling(MemoryUse::bodies) - text.size() - (2u << 20);
                if (memory.used() > others) return std::nullopt;  // a large build
                const auto charge = memory.force_charge(MemoryUse::mailboxes, others - memory.used());
                HttpClient client(running.port());
                const Reply reply = client.post("/v1/events", text, xml);
                // The measured overhead has changed, or has become small enough for the document.
                if (fits != could_fit(text.size()) || (fits && reply.status == 202)) return std::nullopt;
                return reply.status;
            };
            // The overhead may change and change back within a request, which leaves the body no room: that is a 503.
            std::optional<unsigned> status = reply_status();
            for (int again = 0; again < 20 && !fits && status == 503u; ++again) status = reply_status();
            if (!status) {
                ++unsettled;
                continue;
            }
            CAPTURE(each, bytes, needed);
            CHECK(*status == (fits ? 503 : 413));
            ++replies[fits ? 1 : 0];
        }
    }
    INFO(replies[0] << " " << replies[1]);
    if (memory.idle_overhead() < (64u << 20) && unsettled == 0) CHECK((replies[0] > 0 && replies[1] > 0));
}
