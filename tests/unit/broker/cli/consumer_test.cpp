#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "broker/cli/commands.hpp"
#include "tests/unit/broker/cli/ran.hpp"
#include "tests/unit/broker/cli/scripted_server.hpp"

using namespace sluice::cli;
using test::reply;
using test::run;
using test::ScriptedServer;
using test::then_silence;
using test::without_subscribed;

namespace {

const std::string stream_head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

std::string subscription_with(const std::string& ack) {
    return reply("200 OK", "ETag: \"3\"\r\n",
                 R"({"name":"work","options":{"ack":")" + ack + R"(","ack_wait":"10min"}})");
}

std::string event(const std::string& id, const std::string& title, const std::string& more = "") {
    return "id: " + id + "\ndata: {\"id\":1,\"stream\":\"s\",\"item\":{\"title\":\"" + title + "\"}" + more + "}\n\n";
}

SubscribeOptions consume_from(const ScriptedServer& server) {
    SubscribeOptions options;
    options.server = server.url();
    options.subscription = "work";
    options.ack = true;
    return options;
}

std::string acknowledged() { return reply("200 OK", "", "{}"); }

std::string request_line(const std::string& request) { return request.substr(0, request.find(" HTTP/")); }

// What all requests to acknowledge have said together.
struct Told {
    boost::json::array ids, rejected;
};

Told told(const std::vector<std::string>& requests) {
    Told all;
    for (const std::string& request : requests) {
        if (request_line(request) != "POST /v1/subscriptions/work/ack") continue;
        const auto body = boost::json::parse(request.substr(request.find("\r\n\r\n") + 4)).as_object();
        const auto add = [&](const char* name, boost::json::array& to) {
            if (const auto* list = body.if_contains(name))
                for (const auto& each : list->as_array()) to.push_back(each);
        };
        add("ids", all.ids);
        add("nack", all.rejected);
    }
    return all;
}

}  // namespace

TEST_CASE("subscribe --subscription: the broker knows the position, and nothing is acknowledged") {
    ScriptedServer server({stream_head + "retry: 0\n" + event("k-1", "One"),
                           reply("409 Conflict", "", R"({"detail":"in use"})"), stream_head + event("k-2", "Two")});
    auto options = consume_from(server);
    options.ack = false;
    options.takeover = true;
    options.format = ItemFormat::json;
    options.all_values = true;
    options.count = 2;
    const auto ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_done);
    CHECK_THAT(ran.out, Catch::Contains("One") && Catch::Contains("Two"));
    CHECK_THAT(ran.err, Catch::StartsWith("sluice: subscribed to work at " + server.url() + "\n") &&
                            Catch::Contains("sluice: the broker closed the connection; connecting again") &&
                            Catch::EndsWith(".\n") && !Catch::Contains("to continue after"));
    for (const std::string& request : server.requests()) {
        CHECK(request_line(request) == "GET /v1/events?subscription=work&takeover=true&values=all");
        CHECK_THAT(request, !Catch::Contains("Last-Event-ID"));
    }
}

TEST_CASE("subscribe --subscription: refusals → the end, as a connection is refused at first") {
    ScriptedServer server({reply("409 Conflict", "", R"({"detail":"subscription \"work\" is in use"})"),
                           reply("409 Conflict", "", R"({"detail":"with takeover=true the request takes it over"})"),
                           stream_head + "retry: 0\n: hello\n\n",
                           reply("404 Not Found", "", R"({"detail":"there is no subscription \"work\""})")});
    auto options = consume_from(server);
    options.ack = false;
    auto ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.err == "sluice: can't subscribe: subscription \"work\" is in use\n");
    CHECK(run(subscribe, options).err ==
          "sluice: can't subscribe: with takeover=true the request takes it over\n"
          "sluice: --takeover takes it over\n");
    ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK_THAT(ran.err, Catch::EndsWith("can't subscribe: there is no subscription \"work\"\n"));
    options.subscription = "../streams";
    CHECK_THAT(run(subscribe, options).err, Catch::StartsWith("sluice: the name of the subscription is not valid: "));
}

TEST_CASE("subscribe --ack: what is printed → acknowledged before it ends") {
    ScriptedServer server({subscription_with("each"),
                           then_silence(stream_head + event("k-1", "One") + event("k-1", "One") + event("k-2", "Two") +
                                        event("k-3", "Three")),
                           acknowledged(), acknowledged(), acknowledged()});
    auto options = consume_from(server);
    options.count = 2;
    const auto ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_done);
    CHECK(without_subscribed(ran.err).empty());
    const auto& requests = server.stop();
    CHECK(request_line(requests.at(0)) == "GET /v1/subscriptions/work");
    CHECK(request_line(requests.at(1)) == "GET /v1/events?subscription=work");
    // The second delivery of the first event is left out if the first one still waits.
    if (ran.out == "One\nTwo\n")
        CHECK(told(requests).ids == boost::json::parse(R"(["k-1","k-2"])"));
    else
        CHECK((ran.out == "One\nOne\n" && told(requests).ids == boost::json::parse(R"(["k-1","k-1"])")));
}

TEST_CASE("subscribe --ack: a lost connection → the next one, and what has been printed is acknowledged") {
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nSluice-Heartbeat: 0.01\r\n\r\n";
    ScriptedServer server({subscription_with("each"), then_silence(head + "retry: 0\n" + event("k-1", "One")),
                           acknowledged(), then_silence(stream_head + event("k-2", "Two")), acknowledged()});
    auto options = consume_from(server);
    options.count = 2;
    auto ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.out == "One\nTwo\n");
    CHECK_THAT(without_subscribed(ran.err),
               Catch::StartsWith("sluice: no sign of 127.0.0.1:") && Catch::EndsWith(".\n"));
    CHECK(told(server.requests()).ids == boost::json::parse(R"(["k-1","k-2"])"));
}

TEST_CASE("subscribe --exec: exit status 0 → acknowledged, others → rejected, and told") {
    const test::TemporaryFile out("");
    ScriptedServer server(
        {subscription_with("each"),
         then_silence(stream_head + event("k-1", "One") + event("k-2", "Two", R"(,"redelivered":true,"deliveries":4)") +
                      "event: gap\ndata: {\"reason\":\"context\",\"stream\":\"s\",\"last_id\":3}\n\n" +
                      event("k-4", "Four")),
         acknowledged(), acknowledged(), acknowledged()});  // at most one for each event
    auto options = consume_from(server);
    options.exec = "{ echo $SLUICE_ID $SLUICE_STREAM $SLUICE_DELIVERIES; cat; } >> " + out.path() +
                   "; test $SLUICE_ID != k-2 || exit 3; test $SLUICE_ID != k-4 || kill $$";
    options.retry_delay = "5s";
    options.count = 3;
    const auto ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.out.empty());
    CHECK(without_subscribed(ran.err) ==
          "sluice: event k-2, delivery 4: exit status 3\n"
          "sluice: event 3 of stream \"s\" was not decided: the filter looks at other items of the document, which "
          "were not kept\n"
          "sluice: event k-4, delivery 1: ended by signal 15\n");
    std::ifstream file(out.path());
    const std::string written{std::istreambuf_iterator<char>(file), {}};
    CHECK(written ==
          "k-1 s 1\n{\"id\":1,\"stream\":\"s\",\"item\":{\"title\":\"One\"}}\n"
          "k-2 s 4\n{\"id\":1,\"stream\":\"s\",\"item\":{\"title\":\"Two\"},\"redelivered\":true,\"deliveries\":4}\n"
          "k-4 s 1\n{\"id\":1,\"stream\":\"s\",\"item\":{\"title\":\"Four\"}}\n");
    const auto [ids, rejected] = told(server.stop());
    CHECK(ids == boost::json::parse(R"(["k-1"])"));
    CHECK(rejected == boost::json::parse(R"([{"id":"k-2","delay":"5s","reason":"exit status 3"},
                                             {"id":"k-4","delay":"5s","reason":"ended by signal 15"}])"));
}

TEST_CASE("subscribe --exec: a command that can't be run → the end, and the event is not rejected") {
    for (const int status : {126, 127}) {
        ScriptedServer server({subscription_with("each"),
                               then_silence(stream_head + event("k-1", "One") + event("k-2", "Two")), acknowledged()});
        auto options = consume_from(server);
        options.exec = "test $SLUICE_ID = k-1 || exit " + std::to_string(status);
        const auto ran = run(subscribe, options);
        CHECK(ran.exit_status == exit_failed);
        CHECK(ran.out.empty());
        CHECK(without_subscribed(ran.err) == "sluice: --exec: '" + *options.exec + "' can't be run (exit status " +
                                                 std::to_string(status) +
                                                 " of the shell); event k-2 is neither acknowledged nor rejected, and "
                                                 "comes again\n");
        const auto [ids, rejected] = told(server.stop());
        CHECK(ids == boost::json::parse(R"(["k-1"])"));
        CHECK(rejected.empty());
    }
}

TEST_CASE("subscribe --exec: nothing to run → an error, before anything is delivered") {
    ScriptedServer server(std::vector<std::string>{});
    auto options = consume_from(server);
    for (const char* blank : {"", " \t\n"}) {
        options.exec = blank;
        const auto ran = run(subscribe, options);
        CHECK(ran.exit_status == exit_failed);
        CHECK(ran.out.empty());
        CHECK(ran.err == "sluice: --exec is empty; is a variable unset?\n");
    }
    CHECK(server.requests().empty());
}

TEST_CASE("subscribe --ack: no acknowledgements, or none known → what is wrong") {
    ScriptedServer server({subscription_with("none"), subscription_with("none"),
                           reply("404 Not Found", "", R"({"detail":"there is no subscription \"work\""})"),
                           subscription_with("each"), then_silence(stream_head + event("k-1", "One")),
                           reply("409 Conflict", "", R"({"detail":"it has the option ack: none"})")});
    auto options = consume_from(server);
    auto ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.err == "sluice: --ack needs a subscription with acknowledgements; work has the option ack: none\n");
    options.exec = "true";
    CHECK_THAT(run(subscribe, options).err, Catch::StartsWith("sluice: --exec needs a subscription"));
    options.exec.reset();
    CHECK(run(subscribe, options).err == "sluice: can't subscribe: there is no subscription \"work\"\n");
    ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.out == "One\n");
    CHECK(without_subscribed(ran.err) == "sluice: can't acknowledge: it has the option ack: none\n");
}

TEST_CASE("subscribe --ack: what is printed and can't be acknowledged at the end → told") {
    ScriptedServer server({subscription_with("each"), then_silence(stream_head + event("k-1", "One")),
                           reply("503 Service Unavailable", "", R"({"detail":"busy"})"),
                           reply("503 Service Unavailable", "", R"({"detail":"busy"})")});
    auto options = consume_from(server);
    options.count = 1;
    const auto ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK_THAT(without_subscribed(ran.err),
               Catch::StartsWith("sluice: 1 event is not acknowledged and may come again: "));
}

TEST_CASE("subscribe --ack: the broker ends the subscription → so does it") {
    ScriptedServer server({subscription_with("each"),
                           stream_head + "event: error\ndata: {\"type\":\"urn:sluice:problem:taken-over\",\"detail\":"
                                         "\"another consumer has taken it over\"}\n\n"});
    const auto ran = run(subscribe, consume_from(server));
    CHECK(ran.exit_status == exit_failed);
    CHECK(without_subscribed(ran.err) ==
          "sluice: the broker ended the subscription: another consumer has taken it over\n");
}
