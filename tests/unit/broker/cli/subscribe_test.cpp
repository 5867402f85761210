#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "broker/cli/commands.hpp"
#include "broker/cli/subscription.hpp"
#include "tests/unit/broker/cli/ran.hpp"
#include "tests/unit/broker/cli/scripted_server.hpp"

using namespace sluice::cli;
using test::ClosedPort;
using test::reply;
using test::run;
using test::ScriptedServer;
using test::then_silence;
using test::without_subscribed;

namespace {

const std::string events_head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

SubscribeOptions subscribe_to(const ScriptedServer& server) {
    SubscribeOptions options;
    options.server = server.url();
    options.filters = {"a='1 & 2'", "b"};
    return options;
}

}  // namespace

TEST_CASE("subscribe prints titles until it has enough") {
    ScriptedServer server({events_head + ": hello\n\ndata: {\"item\":{\"title\":\"One\\u001b[2J\\n\"}}\n\n"
                                         "data: {\"item\":{\"link\":\"http://two\"}}\n\ndata: {\"item\":{}}\n\n"});
    auto options = subscribe_to(server);
    options.count = 2;
    const auto ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.out == "One�[2J \nhttp://two\n");  // nothing for the terminal to obey
    CHECK(ran.err == "sluice: subscribed to stream default at " + server.url() + " with 2 filters\n");
    CHECK_THAT(server.requests().at(0), Catch::StartsWith("GET /v1/events?filter=a='1%20%26%202'&filter=b HTTP"));
}

TEST_CASE("subscribe tells what a filter almost surely does not mean") {
    ScriptedServer server({events_head + "data: {\"item\":{\"title\":\"One\"}}\n\n"});
    auto options = subscribe_to(server);
    options.filters = {"title = Cheap"};
    options.count = 1;
    CHECK(run(subscribe, options).err ==
          "sluice: hint: filter:1:7: Cheap without quotes is the name of an element; for the text write title = "
          "'Cheap'\ntitle = Cheap\n      ^\n"
          "sluice: subscribed to stream default at " +
              server.url() + ": title = Cheap\n");
}

TEST_CASE("subscribe prints what was sent, and says why it ended") {
    const std::string data = "data: <item>\ndata: </item>\n\n";
    ScriptedServer server(
        {events_head + data, events_head + "event: error\ndata: {\"detail\":\"too slow\"}\n\n",
         reply("400 Bad Request", "",
               R"({"type":"urn:sluice:problem:filter","detail":"expected ]","line":1,"column":2,"excerpt":"[\n ^"})"),
         reply("400 Bad Request", "", R"({"detail":"parameter \"stream\" is \"a b\""})")});
    auto options = subscribe_to(server);
    options.format = ItemFormat::xml;
    options.reconnect = false;
    auto ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.out == "<item>\n</item>\n");
    CHECK(without_subscribed(ran.err) == "sluice: the broker closed the connection (after 1 item)\n");
    ran = run(subscribe, options);
    CHECK(without_subscribed(ran.err) == "sluice: the broker ended the subscription: too slow\n");
    ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.err == "sluice: filter:1:2: expected ]\n[\n ^\n");
    CHECK(run(subscribe, options).err == "sluice: can't subscribe: parameter \"stream\" is \"a b\"\n");
    CHECK_THAT(server.requests().at(0), Catch::Contains("&format=xml HTTP"));
}

TEST_CASE("subscribe tells of events that were not decided, and goes on") {
    const auto gaps = [](int first, int last, int events) {
        return "event: gap\nid: " + std::to_string(last) +
               "\ndata: {\"reason\":\"over-budget\",\"filter\":1,\"stream\":\"s\",\"first_id\":" +
               std::to_string(first) + ",\"last_id\":" + std::to_string(last) +
               ",\"events\":" + std::to_string(events) + "}\n\n";
    };
    const auto gap = [&](int id) { return gaps(id, id, 1); };
    const std::string item = "data: {\"item\":{\"title\":\"One\"}}\n\n";
    ScriptedServer server({events_head + gap(1) + gaps(2, 6, 3) + gap(7) + item + gaps(9, 11, 2) + item +
                           "event: gap\ndata: x\n\n" + "event: gap\ndata: {}\n\n" + item});
    auto options = subscribe_to(server);
    options.count = 3;
    const auto ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.out == "One\nOne\nOne\n");
    CHECK(without_subscribed(ran.err) ==
          "sluice: event 1 of stream \"s\" was not decided: the filter b exceeds its budget\n"
          "sluice: 4 more were not decided, up to event 7 of stream \"s\"\n"
          "sluice: 2 events from 9 to 11 of stream \"s\" were not decided: the filter b exceeds its budget\n"
          "sluice: event ? of stream ? was not decided: the filter exceeds its budget\n");
}

TEST_CASE("subscribe: gaps of several reasons → one message per run of a reason") {
    const auto gap = [](int id, const std::string& reason) {
        return "event: gap\nid: k-" + std::to_string(id) + "\ndata: {\"reason\":\"" + reason +
               "\",\"filter\":0,\"stream\":\"s\",\"first_id\":" + std::to_string(id) +
               ",\"last_id\":" + std::to_string(id) + ",\"events\":1}\n\n";
    };
    ScriptedServer server({events_head + gap(1, "context") + gap(2, "context") + gap(3, "undelivered") +
                           gap(4, "undelivered") + gap(5, "over-budget") + "data: {}\n\n"});
    auto options = subscribe_to(server);
    options.count = 1;
    const auto ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_done);
    CHECK(without_subscribed(ran.err) ==
          "sluice: event 1 of stream \"s\" was not decided: the filter a='1 & 2' looks at other items of the document, "
          "which were not kept\n"
          "sluice: 1 more was not decided, up to event 2 of stream \"s\"\n"
          "sluice: event 3 of stream \"s\" was not delivered: the broker could not match or send it\n"
          "sluice: 1 more was not delivered, up to event 4 of stream \"s\"\n"
          "sluice: event 5 of stream \"s\" was not decided: the filter a='1 & 2' exceeds its budget\n");
}

TEST_CASE("subscribe connects again and asks for what came after the last event") {
    ScriptedServer server(
        {events_head + "retry: 0\nid: 7\ndata: {\"item\":{\"title\":\"One\"}}\n\nid: 8\ndata: cut off",
         reply("503 Service Unavailable", "Retry-After: 0\r\n", "{}"), "",
         events_head + "id: 9\ndata: {\"item\":{\"title\":\"Two\"}}\n\n"});
    auto options = subscribe_to(server);
    options.count = 2;
    const auto ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.out == "One\nTwo\n");
    CHECK_THAT(without_subscribed(ran.err),
               Catch::StartsWith("sluice: the broker closed the connection; connecting again, first in 0.0 s\n"
                                 "sluice: connected to 127.0.0.1:") &&
                   Catch::EndsWith(", to continue after event 7.\n"));
    CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 3);
    const auto& requests = server.requests();
    CHECK_THAT(requests.at(0), !Catch::Contains("Last-Event-ID"));
    for (const std::size_t i : {1u, 2u, 3u}) CHECK_THAT(requests.at(i), Catch::Contains("\r\nLast-Event-ID: 7\r\n"));
}

TEST_CASE("subscribe: ids without data → it continues after them, in all streams, too") {
    ScriptedServer server({events_head + "retry: 0\nid: k-7\ndata: {}\n\n: heartbeat\nid: k-9\n\nid: k-10\n",
                           events_head + ": subscribed\n\nid: k-12\n\n", events_head + "id: k-13\ndata: {}\n\n"});
    auto options = subscribe_to(server);
    options.stream = "*";
    options.count = 2;
    CHECK(run(subscribe, options).exit_status == exit_done);
    const auto& requests = server.requests();
    CHECK_THAT(requests.at(1), Catch::Contains("\r\nLast-Event-ID: k-9\r\n"));
    CHECK_THAT(requests.at(2), Catch::Contains("\r\nLast-Event-ID: k-12\r\n"));
}

TEST_CASE("subscribe: a beginning → asked for until an id is known") {
    struct Case {
        std::optional<std::string> after, since;
        bool from_first;
        std::string query;
    };
    for (const auto& [after, since, from_first, query] :
         {Case{"k-3", {}, false, "&after=k-3 HTTP"}, Case{{}, "24h", false, "&since=24h HTTP"},
          Case{{}, "2026-11-27T08:00:00+01:00", false, "&since=2026-11-27T08:00:00%2B01:00 HTTP"},
          Case{{}, {}, true, "&from=first HTTP"}}) {
        ScriptedServer server({events_head + "retry: 0\n: subscribed\n\n", events_head + "id: k-5\ndata: {}\n\n",
                               events_head + "data: {}\n\n"});
        auto options = subscribe_to(server);
        options.after = after;
        options.since = since;
        options.from_first = from_first;
        options.count = 2;
        CHECK(run(subscribe, options).exit_status == exit_done);
        const auto& requests = server.requests();
        for (const std::size_t i : {0u, 1u}) {
            CHECK_THAT(requests.at(i), Catch::Contains("&filter=b" + query));
            CHECK_THAT(requests.at(i), !Catch::Contains("Last-Event-ID"));
        }
        CHECK_THAT(requests.at(2), Catch::Contains("&filter=b HTTP") && Catch::Contains("Last-Event-ID: k-5\r\n"));
    }
}

TEST_CASE("subscribe: a reset → one warning with the place that it asked for") {
    const std::string reset =
        "event: reset\nid: k-6\ndata: {\"type\":\"urn:sluice:problem:reset\",\"stream\":\"s\",\"oldest_id\":7,"
        "\"epoch\":\"k\",\"reason\":\"retention\"}\n\n";
    ScriptedServer server({events_head + reset + "id: k-7\ndata: {}\n\n" + reset + "data: {}\n\n"});
    auto options = subscribe_to(server);
    options.since = "24h";
    options.count = 2;
    const auto ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.out == "{}\n{}\n");
    CHECK(without_subscribed(ran.err) ==
          "sluice: events of stream \"s\" since 24h are missing, because the broker no longer keeps all of them; those "
          "that it keeps from event 7 on follow\n"
          "sluice: events of stream \"s\" after k-7 are missing, because the broker no longer keeps all of them; those "
          "that it keeps from event 7 on follow\n");
}

TEST_CASE("replay prints what the broker keeps, and ends with it") {
    const std::string chunked =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    const auto chunk = [](const std::string& text) {
        std::ostringstream head;
        head << std::hex << text.size();
        return head.str() + "\r\n" + text + "\r\n";
    };
    const std::string last = "0\r\n\r\n";
    const std::string gap = "event: gap\nid: k-6\ndata: {\"reason\":\"context\",\"last_id\":6}\n\n";
    ScriptedServer server({chunked + chunk("retry: 0\nid: k-5\ndata: {}\n\n") + chunk("id: k-6\ndata: {}"),
                           chunked + chunk("id: k-6\ndata: {}\n\n") + last, chunked + chunk(": subscribed\n\n") + last,
                           chunked + chunk("data: {}\n\n" + gap) + last,
                           chunked + chunk("event: error\ndata: {\"detail\":\"gone\"}\n\n") + last});
    const auto options = subscribe_to(server);
    auto ran = run(replay, options);
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.out == "{}\n{}\n");
    CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 2);  // lost, connected again
    auto since = options;
    since.since = "1h";
    ran = run(replay, since);
    CHECK(ran.exit_status == exit_no_match);
    CHECK((ran.out + ran.err).empty());
    CHECK(run(replay, options).exit_status == exit_undecided);
    CHECK(run(replay, options).exit_status == exit_failed);
    const auto& requests = server.requests();
    CHECK_THAT(requests.at(0), Catch::Contains("&filter=b&from=first&until=now HTTP"));
    CHECK_THAT(requests.at(1),
               Catch::Contains("&filter=b&until=now HTTP") && Catch::Contains("Last-Event-ID: k-5\r\n"));
    CHECK_THAT(requests.at(2), Catch::Contains("&filter=b&since=1h&until=now HTTP"));
}

TEST_CASE("replay: nothing from a stream that the broker does not have → a note") {
    const std::string nothing = events_head + ": subscribed\n\n";
    ScriptedServer server({nothing, reply("404 Not Found", "", R"({"detail":"no such stream"})"),
                           reply("200 OK", "", R"({"streams":[{"name":"news"}]})"), nothing, reply("200 OK", "", "{}"),
                           nothing});
    auto options = subscribe_to(server);
    options.stream = "nwes";
    auto ran = run(replay, options);
    CHECK(ran.exit_status == exit_no_match);
    CHECK(ran.out.empty());
    CHECK(ran.err == "sluice: the broker has no stream nwes yet; publishing to it creates it (did you mean news?)\n");
    for (const char* known : {"news", "*"}) {
        options.stream = known;
        ran = run(replay, options);
        CHECK(ran.exit_status == exit_no_match);
        CHECK((ran.out + ran.err).empty());
    }
    CHECK_THAT(server.requests().at(1), Catch::StartsWith("GET /v1/streams/nwes HTTP"));
}

TEST_CASE("subscribe ends when the broker refuses it after a restart") {
    ScriptedServer server(
        {events_head + "retry: 0\n: hello\n\n", reply("404 Not Found", "", R"({"detail":"no such stream"})")});
    const auto ran = run(subscribe, subscribe_to(server));
    CHECK(ran.exit_status == exit_failed);
    CHECK_THAT(ran.err, Catch::EndsWith("sluice: can't subscribe: no such stream\n"));
}

TEST_CASE("subscribe does not wait for a broker that was never there") {
    const ClosedPort port;
    SubscribeOptions options;
    options.server = port.url();
    options.filters = {"a"};
    const auto ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK_THAT(ran.err, Catch::StartsWith("sluice: can't connect to 127.0.0.1:"));
}

TEST_CASE("subscribe recognises what is not a broker") {
    ScriptedServer server({reply("200 OK", "Content-Type: text/html\r\n", "<html>"),
                           reply("404 Not Found", "", "<html>"),
                           reply("301 Moved Permanently", "Location: https://elsewhere/\r\n", "")});
    const auto options = subscribe_to(server);
    CHECK(run(subscribe, options).err ==
          "sluice: " + server.url() + " is not a Sluice broker: it sends text/html, not events\n");
    CHECK(run(subscribe, options).err ==
          "sluice: can't subscribe: the answer is 404 Not Found, without the broker's reason; is this a Sluice "
          "broker?\n");
    CHECK_THAT(run(subscribe, options).err, Catch::Contains("301") && Catch::Contains("https://elsewhere/"));
}

TEST_CASE("subscribe notices that a broker has died by its silence") {
    // Three heartbeats count as a second at least, from when the head has come.
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nSluice-Heartbeat: 0.01\r\n\r\n";
    ScriptedServer server({then_silence(head + "retry: 0\ndata: {}\n\n"), events_head + "data: {}\n\n"});
    auto options = subscribe_to(server);
    options.count = 2;
    const auto ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_done);
    CHECK_THAT(ran.err,
               Catch::Contains("sluice: no sign of 127.0.0.1:") && Catch::Contains(" for 1 s; connecting again"));
}

TEST_CASE("three missing heartbeats are a sign of death") {
    using std::chrono::milliseconds;
    HttpReply reply;
    CHECK(silence_of(reply, milliseconds(7)) == milliseconds(7));
    reply.heartbeat_seconds = 15;
    CHECK(silence_of(reply, milliseconds(7)) == milliseconds(45'000));
    reply.heartbeat_seconds = 0.01;
    CHECK(silence_of(reply, milliseconds(7)) == milliseconds(1'000));
    for (const double senseless : {0.0, -1.0, std::nan("")}) {
        reply.heartbeat_seconds = senseless;
        CHECK(silence_of(reply, milliseconds(7)) == milliseconds(7));
    }
    reply.heartbeat_seconds = 1e300;
    CHECK(silence_of(reply, milliseconds(7)) == milliseconds(86'400'000));
}

TEST_CASE("messages are JSON where results are") {
    ScriptedServer server({events_head + "event: error\ndata: {\"detail\":\"too slow\",\"status\":503}\n\n"});
    auto options = subscribe_to(server);
    options.json = true;
    options.format = ItemFormat::json;
    CHECK(run(subscribe, options).err ==
          R"({"level":"note","detail":"subscribed to stream default at )" + server.url() +
              R"( with 2 filters","server":")" + server.url() +
              R"(","stream":"default","filters":["a='1 & 2'","b"]})"
              "\n"
              R"({"level":"error","detail":"too slow","about":"the broker ended the subscription","status":503})"
              "\n");
}
