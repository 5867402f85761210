#include "broker/cli/commands.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/unit/broker/cli/scripted_server.hpp"

using namespace sluice::cli;
using test::reply;
using test::ScriptedServer;

namespace {

// What a command printed, and its exit status.
struct Ran {
    int exit_status;
    std::string out, err;
};

template <class Options>
Ran run(int (*command)(const Options&, Console), const Options& options) {
    std::ostringstream out, err;
    const int exit_status = command(options, {out, err});
    return {exit_status, out.str(), err.str()};
}

// A file that lasts as long as the test.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& text)
        : folder_(std::filesystem::temp_directory_path() / "sluice-XXXXXX") {
        auto name = folder_.string();
        REQUIRE(mkdtemp(name.data()));
        folder_ = name;
        std::ofstream(path()) << text;
    }
    ~TemporaryFile() { std::filesystem::remove_all(folder_); }
    std::string path() const { return (folder_ / "feed.xml").string(); }

private:
    std::filesystem::path folder_;
};

const std::string feed = R"(<?xml version="1.0"?>
<rss version="2.0"><channel><title>Prices</title>
<item><title>Cheap</title><price>10</price></item>
<item><title>Dear</title><price>1000</price></item>
<item><link>http://example.org/free</link><price>0</price></item>
</channel></rss>)";

SubscribeOptions subscribe_to(const ScriptedServer& server) {
    SubscribeOptions options;
    options.server = server.url();
    options.filters = {"a='1 & 2'", "b"};
    return options;
}

PublishOptions publish_to(const ScriptedServer& server, std::vector<std::string> files) {
    PublishOptions options;
    options.server = server.url();
    options.files = std::move(files);
    return options;
}

const std::string counts = R"({"stream":"s","received":3,"new":2,"updated":1,"unchanged":0})";
const std::string events_head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

}  // namespace

TEST_CASE("match prints the items that match, as grep would") {
    const TemporaryFile file(feed);
    MatchOptions options;
    options.filter = "price < 100";
    options.files = {file.path()};
    CHECK(run(match, options).out == "Cheap\nhttp://example.org/free\n");
    CHECK(run(match, options).exit_status == exit_done);

    options.format = ItemFormat::xml;
    CHECK_THAT(run(match, options).out, Catch::StartsWith("<item><title>Cheap</title><price>10</price></item>\n"));

    options.filter = "price > 100000";
    CHECK(run(match, options).exit_status == exit_no_match);
    CHECK(run(match, options).out.empty());
}

TEST_CASE("match says which file an item of several comes from, and goes on after a bad one") {
    const TemporaryFile good(feed), bad("<rss>\n<channel>");
    MatchOptions options;
    options.filter = "title='Dear'";
    options.files = {bad.path(), good.path(), good.path() + ".none"};
    const auto ran = run(match, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.out == good.path() + ": Dear\n");
    CHECK_THAT(ran.err, Catch::StartsWith("sluice: " + bad.path() + ":2:"));
    CHECK_THAT(ran.err, Catch::EndsWith("sluice: can't read " + good.path() + ".none: No such file or directory\n"));
}

TEST_CASE("align prints score, place and alignment of every pair, and says what is wrong with a file") {
    const TemporaryFile query(">gene\nACGTTGCAACGGTCATTGCA\n"), text(">a\nACGTTGCAACTCATTGCA\n>b\nTTTT\n"),
        bad(">x\nAC\nA-C\n");
    AlignOptions options;
    options.query_file = query.path();
    options.text_file = text.path();
    options.alignment = true;
    const auto ran = run(align, options);
    CHECK(ran.exit_status == exit_done);
    CHECK_THAT(ran.out, Catch::StartsWith("gene (20) x a (18)\nscore    11 (local, dna)\nquery    1-20\ntext     1-18\n"
                                          "identity 18 of 20 columns (90.0 %), 0 mismatches, 2 gap letters\n"
                                          "cigar    10=2I8=\n"));
    CHECK_THAT(ran.out, Catch::Contains("\n\ngene (20) x b (4)\nscore    2 "));

    options.global = true;
    CHECK_THAT(run(align, options).out, Catch::Contains("score    11 (global, dna)"));
    options.text_file = bad.path();
    CHECK_THAT(run(align, options).err, Catch::EndsWith(":3: expected letters, not '-' (column 2)\n"));
    CHECK(run(align, options).exit_status == exit_failed);
    options.scheme = "pam250";
    CHECK_THAT(run(align, options).err, Catch::StartsWith("sluice: scheme 'pam250': expected"));

    const TemporaryFile protein(">p\nMKVL\n");
    options = {};
    options.query_file = options.text_file = protein.path();
    CHECK_THAT(run(align, options).err, Catch::StartsWith("sluice: warning: letter 4 of p, 'L', is no nucleotide"));
    const TemporaryFile proteins(">d\nACGT\n>p\nMKVL\n>q\nML\n>r\nL\n");
    options.text_file = proteins.path();
    CHECK_THAT(run(align, options).err, Catch::Contains("letter 4 of p, 'L', is no nucleotide and matches nothing "
                                                        "(others with such letters: 2); proteins need"));
    options.scheme = "BLOSUM62";
    CHECK(run(align, options).err.empty());
    options.query_file = options.text_file = "-";
    CHECK(run(align, options).exit_status == exit_failed);
}

TEST_CASE("match says that there were texts that can't be measured") {
    const TemporaryFile file("<readings><r><v>1 1 1 1</v></r><r><v>1 2 oops</v></r><r><w>1</w></r></readings>");
    MatchOptions options;
    options.files = {file.path()};
    options.filter = "laminarity(v, 0.5) > 0.9";
    CHECK(run(match, options).exit_status == exit_done);
    CHECK(run(match, options).err ==
          "sluice: " + file.path() + ": 1 text to be measured is no series of numbers, or too long\n");
    options.filter = "recurrence-rate(v, 0.5) > 2 or determinism(v, 0.5) > 2";
    CHECK_THAT(run(match, options).err, Catch::Contains(": 2 texts to be measured are no series"));
    options.filter = "contains(v, 'oops')";
    CHECK(run(match, options).err.empty());
}

TEST_CASE("match and explain point at the fault of a filter") {
    MatchOptions options;
    options.filter = "//item[price < 10";
    CHECK(run(match, options).exit_status == exit_failed);
    CHECK_THAT(run(match, options).err, Catch::StartsWith("sluice: filter:1:18: ") && Catch::EndsWith("^\n"));
    const auto explained = run(explain, ExplainOptions{options.filter});
    CHECK(explained.exit_status == exit_failed);
    CHECK(explained.err == run(match, options).err);
}

TEST_CASE("explain tells indexed leaves from scanned ones") {
    const auto ran = run(explain, ExplainOptions{"price < 10 and position() = 1"});
    CHECK(ran.exit_status == exit_done);
    CHECK_THAT(ran.out, Catch::Contains("price < 10") && Catch::Contains("indexed") && Catch::Contains("scanned"));
}

TEST_CASE("publish sends each file and says what became of it") {
    const TemporaryFile xml(feed), json(" \n{\"items\": []}");
    ScriptedServer server({reply("202 Accepted", "", counts), reply("202 Accepted", "", counts)});
    auto options = publish_to(server, {xml.path(), json.path()});
    options.stream = "a b";
    options.deduplicate = false;
    const auto ran = run(publish, options);
    CHECK(ran.exit_status == exit_done);
    CHECK_THAT(ran.out, Catch::StartsWith(xml.path() + ": 3 received: 2 new, 1 updated, 0 unchanged\n"));
    CHECK_THAT(server.requests().at(0), Catch::StartsWith("POST /v1/events?stream=a%20b&deduplicate=false HTTP"));
    CHECK_THAT(server.requests().at(0), Catch::Contains("Content-Type: application/xml") && Catch::EndsWith(feed));
    CHECK_THAT(server.requests().at(1), Catch::Contains("Content-Type: application/feed+json"));
}

TEST_CASE("publish waits for a busy broker and reports a refusal") {
    const TemporaryFile file(feed);
    ScriptedServer server({reply("503 Service Unavailable", "Retry-After: 0\r\n", "{}"),
                           reply("400 Bad Request", "", R"({"detail":"no root","line":3,"column":4})")});
    const auto ran = run(publish, publish_to(server, {file.path()}));
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.out.empty());
    CHECK(ran.err == "sluice: the broker is busy; trying again in 0 s\nsluice: " + file.path() + ":3:4: no root\n");
}

TEST_CASE("subscribe prints titles until it has enough") {
    ScriptedServer server({events_head + ": hello\n\ndata: {\"item\":{\"title\":\"One\"}}\n\n"
                                         "data: {\"item\":{\"link\":\"http://two\"}}\n\ndata: {\"item\":{}}\n\n"});
    auto options = subscribe_to(server);
    options.count = 2;
    const auto ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.out == "One\nhttp://two\n");
    CHECK(ran.err.empty());
    CHECK_THAT(server.requests().at(0), Catch::StartsWith("GET /v1/events?filter=a='1%20%26%202'&filter=b HTTP"));
}

TEST_CASE("subscribe prints what was sent, and says why it ended") {
    const std::string data = "data: <item>\ndata: </item>\n\n";
    ScriptedServer server(
        {events_head + data, events_head + "event: error\ndata: {\"detail\":\"too slow\"}\n\n",
         reply("400 Bad Request", "", R"({"detail":"expected ]","line":1,"column":2,"excerpt":"[\n ^"})")});
    auto options = subscribe_to(server);
    options.format = ItemFormat::xml;
    auto ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.out == "<item>\n</item>\n");
    CHECK(ran.err == "sluice: the broker closed the connection after 1 items\n");
    ran = run(subscribe, options);
    CHECK(ran.err == "sluice: the broker ended the subscription: too slow\n");
    ran = run(subscribe, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.err == "sluice: filter:1:2: expected ]\n[\n ^\n");
    CHECK_THAT(server.requests().at(0), Catch::Contains("&format=xml HTTP"));
}

TEST_CASE("status prints a line for each value") {
    const std::string body = R"({"version":"1","events":{"accepted":5},"streams":["a","b"]})";
    ScriptedServer server({reply("200 OK", "", body), reply("200 OK", "", body)});
    StatusOptions options;
    options.server = server.url();
    CHECK_THAT(run(status, options).out,
               Catch::Matches("version +1\nevents.accepted +5\nstreams +\\[\"a\",\"b\"\\]\n"));
    options.json = true;
    CHECK(run(status, options).out == body + "\n");
}

TEST_CASE("no command talks to a server whose URL it does not understand") {
    StatusOptions options;
    options.server = "localhost";
    CHECK(run(status, options).exit_status == exit_failed);
    CHECK_THAT(run(status, options).err, Catch::StartsWith("sluice: the server 'localhost' is not of the form"));
}
