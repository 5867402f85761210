#include "broker/cli/client/patience.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/broker/cli/scripted_server.hpp"

using namespace sluice::cli;
using test::reply;
using test::ScriptedServer;

namespace {

HttpServer where_is(const ScriptedServer& server) {
    HttpServer where;
    static_cast<ServerUrl&>(where) = *parse_server_url(server.url());
    return where;
}

std::string busy_reply(const std::string& status, const std::string& seconds) {
    return reply(status, "Retry-After: " + seconds + "\r\n", "{}");
}

}  // namespace

TEST_CASE("what is refused for now is sent again, and each wait is told") {
    ScriptedServer server({busy_reply("429 Too Many Requests", "0"), busy_reply("507 Insufficient Storage", "0"),
                           busy_reply("503 Service Unavailable", "0"), reply("202 Accepted", "", "{}")});
    std::vector<std::string> told;
    const auto got = send_document(where_is(server), {.method = "POST", .content_type = "a/b", .body = "text"}, {},
                                   [&](const std::string& text) { told.push_back(text); });
    REQUIRE(got.has_value());
    CHECK(got->status == 202);
    CHECK(told == std::vector<std::string>{"the broker takes no more from this address now; trying again in 0 s",
                                           "the broker's disk is full; trying again in 0 s",
                                           "the broker is busy; trying again in 0 s"});
    CHECK(server.requests().size() == 4);
    for (const std::string& request : server.requests()) CHECK_THAT(request, Catch::EndsWith("\r\n\r\ntext"));
}

TEST_CASE("a refusal is told to the caller if it is for good, for long, or repeated") {
    std::vector<std::string> replies{busy_reply("400 Bad Request", "0"), busy_reply("503 Service Unavailable", "61"),
                                     reply("503 Service Unavailable", "", "{}")};
    replies.insert(replies.end(), tries_max, busy_reply("503 Service Unavailable", "0"));
    ScriptedServer server(replies);
    int waits = 0;
    const auto status = [&] {
        const auto got = send_document(where_is(server), {}, {}, [&](const std::string&) { ++waits; });
        return got ? got->status : 0u;
    };
    CHECK(status() == 400);
    CHECK(status() == 503);
    CHECK(status() == 503);
    CHECK(waits == 0);
    CHECK(status() == 503);
    CHECK(waits == tries_max - 1);
    CHECK(server.requests().size() == replies.size());
}
