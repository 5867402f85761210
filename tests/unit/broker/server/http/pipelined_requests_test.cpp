// Requests that arrive before those ahead of them have been answered: how many reads and writes they take, and that no
// reply waits with a later request. One thread does all of the connections' I/O.
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/core/refusals.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/http/reply_writer.hpp"
#include "broker/server/http/request_reader.hpp"
#include "broker/server/net/connections.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/gzip.hpp"
#include "tests/support/string_connection.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/broker/support.hpp"

namespace asio = boost::asio;
namespace server = sluice::server;
using sluice::base::MemoryUse;
using sluice::broker::DocumentRefusal;
using sluice::broker::item;
using sluice::broker::rss;
using sluice::broker::RunningBroker;
using sluice::testing::StringConnection;

namespace {

std::string get(const std::string& target, const std::string& fields = "") {
    return "GET " + target + " HTTP/1.1\r\nHost: test\r\n" + fields + "\r\n";
}

std::string publish_body(const std::string& body, const std::string& fields = "") {
    return "POST /v1/events HTTP/1.1\r\nHost: test\r\nContent-Type: application/rss+xml\r\n" + fields +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string publish(const std::string& title, const std::string& fields = "") {
    return publish_body(rss({item(title)}), fields);
}

// A document that is parsed on another thread, though it arrives at once: it might expand greatly.
std::string publish_compressed() {
    std::minstd_rand random;
    std::string title;
    while (title.size() < 2'000) title += static_cast<char>('a' + random() % 26);
    const std::string body = sluice::testing::gzip(rss({item(title)}));
    REQUIRE(body.size() > 1'024);
    REQUIRE(body.size() < 3'000);
    return publish_body(body, "Content-Encoding: gzip\r\n");
}

std::string times(std::size_t n, const std::string& text) {
    std::string all;
    for (std::size_t i = 0; i < n; ++i) all += text;
    return all;
}

std::size_t count(std::string_view text, std::string_view what) {
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + what.size())) ++n;
    return n;
}

// The statuses of whole replies to requests other than HEAD, such as "200 404". What follows them is "unfinished".
std::string statuses(std::string_view text) {
    constexpr std::string_view name = "Content-Length: ";
    std::string found;
    while (!text.empty()) {
        if (!found.empty()) found += ' ';
        const std::size_t end = text.find("\r\n\r\n");
        if (end == text.npos || !text.starts_with("HTTP/1.1 ")) return found + "unfinished";
        const std::size_t at = text.substr(0, end).find(name);
        const std::size_t body = at == text.npos ? 0 : std::stoul(std::string(text.substr(at + name.size(), 20)));
        if (text.size() - end - 4 < body) return found + "unfinished";
        found += text.substr(9, 3);
        text.remove_prefix(end + 4 + body);
    }
    return found;
}

struct Pipeline {
    explicit Pipeline(server::Router router = {}, std::vector<std::string> overrides = {})
        : running(std::move(overrides)),
          connection(io, running.broker.services(), std::string::npos, std::string::npos, std::move(router)) {
        settle();
    }

    // Runs until nothing is ready.
    void settle() {
        io.restart();
        io.poll();
    }
    void send(std::string_view bytes) {
        connection.send(bytes);
        settle();
    }
    std::string found() const { return statuses(connection.output()); }
    std::size_t memory(MemoryUse use) { return running.broker.services().memory.used(use); }

    asio::io_context io{1};
    RunningBroker running;
    StringConnection connection;
};

// Endpoints of the test's own: /now answers at once, /long with the longest text that is collected, /longer with one
// more byte; /later, /watched and /prompt wait until they are let go on.
struct Waiting {
    server::Route route_of(std::string_view path) {
        const std::size_t bytes = path == "/long"     ? server::ReplyWriter::short_text_bytes
                                  : path == "/longer" ? longer_bytes
                                                      : 5;
        const bool is_prompt = path == "/prompt", waits = is_prompt || path == "/later" || path == "/watched";
        server::Route route{[this, bytes, waits, is_prompt](server::HttpRequest& request) {
            return answer(request, bytes, waits, is_prompt);
        }};
        route.watched = path == "/watched";
        route.prompt = !waits || is_prompt;
        return route;
    }
    asio::awaitable<server::HttpReply> answer(const server::HttpRequest& request, std::size_t bytes, bool waits,
                                              bool is_prompt) {
        most_bytes = std::max(most_bytes, pipeline.memory(MemoryUse::bodies));
        if (waits) {
            if (is_prompt && server::has_earlier_replies(request)) co_await server::write_earlier_replies(request);
            ++waiting;
            co_await timer.async_wait(server::no_throw);
            --waiting;
        }
        server::HttpReply reply;
        reply.body.assign(bytes, 'x');
        co_return reply;
    }
    void let_go() {
        timer.cancel();
        pipeline.settle();
    }

    static constexpr std::size_t longer_bytes = server::ReplyWriter::short_text_bytes + 1;

    std::size_t waiting = 0;
    std::size_t most_bytes = 0;  // that were charged for bodies when a handler began
    Pipeline pipeline{[this](server::http::verb, std::string_view path) { return route_of(path); }};
    asio::steady_timer timer{pipeline.io, asio::steady_timer::time_point::max()};
};

}  // namespace

TEST_CASE_METHOD(Pipeline, "requests that have arrived together are answered in order, in one write") {
    send(publish("a") + get("/healthz") + get("/nowhere") + get("/v1/events?filter=%zz") + publish("b"));
    CHECK(found() == "202 200 404 400 202");
    CHECK(connection.output().find("\"first_id\":1,") < connection.output().find("\"first_id\":2,"));
    CHECK(connection.reads() == 1);
    CHECK(connection.writes() == 1);
    send(publish("c"));
    CHECK(found() == "202 200 404 400 202 202");
    CHECK(connection.writes() == 2);
    CHECK(running.broker.counters().requests == 6);
}

TEST_CASE_METHOD(Pipeline,
                 "publications that have arrived together wake the matcher once, and few of them not at all") {
    auto& queue = running.broker.services().queue;
    const auto& matched = running.broker.counters().events_matched;
    EVENTUALLY(queue.sleepers() == 1);
    std::string many;
    for (int i = 0; i < 12; ++i) many += publish("title " + std::to_string(i));
    send(many);
    CHECK(queue.wakes() == 1);
    EVENTUALLY(matched == 12);
    EVENTUALLY(queue.sleepers() == 1);
    send(publish("a") + get("/healthz") + publish("b"));
    CHECK(matched == 14);  // on this thread
    CHECK(queue.wakes() == 1);
}

TEST_CASE("publications on several connections reach a subscriber once and in order, whoever matches them") {
    sluice::broker::Seams seams;
    seams.publishers_match = GENERATE(true, false);
    asio::io_context io{1};
    RunningBroker running({}, seams);
    sluice::broker::HttpClient subscriber(running.port());
    sluice::broker::subscribe(subscriber, "?filter=" + sluice::broker::percent_encode("category = 'news'"));
    StringConnection one(io, running.broker.services()), other(io, running.broker.services());
    std::size_t n = 0;
    for (std::size_t round = 0; round < 30; ++round) {
        for (std::size_t i = 0; i <= round % 7; ++i) {
            one.send(publish("title " + std::to_string(++n)));
            if (i % 2 == 0) other.send(publish("title " + std::to_string(++n)));
        }
        io.restart();
        io.poll();
    }
    for (std::size_t id = 1; id <= n; ++id) {
        const auto event = subscriber.read_event();
        REQUIRE(event.has_value());
        REQUIRE(event->starts_with("id: " + std::to_string(id) + "\n"));
    }
    CHECK(running.broker.counters().events_matched == n);
    EVENTUALLY(running.broker.counters().deliveries == n);
}

TEST_CASE_METHOD(Pipeline, "replies to HEAD are collected without a body") {
    send("HEAD /healthz HTTP/1.1\r\nHost: test\r\n\r\n" + get("/healthz"));
    CHECK(count(connection.output(), "Content-Length: 3\r\n") == 2);
    CHECK(count(connection.output(), "ok\n") == 1);
    CHECK(connection.writes() == 1);
}

TEST_CASE_METHOD(Pipeline, "replies do not wait for the connection's next turn") {
    send(times(40, get("/healthz")));
    CHECK(count(connection.output(), "ok\n") == 40);
    CHECK(connection.writes() == 3);  // a turn has 16 requests
}

TEST_CASE_METHOD(Waiting, "a reply does not wait with the next request") {
    const std::string path = GENERATE("/later", "/watched", "/prompt");
    CAPTURE(path);
    pipeline.send(get("/now") + get("/now") + get(path) + get("/now") + get("/now"));
    CHECK(waiting == 1);
    CHECK(pipeline.found() == "200 200");
    CHECK(pipeline.connection.writes() == 1);
    let_go();
    CHECK(waiting == 0);
    CHECK(pipeline.found() == "200 200 200 200 200");
    CHECK(pipeline.connection.writes() == 2);
}

TEST_CASE_METHOD(Pipeline, "a reply does not wait for the rest of the next request") {
    const std::string head = publish("a").substr(0, publish("a").find("\r\n\r\n") + 4);
    for (const std::size_t split : {std::size_t{1}, std::size_t{20}, head.size() - 2, head.size(), head.size() + 10}) {
        CAPTURE(split);
        StringConnection other(io, running.broker.services());
        const std::string next = publish("a");
        other.send(get("/healthz") + next.substr(0, split));
        settle();
        CHECK(statuses(other.output()) == "200");
        CHECK(other.writes() == 1);
        other.send(next.substr(split));
        settle();
        CHECK(statuses(other.output()) == "200 202");
        CHECK(other.writes() == 2);
    }
    send(get("/healthz") + "\r\n");
    CHECK(found() == "200");
}

TEST_CASE_METHOD(Pipeline, "a reply precedes the permission to send the next request's body") {
    const std::string next = publish("a", "Expect: 100-continue\r\n");
    const std::size_t head = next.find("\r\n\r\n") + 4;
    send(get("/healthz") + next.substr(0, head));
    CHECK(found() == "200 100");
    send(next.substr(head));
    CHECK(found() == "200 100 202");
}

TEST_CASE_METHOD(Pipeline, "a request that ends the connection follows the replies to those before it") {
    struct Case {
        std::string last, found;
    };
    const Case cases[] = {
        {"nonsense\r\n\r\n", "200 404 400"},
        {get("/healthz", "Connection: close\r\n"), "200 404 200"},
        {"GET /healthz HTTP/1.0\r\n\r\n", "200 404 200"},
        {"POST /v1/events HTTP/1.1\r\nHost: test\r\nContent-Length: 1\r\nTransfer-Encoding: x\r\n\r\n", "200 404 400"}};
    for (const Case& each : cases) {
        CAPTURE(each.last);
        StringConnection other(io, running.broker.services());
        other.send(get("/healthz") + get("/nowhere") + each.last + get("/healthz"));
        settle();
        CHECK(statuses(other.output()) == each.found);
        CHECK(other.writes() == 1);
        CHECK(other.has_ended());
    }
}

TEST_CASE_METHOD(Pipeline, "an event stream follows the replies to earlier requests") {
    send(get("/healthz") + get("/nowhere") + get("/v1/events"));
    CHECK(found().starts_with("200 404"));
    CHECK(connection.writes() >= 1);
    EVENTUALLY((connection.run(), count(connection.output(), "text/event-stream") == 1));
}

TEST_CASE_METHOD(Pipeline,
                 "a stream of documents follows the replies to earlier requests, and precedes those to later") {
    const std::string fields =
        " HTTP/1.1\r\nHost: test\r\nContent-Type: application/x-ndjson\r\nContent-Length: 6\r\n\r\n";
    send(get("/healthz") + get("/nowhere") + "POST /v1/publish" + fields + "{}\n");
    CHECK(found() == "200 404");  // the rest of the body may come much later
    CHECK(connection.writes() == 1);
    send("{}\n" + get("/healthz"));
    CHECK(found() == "200 404 202 200");
    CHECK(connection.writes() == 2);
    send(get("/healthz") + "POST /v1/publish?reply=stream" + fields + "{}\n{}\n");
    CHECK(found() == "200 404 202 200 200 200 unfinished");  // a reply of unknown length
    CHECK(connection.output().ends_with("\r\n0\r\n\r\n"));
    CHECK(connection.has_ended());
}

TEST_CASE_METHOD(Waiting, "long replies are not collected, and short ones up to a limit") {
    pipeline.send(get("/now") + get("/longer") + get("/now"));
    CHECK(pipeline.found() == "200 200 200");
    CHECK(pipeline.connection.writes() == 2);
    Waiting other;
    other.pipeline.send(times(16, get("/long")));
    CHECK(count(other.pipeline.connection.output(), "HTTP/1.1 200 ") == 16);
    CHECK(other.pipeline.connection.writes() == 2);
}

TEST_CASE_METHOD(Pipeline, "the requests of a client that does not read are not read") {
    const std::string requests = times(3'000, get("/healthz"));
    connection.take_output(false);
    send(requests);
    CHECK(running.broker.counters().requests == 16);
    CHECK(requests.size() - connection.unread_bytes() <= 4'096);
    CHECK(connection.output().empty());
    connection.take_output(true);
    settle();
    CHECK(count(connection.output(), "HTTP/1.1 200 ") == 3'000);
    CHECK(connection.unread_bytes() == 0);
}

TEST_CASE_METHOD(Waiting, "a pipeline is read in large pieces, and what they take is charged until it is idle") {
    const std::string requests = times(3'000, get("/now"));
    CHECK(pipeline.memory(MemoryUse::bodies) == 0);
    pipeline.send(requests + get("/later"));
    CHECK(waiting == 1);
    CHECK(pipeline.connection.reads() <= 2 + requests.size() / server::RequestReader::read_bytes_max);
    CHECK(pipeline.memory(MemoryUse::bodies) >= server::RequestReader::read_bytes_max);
    let_go();
    CHECK(count(pipeline.connection.output(), "HTTP/1.1 200 ") == 3'001);
    CHECK(pipeline.memory(MemoryUse::bodies) == 0);
}

TEST_CASE_METHOD(Waiting, "what collected replies take is charged until they are written") {
    const std::string path = GENERATE("/now", "/prompt", "/longer");
    CAPTURE(path);
    const std::size_t connections = pipeline.memory(MemoryUse::connections);
    pipeline.send(get("/now") + get(path) + get("/now").substr(0, 10));
    CHECK(most_bytes > 0);
    CHECK(most_bytes <= 2 * server::ReplyWriter::short_text_bytes);
    CHECK(pipeline.memory(MemoryUse::bodies) == 0);  // though a request has begun, or waits
    CHECK(pipeline.memory(MemoryUse::connections) == connections);
    let_go();
}

TEST_CASE_METHOD(Pipeline,
                 "an empty line after a request is not the next one, which its reply could be collected for") {
    connection.take_output(false);
    send(get("/healthz") + "\r\n");
    CHECK(memory(MemoryUse::bodies) == 0);
    connection.take_output(true);
    settle();
    connection.take_output(false);
    send(get("/healthz") + "\r\n\r");  // likewise, or a request
    CHECK(memory(MemoryUse::bodies) > 0);
    connection.take_output(true);
    settle();
    CHECK(found() == "200 200");
}

TEST_CASE_METHOD(Waiting, "what is charged for collected replies grows with them") {
    pipeline.send(times(13, get("/long")));
    CHECK(pipeline.connection.writes() == 1);
    CHECK(most_bytes >= 12 * server::ReplyWriter::short_text_bytes);
    CHECK(pipeline.memory(MemoryUse::bodies) == 0);
}

TEST_CASE("where only small requests have room, they are served, but replies are not collected") {
    constexpr std::size_t gib = std::size_t{1} << 30;  // more than the process takes, less than is kept for them
    Pipeline pipeline({}, {"limits.memory=1024GiB"});
    sluice::base::MemoryBudget& budget = pipeline.running.broker.services().memory;
    const std::size_t bytes = budget.ceiling(MemoryUse::bodies) - budget.used() + gib;
    const sluice::base::MemoryCharge most = budget.force_charge(MemoryUse::filters, bytes);
    pipeline.send(publish("a") + publish("b"));
    CHECK(pipeline.found() == "202 202");
    CHECK(pipeline.connection.writes() == 2);
    const std::string requests = times(1'000, get("/healthz"));
    pipeline.send(requests);
    CHECK(count(pipeline.connection.output(), "ok\n") == 1'000);
    CHECK(pipeline.connection.writes() == 1'002);
    CHECK(pipeline.connection.reads() >= requests.size() / 8'192);
}

TEST_CASE_METHOD(Pipeline, "without memory a pipeline is read in small pieces, and each reply written by itself") {
    sluice::base::MemoryBudget& budget = running.broker.services().memory;
    const sluice::base::MemoryCharge all = budget.force_charge(MemoryUse::filters, budget.bytes_max());
    const std::string requests = times(1'000, get("/healthz"));
    send(requests);
    CHECK(count(connection.output(), "ok\n") == 1'000);
    CHECK(connection.writes() == 1'000);
    CHECK(connection.reads() >= requests.size() / 8'192);
}

TEST_CASE_METHOD(Pipeline, "a connection that drains writes the replies that are under way") {
    connection.take_output(false);
    send(get("/healthz") + "\r\n\r\n");
    connection.session().drain();
    settle();
    CHECK_FALSE(connection.has_ended());
    connection.take_output(true);
    settle();
    CHECK(found() == "200");
    CHECK(connection.has_ended());
}

TEST_CASE_METHOD(Pipeline, "replies that are not read in time end the connection, though the next request has begun") {
    const std::string next = publish("a");
    connection.take_output(false);
    send(get("/healthz") + next.substr(0, next.size() - 1));
    connection.session().set_deadline(server::Connection::Clock::now());
    connection.session().expire();
    settle();
    CHECK(connection.has_ended());
    CHECK(connection.output().empty());
}

TEST_CASE_METHOD(Pipeline, "what can't be answered is neither done nor counted, once replies could not be written") {
    const sluice::broker::Counters& counters = running.broker.counters();
    constexpr std::size_t bytes = 10;  // of the first reply, before the connection breaks
    for (const std::string& last : {publish_compressed(), get("/v1/streams/default")}) {
        CAPTURE(last.substr(0, 30));
        StringConnection broken(io, running.broker.services(), std::string::npos, bytes);
        broken.send(get("/healthz") + last);
        EVENTUALLY((broken.run(), broken.has_ended()));
        CHECK(broken.output().empty());
    }
    CHECK(counters.requests == 4);
    CHECK(counters.replies[200] == 2);
    CHECK(counters.replies[503] == 0);
    CHECK(counters.documents == 0);
    CHECK(counters.documents_refused[DocumentRefusal::abandoned] == 1);
    connection.send(get("/healthz") + publish_compressed());
    EVENTUALLY((connection.run(), found() == "200 202"));
}

TEST_CASE("a document for a store on disk is neither parsed nor claims its key before earlier replies are written") {
    const sluice::testing::TemporaryFolder folder;
    Pipeline pipeline({}, {"store.kind=rocksdb", "store.path=" + (folder.path() / "store").string()});
    const std::size_t documents = pipeline.memory(MemoryUse::documents);
    const std::string keyed = publish("a", "Idempotency-Key: k\r\n");
    pipeline.connection.take_output(false);
    pipeline.send(get("/healthz") + keyed);
    CHECK(pipeline.memory(MemoryUse::documents) == documents);
    StringConnection other(pipeline.io, pipeline.running.broker.services());
    other.send(keyed);
    EVENTUALLY((other.run(), statuses(other.output()) == "202"));
    pipeline.connection.take_output(true);
    EVENTUALLY((pipeline.connection.run(), pipeline.found() == "200 202"));
    CHECK(pipeline.running.broker.counters().documents == 1);
}
