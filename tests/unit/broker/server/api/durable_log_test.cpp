// The API with a log on disk, which is not real here.
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <memory>
#include <optional>

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
#include "broker/store/wall_clock.hpp"
#include "config/load.hpp"
#include "config/options.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/core/ingest/disk_log.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
using broker::HttpClient;
using broker::item;
using broker::Reply;
using broker::rss;
using store::AppendError;

namespace {

const std::string xml = "Content-Type: application/rss+xml\r\n";

// A broker's I/O and publishing, without matching.
struct Process {
    explicit Process(store::Disk& disk) : log(disk) {
        log.at_once = true;
        log.now = store::wall_time();
        log.listen(broker::Dispatch(queue, fanout, counters, {}));
        publisher.streams().restore();
        services.find_user = [](std::string_view name) {
            return std::make_shared<const auth::User>(std::string(name), auth::Rights::everything());
        };
        listeners->start();
        threads.start();
        client.emplace(listeners->places().front().port);
    }
    ~Process() {
        client.reset();
        EVENTUALLY(connections.size() == 0);
        threads.stop();
    }

    config::Options options = broker::test_options();
    broker::Counters counters;
    base::MemoryBudget memory{std::size_t{1} << 30};
    // What subscribers use outlives the registry, whose thread may be the last to let go of one.
    broker::Mailboxes mailboxes;
    broker::EventMemory event_memory{memory, mailboxes, counters};
    server::Connections connections{10};
    server::IoThreads threads{1};
    broker::EventQueue queue{1'000, 1'000'000};
    broker::Fanout fanout{counters};
    broker::SubscriptionRegistry registry{{engine::Backend::naive, std::chrono::microseconds(0), 10, 10},
                                          fanout,
                                          [](std::shared_ptr<const engine::Program>) {}};
    store::DiskLog log;
    broker::Publisher publisher{{10, 10, std::chrono::hours(1'000)}, queue, log, counters, memory};
    base::Workers workers{1, 10};
    server::AddressTable addresses{{}};
    const server::BrowserRules browser_rules{options.http};
    server::Authentication authentication{{options.auth, {}, memory, counters}};
    broker::Replay replay{{}, {log, queue, event_memory, memory, counters}};
    broker::DurableSubscriptions subscriptions{
        {log, counters, registry, replay, memory, publisher.streams(), {}, 10, std::chrono::steady_clock::now}};
    const std::shared_ptr<const server::SseFramers> framers = std::make_shared<const server::SseFramers>(log.epoch());
    server::Services services{{options, counters, connections, memory, addresses},
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
                              std::make_shared<broker::IdempotencyKeys>(
                                  broker::IdempotencyKeys::Settings{100, std::chrono::hours(1)}, memory),
                              std::chrono::steady_clock::now()};
    server::HttpSessions sessions{services, browser_rules, authentication, server::make_router(services)};
    const std::shared_ptr<server::Listeners> listeners =
        std::make_shared<server::Listeners>(threads, services, sessions, nullptr);
    std::optional<HttpClient> client;
};

struct Fixture {
    store::Disk disk;
    std::unique_ptr<Process> process = std::make_unique<Process>(disk);

    void restart() {
        process.reset();
        process = std::make_unique<Process>(disk);
    }
    Reply post(const std::string& body, const std::string& fields = "", const std::string& query = "") {
        return process->client->post("/v1/events" + query, body, xml + fields);
    }
    Reply request(const std::string& method, const std::string& target, const std::string& body = "") {
        process->client->send(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                              std::to_string(body.size()) + "\r\n\r\n" + body);
        return process->client->read_reply();
    }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "Log on disk: restart → items are known, and ids go on") {
    CHECK(
        post(rss({item("a"), item("b")})).body ==
        R"({"stream":"default","received":2,"new":2,"updated":0,"unchanged":0,"first_id":1,"last_id":2,"stored":"synced"})");
    restart();
    CHECK(
        post(rss({item("a"), item("b", "x"), item("c")})).body ==
        R"({"stream":"default","received":3,"new":1,"updated":1,"unchanged":1,"first_id":3,"last_id":4,"stored":"synced"})");
    CHECK(
        post(rss({item("a")})).body ==
        R"({"stream":"default","received":1,"new":0,"updated":0,"unchanged":1,"first_id":null,"last_id":null,"stored":"synced"})");
}

TEST_CASE_METHOD(Fixture, "Log on disk: Idempotency-Key used before a restart → the first reply, or 422") {
    const std::string key = "Idempotency-Key: k\r\n", json = "Content-Type: application/x-ndjson\r\n";
    const auto publish = [&](const std::string& body) { return process->client->post("/v1/events", body, json + key); };
    const Reply first = publish("{\"a\":1}\n[2]\n{\"a\":3}\n");
    CHECK(first.status == 202);
    CHECK(first.body.find(R"("stored":"synced","refused":1,"refusals":[{"index":1,)") != std::string::npos);
    for (int i = 0; i < 2; ++i) {
        restart();
        for (int again = 0; again < 2; ++again) {
            const Reply reply = publish("{\"a\":1}\n[2]\n{\"a\":3}\n");
            CHECK(reply.status == 202);
            CHECK(reply.body == first.body);
        }
        CHECK(publish("{\"a\":4}\n").status == 422);
    }
    restart();
    CHECK(publish("{\"a\":4}\n").status == 422);
    CHECK(disk.last_id == 2);
    process->log.condition = store::LogState::Condition::failed;
    CHECK(publish("{\"a\":4}\n").status == 503);
}

TEST_CASE_METHOD(Fixture, "Log on disk: append fails → 507 or 503, which say what became of the document") {
    process->log.end_error = AppendError::no_space;
    const Reply full = post(rss({item("a")}));
    CHECK(full.status == 507);
    CHECK(full.headers.at("retry-after") == "5");
    CHECK(full.body.find("nothing was stored") != std::string::npos);
    process->log.end_error = AppendError::unknown;
    const Reply failed = post(rss({item("a")}));
    CHECK(failed.status == 503);
    CHECK(failed.headers.contains("retry-after"));
    CHECK(failed.body.find("not known whether this was stored") != std::string::npos);
    process->log.end_error.reset();
    process->log.condition = store::LogState::Condition::failed;
    CHECK(post(rss({item("a")})).status == 503);
    const auto status = boost::json::parse(process->client->get("/v1/status").body);
    CHECK(status.at("log").at("state") == "failed");
    CHECK(status.at("log").at("reason") == "for a test");
    CHECK(status.at("log").at("durability") == "synced");
    process->log.condition = store::LogState::Condition::open;
    CHECK(post(rss({item("a")})).body.find("\"new\":1") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "Log on disk: backup → 201 with what it has, or why there is none") {
    post(rss({item("a"), item("b")}));
    const auto back_up = [this] { return request("POST", "/v1/store/backup", R"({"path": "x"})"); };
    const Reply made = back_up();
    CHECK(made.status == 201);
    const auto backup = boost::json::parse(made.body);
    CHECK(backup.at("path") == "/backups/x");
    CHECK(backup.at("last_id") == 2);
    CHECK(backup.at("bytes") == 1'000);
    CHECK(backup.at("epoch") == boost::json::string_view(process->log.epoch()));
    using Reason = store::BackupRefusal::Reason;
    const std::pair<Reason, unsigned> statuses[] = {{Reason::path, 400},
                                                    {Reason::exists, 409},
                                                    {Reason::busy, 503},
                                                    {Reason::no_space, 507},
                                                    {Reason::failed, 500}};
    for (const auto& [reason, status] : statuses) {
        process->log.backup_refusal = {reason, "because of a test"};
        const Reply refused = back_up();
        CHECK(refused.status == status);
        CHECK(refused.body.find("because of a test") != std::string::npos);
    }
}

TEST_CASE_METHOD(Fixture, "Log on disk: streams are defined, changed and deleted for good, or the reply says so") {
    CHECK(request("PUT", "/v1/streams/s", R"({"id_path": "@id"})").status == 201);
    CHECK(request("PUT", "/v1/streams/t", "{}").status == 201);
    CHECK(request("PATCH", "/v1/streams/s", R"({"deduplicate": false})").status == 200);
    CHECK(request("DELETE", "/v1/streams/t").status == 204);
    restart();
    CHECK(request("GET", "/v1/streams/t").status == 404);
    const auto options = boost::json::parse(request("GET", "/v1/streams/s").body).at("options");
    CHECK(options.at("id_path") == "@id");
    CHECK(options.at("deduplicate") == false);

    process->log.sync_error = AppendError::no_space;
    const Reply full = request("PATCH", "/v1/streams/s", R"({"id_path": "@other"})");
    CHECK(full.status == 507);
    CHECK(full.body.find("in force") != std::string::npos);
    CHECK(request("GET", "/v1/streams/s").body.find("@other") != std::string::npos);
    CHECK(request("PATCH", "/v1/streams/none", "{}").status == 404);
    process->log.sync_error = AppendError::unknown;
    CHECK(request("PUT", "/v1/streams/u", "{}").status == 503);
    CHECK(request("GET", "/v1/streams/u").status == 200);
    CHECK(request("DELETE", "/v1/streams/u").status == 503);
    CHECK(request("GET", "/v1/streams/u").status == 404);
}

TEST_CASE_METHOD(Fixture, "Log on disk: since is found on a worker, and refused if it is none") {
    CHECK(request("GET", "/v1/events?since=yesterday").status == 400);
    CHECK(request("GET", "/v1/events?since=1h&until=now").status == 200);
}

TEST_CASE_METHOD(Fixture, "Log on disk: restart → a subscription is still its owner's, and nobody's is nobody's") {
    const auto begin = [&] {
        process->subscriptions.restore([](const std::string& text) {
            config::SubscriptionOptions options;
            return config::parse_subscription_options("", text, options).empty() ? std::optional(options)
                                                                                 : std::nullopt;
        });
    };
    begin();
    for (const char* query : {"", "?owner=alice", "?owner=bob"}) {
        const Reply made = request("PUT", std::string("/v1/subscriptions/work") + query, R"({"prefetch":7})");
        INFO(made.body);
        CHECK(made.status == 201);
    }
    CHECK(request("DELETE", "/v1/subscriptions/work?owner=bob").status == 204);
    restart();
    begin();
    const boost::json::value all = boost::json::parse(request("GET", "/v1/subscriptions?owner=*").body);
    REQUIRE(all.at("total").to_number<int>() == 2);
    CHECK(all.at("subscriptions").at(0).at("owner").is_null());
    CHECK(all.at("subscriptions").at(1).at("owner").as_string() == "alice");
    CHECK(all.at("subscriptions").at(1).at("name").as_string() == "work");
    CHECK(all.at("subscriptions").at(1).at("options").at("prefetch").to_number<int>() == 7);
}
