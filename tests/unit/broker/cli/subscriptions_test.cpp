#include <algorithm>
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

namespace {

template <class Options>
Options of_work(const ScriptedServer& server) {
    Options options;
    options.server = server.url();
    options.name = "work";
    return options;
}

std::string shown(const std::string& status = "200 OK") {
    return reply(status, "ETag: \"7\"\r\n",
                 R"({"name":"work","owner":null,"options":{"streams":["s"],"ack_wait":"30s","dead_letter":"dead"},)"
                 R"("position":12,"warning":"it ends with the process"})");
}

std::string refusal(const std::string& status, const std::string& detail) {
    return reply(status, "", R"({"detail":")" + detail + "\"}");
}

// Its first line, the conditions among its header fields, and its body.
std::string brief(const std::string& request) {
    std::string text = request.substr(0, request.find(" HTTP/"));
    for (const char* name : {"\r\nIf-Match: ", "\r\nIf-None-Match: "})
        if (const auto at = request.find(name); at != std::string::npos)
            text += " " + request.substr(at + 2, request.find("\r\n", at + 2) - at - 2);
    const std::string body = request.substr(request.find("\r\n\r\n") + 4);
    return body.empty() ? text : text + " " + body;
}

std::vector<std::string> briefs(ScriptedServer& server) {
    std::vector<std::string> all;
    for (const std::string& request : server.requests()) all.push_back(brief(request));
    return all;
}

}  // namespace

TEST_CASE("subscriptions list: pages → one table, or a line of JSON each") {
    const std::string first =
        R"({"subscriptions":[{"name":"a","consumers":1,"unacknowledged":12,"lag":{"events":3456,"seconds":61},)"
        R"("counts":{"redelivered":7,"dead_letters":2}}],"next":"/v1/subscriptions?after=a"})";
    const std::string second =
        R"({"subscriptions":[{"name":"longer","consumers":0,"unacknowledged":0,"lag":{"events":0,"seconds":0},)"
        R"("counts":{"redelivered":0,"dead_letters":0}}]})";
    ScriptedServer server({reply("200 OK", "", first), reply("200 OK", "", second), reply("200 OK", "", first),
                           reply("200 OK", "", second)});
    auto options = of_work<SubscriptionsOptions>(server);
    CHECK(run(list_subscriptions, options).out ==
          "SUBSCRIPTION  CONSUMERS  UNACKNOWLEDGED   LAG     BEHIND  REDELIVERED  DEAD LETTERS\n"
          "a                     1              12  3456  1 min 1 s            7             2\n"
          "longer                0               0     0          -            0             0\n");
    options.json = true;
    const std::string lines = run(list_subscriptions, options).out;
    CHECK(std::count(lines.begin(), lines.end(), '\n') == 2);
    CHECK(boost::json::parse(lines.substr(0, lines.find('\n'))).at("name").as_string() == "a");
    CHECK(briefs(server).at(1) == "GET /v1/subscriptions?after=a");
}

TEST_CASE("subscriptions list: of all owners, some of whose lags are not told → a column more") {
    const std::string all =
        R"({"subscriptions":[{"name":"a","owner":null,"consumers":1,"unacknowledged":2,"lag":null,"counts":{}},)"
        R"({"name":"b","owner":"alice","consumers":0,"unacknowledged":0,"lag":{"events":3,"seconds":61},)"
        R"("counts":{"redelivered":7}}],"next":"/v1/subscriptions?owner=*&after=alice/b"})";
    ScriptedServer server({reply("200 OK", "", all), reply("200 OK", "", R"({"subscriptions":[]})")});
    auto options = of_work<SubscriptionsOptions>(server);
    options.owner = "*";
    CHECK(run(list_subscriptions, options).out ==
          "OWNER  SUBSCRIPTION  CONSUMERS  UNACKNOWLEDGED  LAG     BEHIND  REDELIVERED  DEAD LETTERS\n"
          "-      a                     1               2    -          -            0             0\n"
          "alice  b                     0               0    3  1 min 1 s            7             0\n");
    CHECK(briefs(server) ==
          std::vector<std::string>{"GET /v1/subscriptions?owner=*", "GET /v1/subscriptions?owner=*&after=alice/b"});
}

TEST_CASE("subscriptions: another owner → is named in each request") {
    ScriptedServer server({shown(), shown(), reply("204 No Content", "", "")});
    auto options = of_work<SubscriptionsOptions>(server);
    options.owner = "alice";
    CHECK(run(show_subscription, options).exit_status == exit_done);
    auto seek = of_work<SeekSubscriptionOptions>(server);
    seek.owner = "";
    seek.to = "first";
    CHECK(run(seek_subscription, seek).exit_status == exit_done);
    CHECK(run(delete_subscription, options).exit_status == exit_done);
    CHECK(briefs(server) == std::vector<std::string>{"GET /v1/subscriptions/work?owner=alice",
                                                     R"(POST /v1/subscriptions/work/seek?owner= {"to":"first"})",
                                                     "DELETE /v1/subscriptions/work?owner=alice"});
}

TEST_CASE("subscriptions show: its members, with its version") {
    ScriptedServer server({shown(), shown(), refusal("404 Not Found", "there is no subscription")});
    auto options = of_work<SubscriptionsOptions>(server);
    auto ran = run(show_subscription, options);
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.out ==
          "name                 work\nversion              7\noptions.streams      [\"s\"]\n"
          "options.ack_wait     30s\noptions.dead_letter  dead\nposition             12\n");
    CHECK(ran.err == "sluice: it ends with the process\n");
    options.json = true;
    ran = run(show_subscription, options);
    CHECK_THAT(ran.out, Catch::StartsWith(R"({"name":"work","version":7,"owner":null,)"));
    CHECK(ran.err.empty());
    options.json = false;
    CHECK(run(show_subscription, options).err == "sluice: subscriptions: there is no subscription\n");
    options.name = "..";
    CHECK_THAT(run(show_subscription, options).err,
               Catch::StartsWith("sluice: the name of the subscription is not valid: expected 1 to 128"));
}

TEST_CASE("subscriptions set: one that exists → only what is given is changed") {
    ScriptedServer server({shown(), reply("200 OK", "", "{}"), shown()});
    auto options = of_work<SetSubscriptionOptions>(server);
    options.streams = {"s", "news.*"};
    options.filters = {"a = 'b'"};
    options.start = "first";
    options.ack = "cumulative";
    options.ack_wait = "5s";
    options.max_deliver = 3;
    options.dead_letter = "";
    options.prefetch = 10;
    options.share = false;
    options.hold_bytes = "1MiB";
    CHECK(run(set_subscription, options).exit_status == exit_done);
    auto version = of_work<SetSubscriptionOptions>(server);
    version.if_version = 7;
    version.defaults = {"filters", "prefetch"};
    CHECK(run(set_subscription, version).exit_status == exit_done);
    CHECK(briefs(server) ==
          std::vector<std::string>{
              R"(PATCH /v1/subscriptions/work {"streams":["s","news.*"],"filters":["a = 'b'"],"start":"first",)"
              R"("ack":"cumulative","ack_wait":"5s","max_deliver":3,"dead_letter":"","prefetch":10,"share":false,)"
              R"("hold_bytes":"1MiB"})",
              "GET /v1/streams/s", R"(PATCH /v1/subscriptions/work If-Match: "7" {"filters":null,"prefetch":null})"});
}

TEST_CASE("subscriptions set: none → created, also if another client is faster") {
    ScriptedServer server({refusal("404 Not Found", ""), shown("201 Created"), refusal("404 Not Found", ""),
                           refusal("412 Precondition Failed", ""), shown(), shown("201 Created"),
                           refusal("412 Precondition Failed", ""), refusal("404 Not Found", ""),
                           refusal("400 Bad Request", "prefetch: no")});
    auto options = of_work<SetSubscriptionOptions>(server);
    options.prefetch = 0;
    options.defaults = {"filters"};
    CHECK(run(set_subscription, options).exit_status == exit_done);
    CHECK(run(set_subscription, options).exit_status == exit_done);
    options.create = true;
    CHECK(run(set_subscription, options).exit_status == exit_done);
    auto ran = run(set_subscription, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.err == "sluice: subscription work exists\n");
    options.create = false;
    ran = run(set_subscription, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.err == "sluice: subscriptions: prefetch: no\n");
    const std::string patch = R"(PATCH /v1/subscriptions/work {"filters":null,"prefetch":0})",
                      put = R"(PUT /v1/subscriptions/work If-None-Match: * {"prefetch":0})";
    CHECK(briefs(server) == std::vector<std::string>{patch, put, patch, put, patch, put, put, patch, put});
}

TEST_CASE("subscriptions set: a stream that the broker does not have yet, a doubtful filter → notes") {
    ScriptedServer server({shown(), reply("404 Not Found", "", R"({"detail":"no such stream"})"),
                           reply("200 OK", "", R"({"streams":[{"name":"news"}]})"),
                           refusal("400 Bad Request", "prefetch: no")});
    auto options = of_work<SetSubscriptionOptions>(server);
    options.streams = {"nwes"};
    options.filters = {"title = Cheap"};
    const auto ran = run(set_subscription, options);
    CHECK(ran.exit_status == exit_done);
    const std::string hint =
        "sluice: hint: filter:1:7: Cheap without quotes is the name of an element; for the text write title = "
        "'Cheap'\ntitle = Cheap\n      ^\n";
    CHECK(ran.err == hint +
                         "sluice: it ends with the process\n"
                         "sluice: the broker has no stream nwes yet; publishing to it creates it (did you mean "
                         "news?)\n");
    CHECK(run(set_subscription, options).err == hint + "sluice: subscriptions: prefetch: no\n");
}

TEST_CASE("subscriptions set: another start of one that exists → refused, with the command that moves it") {
    const std::string reason = "start can't be changed; POST /v1/subscriptions/work/seek moves a subscription";
    ScriptedServer server({refusal("400 Bad Request", reason), refusal("400 Bad Request", "start: no")});
    auto options = of_work<SetSubscriptionOptions>(server);
    options.start = "first";
    const auto ran = run(set_subscription, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.err ==
          "sluice: subscriptions: " + reason + "\nsluice: `sluice subscriptions seek work first` moves it\n");
    CHECK(run(set_subscription, options).err == "sluice: subscriptions: start: no\n");
}

TEST_CASE("subscriptions delete and seek") {
    ScriptedServer server({"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n",
                           refusal("412 Precondition Failed", "it has version 9"), shown()});
    auto options = of_work<SubscriptionsOptions>(server);
    auto ran = run(delete_subscription, options);
    CHECK((ran.exit_status == exit_done && ran.out.empty() && ran.err.empty()));
    options.if_version = 8;
    CHECK(run(delete_subscription, options).exit_status == exit_done);
    ran = run(delete_subscription, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.err == "sluice: subscriptions: it has version 9\n");
    auto seek = of_work<SeekSubscriptionOptions>(server);
    seek.to = "2026-11-27T08:00:00Z";
    CHECK_THAT(run(seek_subscription, seek).out, Catch::Contains("position             12\n"));
    CHECK(briefs(server) ==
          std::vector<std::string>{"DELETE /v1/subscriptions/work", R"(DELETE /v1/subscriptions/work If-Match: "8")",
                                   R"(DELETE /v1/subscriptions/work If-Match: "8")",
                                   R"(POST /v1/subscriptions/work/seek {"to":"2026-11-27T08:00:00Z"})"});
}

TEST_CASE("subscriptions dead: the dead letters of this subscription, and no others") {
    const auto chunk = [](const std::string& text) {
        std::ostringstream head;
        head << std::hex << text.size();
        return head.str() + "\r\n" + text + "\r\n";
    };
    const auto letter = [](const std::string& title, const std::string& subscription) {
        return "data: {\"id\":9,\"dead_letter\":{\"subscription\":\"" + subscription +
               "\",\"stream\":\"s\",\"id\":5,\"deliveries\":3,\"reason\":\"no \\u001b way\"},\"item\":{\"title\":\"" +
               title + "\"}}\n\n";
    };
    const std::string events =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" +
        chunk(letter("One", "work") + letter("Two", "other") + "data: {\"item\":{\"title\":\"Three\"}}\n\n" +
              letter("Four", "work")) +
        "0\r\n\r\n";
    ScriptedServer server(
        {shown(), events, shown(), events, reply("200 OK", "", R"({"name":"work","options":{"dead_letter":""}})")});
    auto options = of_work<SubscriptionsOptions>(server);
    auto ran = run(dead_letters, options);
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.out == "One\n  event 5 of s, 3 deliveries: no � way\nFour\n  event 5 of s, 3 deliveries: no � way\n");
    options.json = true;
    ran = run(dead_letters, options);
    CHECK_THAT(ran.out, Catch::StartsWith(R"({"id":9,"dead_letter":)") && Catch::Contains("Four") &&
                            !Catch::Contains("Two") && !Catch::Contains("Three"));
    options.json = false;
    ran = run(dead_letters, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.err == "sluice: subscription work has no stream of dead letters (set work --dead-letter STREAM)\n");
    const auto& requests = server.requests();
    CHECK_THAT(requests.at(1), Catch::StartsWith("GET /v1/events?stream=dead&filter=true()&from=first&until=now HTTP"));
}
