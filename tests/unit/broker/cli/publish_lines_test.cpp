#include "broker/cli/publish_lines.hpp"

#include <catch2/catch.hpp>
#include <cstddef>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <utility>

#include "broker/cli/commands.hpp"
#include "tests/unit/broker/cli/pipe.hpp"
#include "tests/unit/broker/cli/ran.hpp"
#include "tests/unit/broker/cli/scripted_server.hpp"

using namespace sluice::cli;
using test::Ran;
using test::reply;
using test::run;
using test::ScriptedServer;
using test::StandardInput;
using test::TemporaryFile;

namespace {

const std::string two_lines = "{\"n\":1}\n{\"n\":2}\n";

Ran publish_text(const ScriptedServer& server, const std::string& text, bool as_json = false) {
    const TemporaryFile file(text, "log.ndjson");
    PublishOptions options;
    options.server = server.url();
    options.files = {file.path()};
    options.stream = "s";
    options.lines = true;
    options.json = as_json;
    Ran ran = run(publish, options);
    for (std::string* printed : {&ran.out, &ran.err})  // the file is "log" then
        for (std::size_t at; (at = printed->find(file.path())) != std::string::npos;)
            printed->replace(at, file.path().size(), "log");
    return ran;
}

std::string stream_reply(const std::string& lines) { return reply("200 OK", "", lines); }

// What the broker says of a line that it has taken, without the number.
std::string taken(int id) {
    const std::string id_text = std::to_string(id);
    return R"("stream":"s","received":1,"new":1,"updated":0,"unchanged":0,"first_id":)" + id_text + R"(,"last_id":)" +
           id_text + R"(,"stored":"memory")";
}

std::string summary_text(int documents, int accepted, int id) {
    const std::string taken_text = std::to_string(accepted);
    return R"({"stream":"s","documents":)" + std::to_string(documents) + R"(,"accepted":)" + taken_text +
           R"(,"refused":)" + std::to_string(documents - accepted) + R"(,"next_number":)" +
           std::to_string(documents + 1) + R"(,"received":)" + taken_text + R"(,"new":)" + taken_text +
           R"(,"updated":0,"unchanged":0,"first_id":1,"last_id":)" + std::to_string(id) + R"(,"stored":"memory"})";
}

// The request without its head.
std::string_view body_of(const std::string& request) {
    return std::string_view(request).substr(request.find("\r\n\r\n") + 4);
}

}  // namespace

TEST_CASE("NDJSON has several names") {
    for (const char* type : {"application/x-ndjson", "Application/X-NDJSON; charset=utf-8", "application/ndjson",
                             "application/jsonl", "text/x-ndjson", "application/jsonlines"})
        CHECK(is_ndjson(type));
    for (const char* type : {"", "application/json", "text/csv", "application/ndjson+xml"})
        CHECK_FALSE(is_ndjson(type));
}

TEST_CASE("a text has a document a line if its first line is a whole JSON object") {
    CHECK(looks_like_ndjson("{\"a\":1}\n"));
    CHECK(looks_like_ndjson(" {} \r\n"));
    for (const char* line : {"", "\n", "{}", "{\n", "[{}]\n", "7\n", "{} {}\n", "<rss/>\n", "a,b\n"})
        CHECK_FALSE(looks_like_ndjson(line));
}

TEST_CASE("lines are sent in one request, and the items and lines that are refused are told") {
    ScriptedServer server({stream_reply("{\"number\":1," + taken(1) + "}\n{\"number\":2," + taken(2) +
                                        R"(,"refused":2,"refusals":[{"index":1,"line":1,"reason":"no object"}]})" +
                                        "\n" + R"({"number":3,"status":400,"detail":"not JSON","line":4,"column":2})" +
                                        "\n" + R"({"documents":3,"accepted":2,"refused":1,"received":2,"new":2,)" +
                                        R"("updated":0,"unchanged":0,"items_refused":2})" + "\n")});
    const Ran ran = publish_text(server, "[{}]\n\n[{},7,8]\n{\n");
    CHECK(ran.exit_status == 1);
    CHECK(ran.err == "sluice: log:4:2: not JSON\n");
    CHECK(ran.out ==
          "log: 2 received: 2 new, 0 updated, 0 unchanged, 2 items refused (line 3: no object), 1 line refused\n");
    const std::string& request = server.requests().at(0);
    CHECK_THAT(request, Catch::StartsWith("POST /v1/publish?stream=s&reply=stream HTTP/1.1\r\n") &&
                            Catch::Contains("\r\nContent-Type: application/x-ndjson\r\n") &&
                            Catch::EndsWith("[{}]\n\n[{},7,8]\n{\n\r\n0\r\n\r\n"));
}

TEST_CASE("lines that the broker has no room for now are sent again by themselves") {
    ScriptedServer server(
        {stream_reply(R"({"number":1,"status":503,"detail":"full"})"
                      "\n{\"number\":2," +
                      taken(1) + "}\n" + R"({"number":3,"status":429,"detail":"too many"})" + "\n" +
                      R"({"number":4,"status":507,"detail":"no space"})" + "\n" + summary_text(4, 1, 1) + "\n"),
         reply("503 Service Unavailable", "Retry-After: 0\r\n", "{}"), reply("202 Accepted", "", "{" + taken(2) + "}"),
         reply("422 Unprocessable Entity", "", R"({"detail":"no feed","line":1,"column":2})"),
         reply("202 Accepted", "", "{" + taken(3) + "}")});
    const Ran ran = publish_text(server, "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{\"n\":4}\n", true);
    CHECK(ran.exit_status == 1);
    CHECK(ran.err == R"({"level":"note","detail":"the broker is busy; trying again in 0 s","about":"log"})"
                     "\n"
                     R"({"level":"error","detail":"no feed","about":"log","status":422,"line":3,"column":2,"number":3})"
                     "\n");
    CHECK(ran.out == R"({"file":"log",)" + summary_text(4, 3, 3).substr(1) + "\n");
    REQUIRE(server.requests().size() == 5);
    const int lines[] = {1, 1, 3, 4};
    for (std::size_t i = 0; i < 4; ++i) {
        const std::string& request = server.requests()[i + 1];
        CHECK_THAT(request, Catch::StartsWith("POST /v1/events?stream=s HTTP/1.1\r\n") &&
                                Catch::Contains("\r\nContent-Type: application/json\r\n"));
        CHECK(body_of(request) == "{\"n\":" + std::to_string(lines[i]) + "}\n");
    }
}

TEST_CASE("a broker that is busy before it has taken any lines gets all of them again") {
    ScriptedServer server({reply("503 Service Unavailable", "Retry-After: 0\r\n", "{}"),
                           stream_reply("{\"number\":1," + taken(1) + "}\n{\"number\":2," + taken(2) + "}\n" +
                                        summary_text(2, 2, 2) + "\n")});
    const Ran ran = publish_text(server, two_lines);
    CHECK(ran.err == "sluice: the broker is busy; trying again in 0 s\n");
    REQUIRE(server.requests().size() == 2);
    CHECK(body_of(server.requests()[0]) == body_of(server.requests()[1]));
    CHECK(body_of(server.requests()[1]) == "10\r\n" + two_lines + "\r\n0\r\n\r\n");
}

TEST_CASE("one line is sent as one document, and told as a stream would be") {
    ScriptedServer server({reply("503 Service Unavailable", "Retry-After: 0\r\n", "{}"),
                           reply("202 Accepted", "", "{" + taken(1) + "}"),
                           reply("202 Accepted", "", "{" + taken(1) + "}")});
    const Ran ran = publish_text(server, "{\"n\":1}\n");
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.out == "log: 1 received: 1 new, 0 updated, 0 unchanged\n");
    CHECK(publish_text(server, "{\"n\":1}", true).out == R"({"file":"log",)" + summary_text(1, 1, 1).substr(1) + "\n");
    CHECK_THAT(server.requests().at(1),
               Catch::StartsWith("POST /v1/events?stream=s HTTP/1.1\r\n") && Catch::EndsWith("\r\n\r\n{\"n\":1}\n"));
}

TEST_CASE("a refusal of one line is that of a line, or of everything") {
    ScriptedServer server(
        {reply("400 Bad Request", "", R"({"type":"urn:sluice:problem:document","detail":"bad","line":1,"column":3})"),
         reply("413 Payload Too Large", "", R"({"type":"about:blank","detail":"large"})"),
         reply("400 Bad Request", "", R"({"type":"about:blank","detail":"parameter"})"),
         reply("403 Forbidden", "", R"({"type":"about:blank","detail":"no right"})")});
    const std::pair<int, std::string> expected[] = {
        {1, "log:1:3: bad"}, {1, "log:1: large"}, {2, "log: parameter"}, {2, "log: no right"}};
    for (const auto& [status, err] : expected) {
        const Ran ran = publish_text(server, "{\"n\":1}\n");
        CHECK(ran.exit_status == status);
        CHECK(ran.err == "sluice: " + err + "\n");
        CHECK(ran.out == (status == 1 ? "log: 0 received: 0 new, 0 updated, 0 unchanged, 1 line refused\n" : ""));
    }
}

TEST_CASE("a reply that breaks off leaves open what became of the lines") {
    ScriptedServer server({stream_reply("{\"number\":1," + taken(1) + "}\n"),
                           "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", stream_reply("{\"number\":2}\n")});
    const std::string unknown = " and later ones were published is not known\n";
    CHECK(publish_text(server, two_lines).err ==
          "sluice: log: " + server.url() +
              " ended the reply before it said what became of all documents; whether line 2" + unknown);
    const Ran lost = publish_text(server, two_lines);
    CHECK(lost.exit_status == exit_failed);
    CHECK_THAT(lost.err, Catch::StartsWith("sluice: log: lost the connection to ") &&
                             Catch::EndsWith("; whether line 1" + unknown));
    CHECK_THAT(publish_text(server, two_lines).err, Catch::EndsWith("; whether line 1" + unknown));
}

TEST_CASE("publish: lines with refused items → exit status 1") {
    const std::string counts = summary_text(2, 2, 2);
    ScriptedServer server(
        {stream_reply("{\"number\":1," + taken(1) + "}\n{\"number\":2," + taken(2) + R"(,"refused":3})" + "\n" +
                      counts.substr(0, counts.size() - 1) + R"(,"items_refused":3})" + "\n")});
    const Ran ran = publish_text(server, two_lines);
    CHECK(ran.exit_status == 1);
    CHECK(ran.out == "log: 2 received: 2 new, 0 updated, 0 unchanged, 3 items refused (line 2)\n");
}

TEST_CASE("publish names what is too large for any broker") {
    ScriptedServer server({stream_reply(summary_text(0, 0, 0) + "\n")});
    PublishOptions options;
    options.server = server.url();
    options.document_bytes_max = 2'000'000;
    const std::string reason =
        " is larger than 2000000 bytes, which no broker takes as one document "
        "(limits.document_bytes)";
    const std::string hint = "; --lines sends each line as one\n";
    options.files = {"/dev/zero"};
    Ran ran = run(publish, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.err == "sluice: can't read /dev/zero: it" + reason + hint);
    options.files = {"-"};
    const StandardInput input(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    ran = run(publish, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.err == "sluice: can't read standard input: it" + reason + hint);
    options.lines = true;
    ran = run(publish, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.err == "sluice: can't read standard input to its end: line 1" + reason + "\n");
}

TEST_CASE("an NDJSON file that is too large to be read whole is sent by lines") {
    ScriptedServer server({stream_reply("{\"number\":1," + taken(1) + "}\n{\"number\":2," + taken(2) + "}\n" +
                                        summary_text(2, 2, 2) + "\n")});
    const TemporaryFile file(two_lines, "log.ndjson");
    PublishOptions options;
    options.server = server.url();
    options.files = {file.path()};
    options.document_bytes_max = 10;
    const Ran ran = run(publish, options);
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.out == file.path() + ": 2 received: 2 new, 0 updated, 0 unchanged\n");
    CHECK(ran.err == "sluice: " + file.path() + " is too large for one document; each line is sent as one\n");
}
