#include "broker/cli/stream_hint.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <sstream>

#include "tests/unit/broker/cli/scripted_server.hpp"

using namespace sluice::cli;
using test::reply;
using test::ScriptedServer;

namespace {

std::string hint_of(const ScriptedServer& server, bool as_json = false) {
    HttpServer where;
    static_cast<ServerUrl&>(where) = *parse_server_url(server.url());
    std::ostringstream out, err;
    Console console{out, err};
    console.json = as_json;
    hint_at_unknown_stream(where, "newz", std::chrono::minutes(10), console);
    CHECK(out.str().empty());
    return err.str();
}

const std::string yet = "the broker has no stream newz yet; publishing to it creates it";

}  // namespace

TEST_CASE("hint_at_unknown_stream: no such stream → a note, with the nearest name of all pages") {
    const std::string missing = reply("404 Not Found", "", R"({"detail":"no such stream"})");
    ScriptedServer server(
        {missing, reply("200 OK", "", R"({"streams":[{"name":"prices"}],"next":"/v1/streams?after=prices"})"),
         reply("200 OK", "", R"({"streams":[{"name":"news"}],"total":2})"), missing,
         reply("200 OK", "", R"({"streams":[{"name":"news"}],"next":"http://elsewhere/"})"), missing,
         reply("200 OK", "", R"({"streams":[{"name":"prices"}]})"), missing, reply("403 Forbidden", "", "{}")});
    CHECK(hint_of(server) == "sluice: " + yet + " (did you mean news?)\n");
    CHECK(hint_of(server, true) == "{\"level\":\"note\",\"detail\":\"" + yet +
                                       R"json( (did you mean news?)","stream":"newz","nearest":"news"})json"
                                       "\n");
    CHECK(hint_of(server) == "sluice: " + yet + "\n");
    CHECK(hint_of(server) == "sluice: " + yet + "\n");
    CHECK_THAT(server.requests().at(0), Catch::StartsWith("GET /v1/streams/newz HTTP"));
    CHECK_THAT(server.requests().at(2), Catch::StartsWith("GET /v1/streams?after=prices HTTP"));
}

TEST_CASE("hint_at_nearest_stream: a stream of nearly this name, and not the stream itself → a note") {
    ScriptedServer server({reply("200 OK", "", R"({"streams":[{"name":"prices"},{"name":"news"}]})"),
                           reply("200 OK", "", R"({"streams":[{"name":"news"},{"name":"newz"}]})"),
                           reply("200 OK", "", R"({"streams":[{"name":"prices"}]})"),
                           reply("403 Forbidden", "", "{}")});
    HttpServer where;
    static_cast<ServerUrl&>(where) = *parse_server_url(server.url());
    const auto hint = [&] {
        std::ostringstream out, err;
        hint_at_nearest_stream(where, "newz", std::chrono::minutes(10), Console{out, err});
        CHECK(out.str().empty());
        return err.str();
    };
    CHECK(hint() == "sluice: did you mean news?\n");
    for (int i = 0; i < 3; ++i) CHECK(hint().empty());
}

TEST_CASE("hint_at_unknown_stream: the stream comes meanwhile → no note") {
    ScriptedServer server({reply("404 Not Found", "", R"({"detail":"no such stream"})"),
                           reply("200 OK", "", R"({"streams":[{"name":"news"},{"name":"newz"}]})")});
    CHECK(hint_of(server).empty());
}

TEST_CASE("hint_at_unknown_stream: the stream is there, or that can't be found out → no note") {
    ScriptedServer server({reply("200 OK", "", "{}"), reply("403 Forbidden", "", "{}"), ""});
    for (int i = 0; i < 3; ++i) CHECK(hint_of(server).empty());
    const test::ClosedPort nobody;
    HttpServer where;
    static_cast<ServerUrl&>(where) = *parse_server_url(nobody.url());
    std::ostringstream out, err;
    hint_at_unknown_stream(where, "newz", std::chrono::minutes(10), Console{out, err});
    CHECK((out.str() + err.str()).empty());
}
