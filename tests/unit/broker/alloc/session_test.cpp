// Sessions without sockets, on one thread, each of whose allocations fails in turn: what was answered with 202 is
// delivered, what was refused is not, the session ends, and a subscriber that stood before gets the next event.
#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "broker/core/counters.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/http/http_types.hpp"
#include "broker/server/http/reply_writer.hpp"
#include "broker/server/http/router.hpp"
#include "broker/server/net/connections.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/failing_allocations.hpp"
#include "tests/support/string_connection.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
using namespace sluice::broker;
using sluice::testing::StringConnection;
using testing::FailingAllocations;

namespace {

const std::string rss_type = "Content-Type: application/rss+xml\r\n";

std::string request(const std::string& line, const std::string& fields = "", const std::string& body = "") {
    std::string text = line + " HTTP/1.1\r\nHost: t\r\nConnection: close\r\n" + fields;
    if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return text + "\r\n" + body;
}

// A broker with a subscriber that stands before anything fails.
struct SessionTrial {
    SessionTrial() { subscribe(standing, "?stream=*"); }

    void run(StringConnection& connection) {
        const FailingAllocations::Here here;
        connection.run();
    }
    template <class Done>
    void run_until(StringConnection& connection, Done done) {
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        while (!connection.has_ended() && !done()) {
            run(connection);
            if (std::chrono::steady_clock::now() > give_up) throw std::runtime_error("nothing happens for a minute");
        }
    }

    // Publishes an event by another connection, and returns the titles that the standing subscriber gets until then.
    std::set<std::string> titles_until(const std::string& marker) {
        const Reply reply = publisher.post("/v1/events?deduplicate=false", rss({item(marker)}), rss_type);
        if (reply.status != 202) throw std::runtime_error("not published");
        std::set<std::string> titles;
        for (;;) {
            const auto event = standing.read_event();
            if (!event) throw std::runtime_error("the standing subscription has ended");
            const std::size_t at = event->find("\"title\":\"");
            if (at == std::string::npos) continue;
            const std::size_t begin = at + 9;
            const std::string title = event->substr(begin, event->find('"', begin) - begin);
            if (title == marker) return titles;
            titles.insert(title);
        }
    }

    boost::asio::io_context io{1};
    RunningBroker running{{"matcher.apply_delay=0us"}};
    HttpClient standing{running.port()}, publisher{running.port()};
};

// The status of the only reply; "" if there is none.
std::string status_of(const std::string& output) {
    return output.starts_with("HTTP/1.1 ") ? output.substr(9, 3) : std::string();
}

// Sends the request while the n-th allocation fails, for n = 1, 2, … until none fails. The request publishes an item
// with the title t. Returns the number of allocations.
std::uint64_t fail_each(SessionTrial& trial, const std::string& text, bool publishes) {
    std::set<std::string> statuses;
    for (std::uint64_t n = 1;; ++n) {
        CAPTURE(n);
        std::string output;
        bool failed = false;
        {
            StringConnection connection(trial.io, trial.running.broker.services());
            connection.send(text);
            FailingAllocations::fail_here(n);
            trial.run_until(connection, [] { return false; });
            failed = FailingAllocations::failed() != 0;
            FailingAllocations::stop();
            output = connection.output();
        }
        const std::string status = status_of(output);
        statuses.insert(status);
        INFO(output);
        const bool got = trial.titles_until("m" + std::to_string(n)).contains("t");
        if (status == "202" && publishes) CHECK(got);
        if (status.starts_with("4") || status.starts_with("5")) CHECK_FALSE(got);
        CHECK((!status.starts_with("4") && status != "500"));
        if (!failed) {
            CHECK(statuses.contains("503"));
            CHECK(status.starts_with("2"));
            return n;
        }
    }
}

// The statuses of the replies, such as "200 503 ". At the end "half" for one that is not whole, or "mixed" if something
// follows that is not the rest of it.
std::string statuses_of(std::string_view text) {
    constexpr std::string_view begin = "HTTP/1.1 ", length = "Content-Length: ";
    std::string found;
    while (!text.empty()) {
        const std::size_t next = std::min(text.find(begin, 1), text.size());
        const std::size_t head_end = text.find("\r\n\r\n"), length_at = text.find(length);
        std::size_t end = std::string_view::npos;
        if (head_end < next && length_at < head_end)
            end = head_end + 4 + std::stoul(std::string(text.substr(length_at + length.size(), 20)));
        if (end != next) return found + (next == text.size() ? "half" : "mixed");
        found.append(text.substr(begin.size(), 3)) += ' ';
        text.remove_prefix(next);
    }
    return found;
}

// Below more coroutines than Asio keeps frames for (BOOST_ASIO_RECYCLING_ALLOCATOR_CACHE_SIZE), so that those of the
// write are allocated.
boost::asio::awaitable<bool> write_earlier_below(const server::HttpRequest& request, int depth) {
    if (depth == 0) co_return co_await server::write_earlier_replies(request);
    co_return co_await write_earlier_below(request, depth - 1);
}

// Answers once the replies to earlier requests are written.
boost::asio::awaitable<server::HttpReply> answer_in_pipeline(server::HttpRequest& request) {
    if (server::has_earlier_replies(request)) co_await write_earlier_below(request, 16);
    server::HttpReply reply;
    reply.body = "ok";
    co_return reply;
}

server::Route route_in_pipeline(server::http::verb, std::string_view) {
    server::Route route{answer_in_pipeline};
    route.prompt = true;
    return route;
}

boost::asio::awaitable<server::HttpReply> answer_with(std::size_t bytes) {
    server::HttpReply reply;
    reply.body.assign(bytes, 'x');
    co_return reply;
}

// Requests of which the last ends the connection.
std::string pipeline_of(std::size_t requests) {
    std::string text;
    for (std::size_t i = 1; i < requests; ++i) text += "GET / HTTP/1.1\r\nHost: t\r\n\r\n";
    return text + request("GET /");
}

std::string all_well(std::size_t replies) {
    std::string text;
    for (std::size_t i = 0; i < replies; ++i) text += "200 ";
    return text;
}

// The statuses of replies with `text_bytes` each, while no piece of memory has more than `piece_bytes`.
std::string statuses_without_pieces(SessionTrial& trial, const std::string& requests, std::size_t text_bytes,
                                    std::size_t piece_bytes) {
    const server::Router router = [text_bytes](server::http::verb, std::string_view) {
        server::Route route{[text_bytes](server::HttpRequest&) { return answer_with(text_bytes); }};
        route.prompt = true;
        return route;
    };
    StringConnection connection(trial.io, trial.running.broker.services(), std::string::npos, std::string::npos,
                                router);
    connection.send(requests);
    FailingAllocations::exempt_this_thread(false);
    FailingAllocations::fail_above(piece_bytes);
    trial.run_until(connection, [] { return false; });
    FailingAllocations::stop();
    FailingAllocations::exempt_this_thread();
    return statuses_of(connection.output());
}

}  // namespace

TEST_CASE("each allocation of a session may fail: publishing, matching, asking", "[alloc]") {
    FailingAllocations::exempt_this_thread();
    SessionTrial trial;
    const std::string large = rss(std::vector<std::string>(200, item("t") + std::string(400, 'x')));
    struct Case {
        std::string text;
        bool publishes = false;
    };
    const Case cases[] = {
        {request("POST /v1/events?deduplicate=false", rss_type, rss({item("t")})), true},
        {request("POST /v1/events?stream=j", "Content-Type: application/json\r\nIdempotency-Key: k\r\n",
                 R"({"title": "t", "deep": {"a": [1, 2, {"b": "c"}]}})"),
         false},
        {request("POST /v1/events?deduplicate=false", rss_type, large), true},
        {request("POST /v1/match", "Content-Type: application/json\r\n",
                 R"({"filter": "title = 'a' or //x", "document": "<rss><channel><item/></channel></rss>"})")},
        {request("PUT /v1/streams/s", "Content-Type: application/json\r\n", R"({"id_path": "@id"})")},
        {request("GET /v1/streams/default")},
        {request("GET /v1/status")},
    };
    for (const Case& each : cases) {
        CAPTURE(each.text.substr(0, 40));
        CHECK(fail_each(trial, each.text, each.publishes) > 10);
    }
    EVENTUALLY(trial.running.broker.services().connections.size() == 2);
}

TEST_CASE("each allocation of a subscriber's session may fail: it gets the next event, or ends", "[alloc]") {
    FailingAllocations::exempt_this_thread();
    SessionTrial trial;
    server::Services& services = trial.running.broker.services();
    for (std::uint64_t n = 1, more = true; more; ++n) {
        CAPTURE(n);
        StringConnection connection(trial.io, services);
        connection.send("GET /v1/events?stream=*&filter=starts-with(title,'m')&filter=" +
                        percent_encode("boolean(//a[. = 'x'])") + " HTTP/1.1\r\nHost: t\r\n\r\n");
        FailingAllocations::fail_here(n);
        const auto has = [&](const std::string& text) { return connection.output().find(text) != std::string::npos; };
        trial.run_until(connection, [&] { return has(": subscribed") || has("HTTP/1.1 503"); });
        const std::string marker = "m" + std::to_string(n);
        trial.titles_until(marker);
        trial.run_until(connection, [&] { return has('"' + marker + '"') || has("HTTP/1.1 503"); });
        more = FailingAllocations::failed() != 0;
        FailingAllocations::stop();
        const bool got = has('"' + marker + '"');
        CHECK((got || connection.has_ended() || has("HTTP/1.1 503")));
        if (!more) CHECK(got);
        connection.end();
        trial.run_until(connection, [] { return false; });
    }
    EVENTUALLY(services.subscribers == 1);
    EVENTUALLY(services.registry.size() == 1);
    EVENTUALLY(services.connections.size() == 2);
}

TEST_CASE("each allocation of a pipeline may fail: nothing follows a part of a reply but its rest", "[alloc]") {
    FailingAllocations::exempt_this_thread();
    SessionTrial trial;
    const std::string requests = pipeline_of(2);
    std::size_t halves = 0;
    for (std::uint64_t n = 1, more = true; more; ++n) {
        CAPTURE(n);
        // The requests are one piece, and shorter than the first reply.
        StringConnection connection(trial.io, trial.running.broker.services(), requests.size(), std::string::npos,
                                    route_in_pipeline);
        connection.send(requests);
        FailingAllocations::fail_here(n);
        trial.run_until(connection, [] { return false; });
        more = FailingAllocations::failed() != 0;
        FailingAllocations::stop();
        const std::string statuses = statuses_of(connection.output());
        CHECK(statuses.find("mixed") == std::string::npos);
        if (statuses == "half") ++halves;
        if (!more) CHECK(statuses == all_well(2));
    }
    CHECK(halves > 0);
}

TEST_CASE("replies to a pipeline need no large piece of memory, whatever their size", "[alloc]") {
    SessionTrial trial;
    const std::string requests = pipeline_of(16);
    for (std::size_t bytes = 0; bytes <= server::ReplyWriter::short_text_bytes; bytes += 50) {
        CAPTURE(bytes);
        // There is memory for the first room for replies.
        CHECK(statuses_without_pieces(trial, requests, bytes, 12u << 10) == all_well(16));
    }
}

TEST_CASE("a pipeline is read in small pieces if there is no large piece of memory", "[alloc]") {
    SessionTrial trial;
    CHECK(statuses_without_pieces(trial, pipeline_of(400), 2, 32u << 10) == all_well(400));
}
