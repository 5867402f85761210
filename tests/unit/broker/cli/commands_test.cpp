#include "broker/cli/commands.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/cli/workbench/operator_options.hpp"
#include "tests/unit/broker/cli/ran.hpp"
#include "tests/unit/broker/cli/scripted_server.hpp"

using namespace sluice::cli;
using test::ClosedPort;
using test::reply;
using test::run;
using test::ScriptedServer;
using test::TemporaryFile;

namespace {

const std::string feed = R"(<?xml version="1.0"?>
<rss version="2.0"><channel><title>Prices</title>
<item><title>Cheap</title><price>10</price></item>
<item><title>Dear</title><price>1000</price></item>
<item><link>http://example.org/free</link><price>0</price></item>
</channel></rss>)";

ExplainOptions explain_of(const std::string& filter) {
    ExplainOptions options;
    options.filter = filter;
    return options;
}

PublishOptions publish_to(const ScriptedServer& server, std::vector<std::string> files) {
    PublishOptions options;
    options.server = server.url();
    options.files = std::move(files);
    return options;
}

const std::string counts = R"({"stream":"s","received":3,"new":2,"updated":1,"unchanged":0})";

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
        bad(">x\nAC\nA1C\n");
    AlignOptions options;
    options.query_file = query.path();
    options.text_file = text.path();
    options.alignment = true;
    const auto ran = run(align, options);
    CHECK(ran.exit_status == exit_done);
    CHECK_THAT(ran.out, Catch::StartsWith("gene (20) x a (18)\nscore    11 (local, dna)\n"
                                          "gaps     cost 5 for the first letter, 2 for each further one\n"
                                          "query    1-20\ntext     1-18\n"
                                          "identity 18 of 20 columns (90.0 %), 0 mismatches, 2 gap letters\n"
                                          "cigar    10=2I8=\n"));
    CHECK_THAT(ran.out, Catch::Contains("\n\ngene (20) x b (4)\nscore    2 "));

    const TemporaryFile other(">a\nACGTTGCAACTGTCATTGCA\n");
    options.text_file = other.path();
    CHECK_THAT(run(align, options).out, Catch::Contains(" 1 mismatch, 0 gap letters\n"));
    options.text_file = text.path();

    options.global = true;
    CHECK_THAT(run(align, options).out, Catch::Contains("score    11 (global, dna)"));
    options.text_file = bad.path();
    CHECK_THAT(run(align, options).err, Catch::EndsWith(":3: expected letters, '*', '-' or '.', not '1' (column 2)\n"));
    CHECK(run(align, options).exit_status == exit_failed);
    options.scheme = "pam250";
    CHECK_THAT(run(align, options).err, Catch::StartsWith("sluice: scheme 'pam250': expected"));

    const TemporaryFile protein(">p\nMKVL\n");
    options = {};
    options.query_file = options.text_file = protein.path();
    CHECK_THAT(run(align, options).err, Catch::StartsWith("sluice: warning: letter 4 of p, 'L', is not a nucleotide"));
    const TemporaryFile proteins(">d\nACGT\n>p\nMKVL\n>q\nML\n>r\nL\n");
    options.text_file = proteins.path();
    CHECK_THAT(run(align, options).err, Catch::Contains("letter 4 of p, 'L', is not a nucleotide and matches nothing "
                                                        "(others with such letters: 2); proteins need"));
    options.scheme = "BLOSUM62";
    CHECK(run(align, options).err.empty());
    options.query_file = options.text_file = "-";
    CHECK(run(align, options).exit_status == exit_failed);
}

TEST_CASE("align leaves out records without letters, and says so") {
    const TemporaryFile genome(">chr1\nACGT\n>chr2\n>chr3\n", "genome.fa"), none(">chr1\n", "none.fa");
    AlignOptions options;
    options.query_file = options.text_file = genome.path();
    options.format = AlignFormat::paf;
    const auto ran = run(align, options);
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.out == "chr1\t4\t0\t4\t+\tchr1\t4\t0\t4\t4\t4\t255\tAS:i:4\tNM:i:0\tcg:Z:4=\n");
    CHECK_THAT(ran.err, Catch::StartsWith("sluice: " + genome.path() +
                                          ":3: chr2 has no letters; left out (others without letters: 1)\n"));
    options.text_file = none.path();
    CHECK(run(align, options).exit_status == exit_failed);
    CHECK_THAT(run(align, options).err, Catch::EndsWith("none.fa:1: the sequence has no letters\n"));
}

TEST_CASE("recurrence says before it computes that its plot can't be written") {
    const TemporaryFile series("1 2 1 2\n");
    RecurrenceOptions options;
    options.series_file = series.path();
    options.epsilon = 0.5;
    options.plot_file = series.path() + ".none/plot.png";
    const auto ran = run(recurrence, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.out.empty());
    CHECK(ran.err == "sluice: can't write " + options.plot_file + ": No such file or directory\n");
    options.plot_file = series.path() + ".png";
    CHECK(run(recurrence, options).exit_status == exit_done);
}

TEST_CASE("match of several files as JSON prints an object a line, with the file's name") {
    const TemporaryFile one(feed), two(feed, "a \"b\".xml");
    MatchOptions options;
    options.filter = "title='Dear'";
    options.files = {one.path(), two.path()};
    options.format = ItemFormat::json;
    const auto out = run(match, options).out;
    CHECK_THAT(out, Catch::StartsWith("{\"file\":\"" + one.path() + "\",\"id\":2,") &&
                        Catch::Contains("a \\\"b\\\".xml\",\"id\":2,"));
    options.files = {one.path()};
    CHECK_THAT(run(match, options).out, Catch::StartsWith("{\"id\":2,"));
}

TEST_CASE("match says that there were texts that can't be measured") {
    const TemporaryFile file("<readings><r><v>1 1 1 1</v></r><r><v>1 2 oops</v></r><r><w>1</w></r></readings>");
    MatchOptions options;
    options.files = {file.path()};
    options.filter = "laminarity(v, 0.5) > 0.9";
    CHECK(run(match, options).exit_status == exit_done);
    CHECK(run(match, options).err ==
          "sluice: " + file.path() + ": 1 text is not a series of numbers, or is too long\n");
    options.filter = "recurrence-rate(v, 0.5) > 2 or determinism(v, 0.5) > 2";
    CHECK_THAT(run(match, options).err, Catch::Contains(": 2 texts are not series of numbers, or are too long\n"));
    options.filter = "contains(v, 'oops')";
    CHECK(run(match, options).err.empty());
}

TEST_CASE("match has a broker's budgets, and names the items that it leaves undecided") {
    const auto item = [](int pairs) {
        std::string text = "<item><title>" + std::to_string(pairs) + "</title>";
        for (int i = 0; i < pairs; ++i) text += "<a>x</a><b>y</b>";
        return text + "</item>";
    };
    const TemporaryFile file("<rss><channel><title>t</title>" + item(10) + item(4'900) +
                             "<item><title>c</title><a>x</a>"
                             "<b>x</b></item></channel></rss>");
    const std::string costly = "boolean(a[string-length(..) = string-length(.)])";
    MatchOptions options;
    options.filter = costly + " or title = 'c'";  // its other condition decides the last item
    options.files = {file.path()};
    const auto ran = run(match, options);
    CHECK(ran.exit_status == exit_undecided);
    CHECK(ran.out == "c\n");
    CHECK_THAT(ran.err, Catch::StartsWith("sluice: " + file.path() + ": item 2 (4900) is undecided: ") &&
                            Catch::EndsWith(": " + options.filter + "\n"));
    CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
    options.json = true;
    CHECK_THAT(run(match, options).err, Catch::Contains(R"("item":2,"filter":"boolean)"));
    options.json = false;
    options.filter = costly + " or title";
    CHECK(run(match, options).exit_status == exit_done);
    options.filter = costly;
    options.files.emplace_back("/no such file");
    CHECK(run(match, options).exit_status == exit_failed);
}

TEST_CASE("match and explain point at the fault of a filter") {
    MatchOptions options;
    options.filter = "//item[price < 10";
    CHECK(run(match, options).exit_status == exit_failed);
    CHECK_THAT(run(match, options).err, Catch::StartsWith("sluice: filter:1:18: ") && Catch::EndsWith("^\n"));
    const auto explained = run(explain, explain_of(options.filter));
    CHECK(explained.exit_status == exit_failed);
    CHECK(explained.err == run(match, options).err);
}

TEST_CASE("match and explain tell what a filter almost surely does not mean") {
    const TemporaryFile file(feed);
    MatchOptions options;
    options.filter = "title = Cheap";
    options.files = {file.path()};
    const auto matched = run(match, options);
    const std::string hint_of_quotes =
        "sluice: hint: filter:1:7: Cheap without quotes is the name of an element; for the text write title = "
        "'Cheap'\ntitle = Cheap\n      ^\n";
    CHECK(matched.exit_status == exit_no_match);
    CHECK(matched.err == hint_of_quotes);
    const auto explained = run(explain, explain_of(options.filter));
    CHECK(explained.exit_status == exit_done);
    CHECK(explained.err == hint_of_quotes);
}

TEST_CASE("match tells a bad event path from a bad document") {
    const TemporaryFile file("<a b='1'><c/></a>");
    MatchOptions options;
    options.filter = "true()";
    options.files = {file.path()};
    options.event_path = "//obs[";
    CHECK(run(match, options).exit_status == exit_failed);
    CHECK(run(match, options).err ==
          "sluice: event path:1:7: expected a path, a value or '(', but the path ends here\n//obs[\n      ^\n");
    options.event_path = "//@b";
    CHECK(run(match, options).err ==
          "sluice: event path:1:1: expected a path of elements; this selects attributes\n//@b\n^\n");
    options.event_path = "//node()";
    CHECK(run(match, options).exit_status == exit_done);
    const TemporaryFile text("<a>b</a>");
    options.files = {text.path()};
    CHECK(run(match, options).err ==
          "sluice: " + text.path() + ": the event path \"//node()\" selects something that is not an element\n");
}

TEST_CASE("match repairs documents and says so, or refuses them") {
    const TemporaryFile file("<rss><channel>\n<item><title>R&D</title></item></channel></rss>");
    MatchOptions options;
    options.filter = "title = 'R&D'";
    options.files = {file.path()};
    CHECK(run(match, options).out == "R&D\n");
    CHECK(run(match, options).err == "sluice: " + file.path() + ":2:15: repaired: an '&' that begins no reference\n");
    options.repair = "strict";
    CHECK(run(match, options).exit_status == exit_failed);
}

TEST_CASE("explain tells indexed leaves from scanned ones") {
    const auto ran = run(explain, explain_of("price < 10 and position() = 1"));
    CHECK(ran.exit_status == exit_done);
    CHECK_THAT(ran.out, Catch::Contains("price < 10") && Catch::Contains("indexed") && Catch::Contains("scanned"));
}

TEST_CASE("explain as JSON numbers the leaves in its conjunctions") {
    auto options = explain_of("price < 10 and not(position() = 1)");
    options.json = true;
    const auto out = run(explain, options).out;
    CHECK_THAT(out, Catch::StartsWith("{\"filter\":") &&
                        Catch::Contains("\"decided\":\"indexed\",\"how\":\"indexed on price\"") &&
                        Catch::Contains("\"decided\":\"scanned\"") && Catch::Contains("\"conjunctions\":[["));
    options.filter = "a[";
    CHECK_THAT(run(explain, options).err, Catch::StartsWith(R"({"level":"error","detail":"expected)") &&
                                              Catch::Contains(R"("line":1,"column":3)"));
}

TEST_CASE("match leaves out bad items, and says where and why") {
    const TemporaryFile lines("{\"n\":1}\n{\"n\":\n{\"n\":2}\n");
    MatchOptions options;
    options.filter = "n > 1";
    options.files = {lines.path()};
    options.format = ItemFormat::xml;
    const auto ran = run(match, options);
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.out == "<item><n>2</n></item>\n");
    CHECK_THAT(ran.err, Catch::StartsWith("sluice: " + lines.path() + ":2:6: left out: not JSON: "));
}

TEST_CASE("publish says how many items were refused, and why the first") {
    const TemporaryFile lines("{}\n7");
    const std::string body = R"({"received":1,"new":1,"updated":0,"unchanged":0,"refused":2,)"
                             R"("refusals":[{"index":1,"line":2,"reason":"no object"}]})";
    ScriptedServer server({reply("202 Accepted", "", body)});
    const auto ran = run(publish, publish_to(server, {lines.path()}));
    CHECK(ran.exit_status == 1);
    CHECK(ran.out == lines.path() + ": 1 received: 1 new, 0 updated, 0 unchanged, 2 refused (line 2: no object)\n");
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
    CHECK_THAT(server.requests().at(1), Catch::Contains("Content-Type: text/plain"));
}

TEST_CASE("publish sends a compressed file as it is, and says what is in it") {
    const TemporaryFile file(std::string("\x1F\x8B\x08 not really", 13), "x.rss.gz");
    ScriptedServer server({reply("202 Accepted", "", counts)});
    CHECK(run(publish, publish_to(server, {file.path()})).exit_status == exit_done);
    CHECK_THAT(server.requests().at(0), Catch::Contains("\r\nContent-Encoding: gzip\r\n") &&
                                            Catch::Contains("\r\nContent-Type: application/rss+xml\r\n"));
}

TEST_CASE("publish prints and complains in JSON") {
    const TemporaryFile file(feed);
    ScriptedServer server(
        {reply("202 Accepted", "", counts), reply("400 Bad Request", "", R"({"detail":"no root","line":3})")});
    auto options = publish_to(server, {file.path()});
    options.json = true;
    CHECK(run(publish, options).out == "{\"file\":\"" + file.path() + "\"," + counts.substr(1) + "\n");
    const auto ran = run(publish, options);
    CHECK(ran.out.empty());
    CHECK(ran.err ==
          "{\"level\":\"error\",\"detail\":\"no root\",\"about\":\"" + file.path() + "\",\"status\":400,\"line\":3}\n");
}

TEST_CASE("publish recognises what is not a broker") {
    const TemporaryFile file(feed);
    ScriptedServer server({reply("202 Accepted", "", "<html>")});
    CHECK_THAT(run(publish, publish_to(server, {file.path()})).err,
               Catch::StartsWith("sluice: " + file.path() + ": ") && Catch::Contains(" is not a Sluice broker: "));
}

TEST_CASE("publish: no broker → the error names the file") {
    const TemporaryFile file(feed);
    const ClosedPort port;
    PublishOptions options;
    options.server = port.url();
    options.files = {file.path()};
    const auto ran = run(publish, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK_THAT(ran.err, Catch::StartsWith("sluice: " + file.path() + ": can't connect to 127.0.0.1:"));
}

TEST_CASE("publish: an accepted document without counts → it is published") {
    const TemporaryFile file(feed);
    ScriptedServer server({reply("202 Accepted", "", "")});
    const auto ran = run(publish, publish_to(server, {file.path()}));
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.out == file.path() + ": published; the broker had no memory to say more\n");
}

TEST_CASE("publish: the connection is lost → the document is sent again with its key, each document with its own") {
    const TemporaryFile file(feed);
    ScriptedServer server({"", reply("409 Conflict", "Retry-After: 0\r\n", R"({"detail":"in progress"})"),
                           reply("202 Accepted", "", counts), reply("202 Accepted", "", counts)});
    const auto ran = run(publish, publish_to(server, {file.path(), file.path()}));
    CHECK(ran.exit_status == exit_done);
    CHECK_THAT(ran.err, Catch::StartsWith("sluice: " + file.path() + ": no reply from 127.0.0.1:") &&
                            Catch::Contains("; sending it again in ") &&
                            Catch::EndsWith(": the broker is still publishing it; trying again in 0 s\n"));
    std::vector<std::string> keys;
    for (const std::string& request : server.requests()) {
        const std::string field = "\r\nIdempotency-Key: ";
        const auto at = request.find(field);
        REQUIRE(at != std::string::npos);
        keys.push_back(request.substr(at + field.size(), 32));
        CHECK(keys.back().find_first_not_of("0123456789abcdef") == std::string::npos);
        CHECK_THAT(request, Catch::EndsWith(feed));
    }
    REQUIRE(keys.size() == 4);
    CHECK((keys[0] == keys[1] && keys[1] == keys[2]));
    CHECK(keys[2] != keys[3]);
}

TEST_CASE("publish: a document larger than most brokers take → sent as it is read, and a refusal names the limit") {
    const TemporaryFile file(std::string(20'000'000, ' '));
    ScriptedServer server({reply("202 Accepted", "", counts),
                           reply("413 Payload Too Large", "", R"({"detail":"at most 30000000 bytes"})")});
    CHECK(run(publish, publish_to(server, {file.path()})).exit_status == exit_done);
    const auto ran = run(publish, publish_to(server, {file.path()}));
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.err == "sluice: " + file.path() +
                         ": at most 30000000 bytes\n"
                         "sluice: limits.document_bytes is the broker's limit for a document; --lines sends each line "
                         "as a document\n");
    CHECK_THAT(server.requests().at(0), Catch::Contains("\r\nTransfer-Encoding: chunked\r\n"));
    CHECK(server.requests().at(0).size() > 20'000'000);
}

TEST_CASE("publish says how much was repaired") {
    const TemporaryFile xml(feed);
    const std::string repaired = R"({"received":1,"new":1,"updated":0,"unchanged":0,"repaired":3,"repairs":[]})";
    ScriptedServer server({reply("202 Accepted", "", repaired)});
    auto options = publish_to(server, {xml.path()});
    options.repair = "strict";
    CHECK_THAT(run(publish, options).out, Catch::EndsWith(": 1 received: 1 new, 0 updated, 0 unchanged, 3 repaired\n"));
    CHECK_THAT(server.requests().at(0), Catch::StartsWith("POST /v1/events?repair=strict HTTP"));
}

TEST_CASE("publish waits for a busy broker and reports a refusal") {
    const TemporaryFile file(feed);
    ScriptedServer server({reply("503 Service Unavailable", "Retry-After: 0\r\n", "{}"),
                           reply("400 Bad Request", "", R"({"detail":"no root","line":3,"column":4})")});
    const auto ran = run(publish, publish_to(server, {file.path()}));
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.out.empty());
    CHECK(ran.err == "sluice: " + file.path() + ": the broker is busy; trying again in 0 s\nsluice: " + file.path() +
                         ":3:4: no root\n");
}

TEST_CASE("status prints a line for each value that is not zero, and whether there is a GPU") {
    const std::string body =
        R"({"version":"1","engine":{"devices":{},"faults":0},"events":{"accepted":5},"streams":["a","b"]})";
    ScriptedServer server(
        {reply("200 OK", "", body), reply("200 OK", "", body), reply("200 OK", "", body), reply("200 OK", "", "[]")});
    StatusOptions options;
    options.server = server.url();
    CHECK(run(status, options).out ==
          "version          1\nengine.devices   no GPU\nevents.accepted  5\nstreams          [\"a\",\"b\"]\n");
    options.all = true;
    CHECK_THAT(run(status, options).out, Catch::Contains("\nengine.faults    0\n"));
    options.json = true;
    CHECK(run(status, options).out == body + "\n");
    CHECK_THAT(run(status, options).err, Catch::Contains(" is not a Sluice broker: "));
}

TEST_CASE("streams: a name that the broker does not have → the nearest that it has") {
    const std::string missing = reply("404 Not Found", "", R"({"detail":"there is no stream"})"),
                      known = reply("200 OK", "", R"({"streams":[{"name":"news"}]})");
    ScriptedServer server({missing, known, missing, known, missing, known, missing, known, missing, "{}", missing});
    StreamsOptions options;
    options.server = server.url();
    options.stream = "nwes";
    const std::string error = "sluice: streams: there is no stream\n";
    const auto expect_hint = [&](const std::string& hint) {
        const auto ran = run(streams, options);
        CHECK(ran.exit_status == exit_failed);
        CHECK(ran.out.empty());
        CHECK(ran.err == error + hint);
    };
    expect_hint("sluice: did you mean news?\n");
    options.erase = true;
    expect_hint("sluice: did you mean news?\n");
    options.erase = false;
    options.purge = true;
    expect_hint("sluice: did you mean news?\n");
    options.purge = false;
    options.stream = "prices";
    expect_hint("");
    expect_hint("");
    options.stream = "list";
    expect_hint("sluice: `sluice streams` lists them\n");
}

TEST_CASE("no command talks to a server whose URL it does not understand") {
    StatusOptions options;
    options.server = "localhost";
    CHECK(run(status, options).exit_status == exit_failed);
    CHECK_THAT(run(status, options).err, Catch::StartsWith("sluice: the server 'localhost' is not of the form"));
}

TEST_CASE("match --since prints the matches by the hour and the newest of them") {
    const std::string body =
        R"({"filter":"a","hints":[],"events":12,"matched":9,"undecided":{"over-budget":0},"hours":[)"
        R"({"hour":"2026-11-27T09:00:00Z","events":8,"matched":6},{"hour":"2026-11-27T10:00:00Z","events":3,"matched":0},)"
        R"({"hour":"2026-11-27T11:00:00Z","events":1,"matched":3}],"examples":[)"
        R"({"id":31,"time":"2026-11-27T11:00:01.000000Z","title":"Bell\u001b[2J","item_id":"b"},)"
        R"({"id":7,"time":"2026-11-27T09:00:01.000000Z","title":null,"item_id":"c"},{"id":5,"time":"x"}],)"
        R"("complete":true,"read_until":null,"reset":null})";
    ScriptedServer server({reply("200 OK", "", body), reply("200 OK", "", body)});
    MatchOptions options;
    options.server = server.url();
    options.filter = "a";
    options.stream = "s";
    options.since = "24h";
    const auto ran = run(match, options);
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.err.empty());
    CHECK_THAT(ran.out, Catch::StartsWith("HOUR                  EVENTS  MATCHED\n"
                                          "2026-11-27T09:00:00Z       8        6  ##############################\n"
                                          "2026-11-27T10:00:00Z       3        0\n"
                                          "2026-11-27T11:00:00Z       1        3  ###############\n"
                                          "all                       12        9\n"
                                          "\n"
                                          "NEWEST  TIME                         TITLE\n"
                                          "    31  2026-11-27T11:00:01.000000Z  Bell"));
    CHECK_THAT(ran.out, Catch::Contains("     7  2026-11-27T09:00:01.000000Z  c\n") && Catch::Contains("(untitled)\n"));
    CHECK(ran.out.find('\033') == std::string::npos);
    options.json = true;
    CHECK(run(match, options).out == body + "\n");
    CHECK_THAT(server.requests().at(0), Catch::StartsWith("POST /v1/match HTTP") &&
                                            Catch::EndsWith(R"({"filter":"a","stream":"s","since":"24h"})"));
}

TEST_CASE("match --since says what its counts leave out") {
    const auto body = [](const std::string& reset, const std::string& complete) {
        return R"({"hints":[{"line":1,"column":2,"message":"m","excerpt":"x\n^"}],"events":9,"matched":0,"undecided":)"
               R"({"over-budget":1,"context":2,"undelivered":3},"hours":[],"examples":[],"complete":)" +
               complete + R"(,"read_until":{"id":7,"time":"T"},"reset":)" + reset + "}";
    };
    ScriptedServer server(
        {reply("200 OK", "", body("\"retention\"", "false")),
         reply("200 OK", "", R"({"matched":0,"complete":true,"reset":"epoch"})"),
         reply("400 Bad Request", "",
               R"({"type":"urn:sluice:problem:filter","detail":"no filter","line":3,"column":4})"),
         reply("404 Not Found", "", R"({"detail":"no stream"})"),
         reply("200 OK", "", R"({"matched":-1,"hours":7,"examples":[7],"hints":[{}],"complete":[]})")});
    MatchOptions options;
    options.server = server.url();
    options.filter = "a";
    options.since = "24h";
    const auto ran = run(match, options);
    CHECK(ran.exit_status == exit_undecided);
    CHECK(ran.err ==
          "sluice: hint: filter:1:2: m\nx\n^\n"
          "sluice: events of that time are no longer retained\n"
          "sluice: 1 event is undecided: the filter would exceed its budget\n"
          "sluice: 2 events are undecided: the filter looks at what is beside the items, which was not "
          "retained\n"
          "sluice: 3 events are undecided: the broker could not read them again\n"
          "sluice: the broker ended at its limit of work (limits.trial_time, or a million events): it has read "
          "until event 7, T\n");
    const auto none = run(match, options);
    CHECK(none.exit_status == exit_no_match);
    CHECK(none.err == "sluice: the broker has no older events: it began later\n");
    CHECK(run(match, options).err == "sluice: filter:3:4: no filter\n");
    CHECK(run(match, options).err == "sluice: match: no stream\n");
    CHECK(run(match, options).exit_status == exit_undecided);
    options.since = "yesterday";
    CHECK(run(match, options).exit_status == exit_failed);
    CHECK(run(match, options).err ==
          "sluice: --since: expected a time such as 2026-11-27T10:00:00Z, or a duration such as 30min or 24h, not "
          "\"yesterday\"\n");
}

TEST_CASE("why prints the answer, the conditions with their values, and the alternatives") {
    const std::string body =
        R"({"id":7,"stream":"s","time":"T","title":"Bell\u001b[2J","item_id":"b","change":"new","filter":"f","hints":[],)"
        R"("matched":false,"because":"not matched: a = 1 does not hold","leaves":[)"
        R"({"leaf":"a = 1","how":"indexed on a","evaluated":true,"holds":false,"values":["2","\u001b3"],"value_count":5},)"
        R"({"leaf":"b","evaluated":true,"holds":true,"values":["x"],"value_count":1,"computed":[3,null]},)"
        R"({"leaf":"c","evaluated":true,"holds":false,"values":[],"value_count":0},)"
        R"({"leaf":"d","evaluated":false,"reason":"not-needed","holds":null}],"alternatives":[)"
        R"({"literals":[{"leaf":0,"negated":false},{"leaf":3,"negated":true}],"holds":false,"failed":[0]},)"
        R"({"literals":[{"leaf":2,"negated":false}],"holds":null,"failed":[]}]})";
    ScriptedServer server({reply("200 OK", "", body), reply("200 OK", "", body)});
    WhyOptions options;
    options.server = server.url();
    options.id = "k-7";
    options.filter = "a = 1 & b";
    options.stream = "s";
    const auto ran = run(why, options);
    CHECK(ran.exit_status == exit_no_match);
    CHECK(ran.err.empty());
    CHECK(ran.out.find('\033') == std::string::npos);
    CHECK_THAT(ran.out, Catch::StartsWith("event 7 of s did not match: a = 1 does not hold\nBell"));
    CHECK_THAT(ran.out, Catch::Contains(", new at T\n\n        CONDITION  VALUES\n✗  [1]  a = 1      '2', '"));
    CHECK_THAT(ran.out, Catch::Contains("3' and 3 more\n"
                                        "✓  [2]  b          computed: 3, nothing; 'x'\n"
                                        "✗  [3]  c          none\n"
                                        "–  [4]  d          (not-needed)\n\n"
                                        "      ALTERNATIVE\n✗  1  [1] and not [4]\n–  2  [3]\n"));
    options.json = true;
    CHECK(run(why, options).out == body + "\n");
    CHECK_THAT(server.requests().at(0), Catch::StartsWith("GET /v1/events/k-7/why?filter=a"));
    CHECK_THAT(server.requests().at(0), Catch::Contains("%20%26%20b&stream=s HTTP/1.1"));
}

TEST_CASE("why tells by its exit status whether the event matches") {
    const auto body = [](const std::string& matched) {
        return reply("200 OK", "", R"({"id":1,"stream":"s","matched":)" + matched + R"(,"because":"undecided: x"})");
    };
    ScriptedServer server(
        {body("true"), body("null"), reply("404 Not Found", "", R"({"detail":"no event"})"),
         reply("400 Bad Request", "", R"({"type":"urn:sluice:problem:filter","detail":"bad","line":1,"column":2})"),
         reply("200 OK", "", R"({"leaves":[7,{}],"alternatives":{},"title":3})")});
    WhyOptions options;
    options.server = server.url();
    options.id = "1";
    options.filter = "a";
    CHECK(run(why, options).exit_status == exit_done);
    const auto undecided = run(why, options);
    CHECK(undecided.exit_status == exit_undecided);
    CHECK_THAT(undecided.out, Catch::StartsWith("event 1 of s is undecided: x\n(untitled), "));
    const auto missing = run(why, options);
    CHECK(missing.exit_status == exit_failed);
    CHECK(missing.err == "sluice: why: no event\n");
    CHECK(run(why, options).err == "sluice: filter:1:2: bad\n");
    CHECK(run(why, options).exit_status == exit_undecided);
    for (const std::string id : {"1/2", "x", "", "0", "-1", "k-", "k/-1", "k-7a"}) {
        options.id = id;
        CHECK(run(why, options).err ==
              "sluice: --id: expected an event's number, or EPOCH-ID as in the event stream, not \"" + id + "\"\n");
    }
}
