#include <catch2/catch.hpp>

#include "broker/cli/commands.hpp"
#include "tests/unit/broker/cli/ran.hpp"
#include "tests/unit/broker/cli/scripted_server.hpp"

using namespace sluice::cli;
using test::reply;
using test::run;
using test::ScriptedServer;

namespace {

const std::string metrics = reply("200 OK", "", "# TYPE sluice_queue_events gauge\nsluice_queue_events 7\n# EOF\n");
const std::string no_status = reply("503 Service Unavailable", "", "");

TopOptions once(const ScriptedServer& server) {
    TopOptions options;
    options.server = server.url();
    options.interval = std::chrono::milliseconds(1);
    options.count = 1;
    return options;
}

}  // namespace

TEST_CASE("top reads the metrics twice for a table, and does without the status") {
    ScriptedServer server({metrics, no_status, metrics, no_status});
    const auto ran = run(top, once(server));
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.err == "");
    CHECK_THAT(ran.out, Catch::Contains("queue 7  lag 0\n"));
    REQUIRE(server.requests().size() == 4);
    CHECK_THAT(server.requests()[0], Catch::StartsWith("GET /metrics HTTP/1.1\r\n"));
    CHECK_THAT(server.requests()[0], Catch::Contains("\r\nAccept: application/openmetrics-text\r\n"));
    CHECK_THAT(server.requests()[1], Catch::StartsWith("GET /v1/status HTTP/1.1\r\n"));
}

TEST_CASE("top says why it has no figures") {
    ScriptedServer invalid({reply("200 OK", "", "# EOF\nx\n")}), refusing({reply("404 Not Found", "", "")}),
        ending({metrics, no_status, reply("500 Internal Server Error", "", "")});
    auto ran = run(top, once(invalid));
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.err == "sluice: " + invalid.url() + "/metrics:2: expected nothing after # EOF\n");
    ran = run(top, once(refusing));
    CHECK(ran.exit_status == exit_failed);
    CHECK_THAT(ran.err, Catch::Contains("404"));
    ran = run(top, once(ending));
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.out == "");
    CHECK_THAT(ran.err, Catch::Contains("500"));
}
