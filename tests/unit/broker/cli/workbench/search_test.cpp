#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include "broker/cli/workbench/operator_options.hpp"
#include "tests/unit/broker/cli/ran.hpp"

using namespace sluice::cli;
using sluice::substrings::Algorithm;
using sluice::substrings::Processor;
using test::run;
using test::TemporaryFile;

namespace {

SearchOptions options_of(const TemporaryFile& patterns, std::vector<std::string> texts) {
    SearchOptions options;
    options.patterns_file = patterns.path();
    options.text_files = std::move(texts);
    options.processor = Processor::cpu;
    options.threads = 2;
    return options;
}

}  // namespace

TEST_CASE("search: every algorithm prints all occurrences, ascending") {
    const TemporaryFile patterns("ana\nanan\na\nxyz\n"), text("banana");
    auto options = options_of(patterns, {text.path()});
    for (const auto algorithm : {Algorithm::filter, Algorithm::prefix_sums, Algorithm::plain}) {
        options.algorithm = algorithm;
        const auto ran = run(search, options);
        CHECK(ran.out == "1:ana\n1:anan\n1:a\n3:ana\n3:a\n5:a\n");
        CHECK(ran.err.empty());
        CHECK(ran.exit_status == exit_done);
    }
}

TEST_CASE("search: a pattern with several lines occurs once for each of them") {
    const TemporaryFile patterns("na\nb\nna\nq\n"), text("banana");
    auto options = options_of(patterns, {text.path(), text.path()});
    const std::string file = text.path() + ":";
    const std::string once = file + "0:b\n" + file + "2:na\n" + file + "2:na\n" + file + "4:na\n" + file + "4:na\n";
    CHECK(run(search, options).out == once + once);
    options.output = SearchOutput::counts;
    CHECK(run(search, options).out == "4\tna\n2\tb\n4\tna\n0\tq\n");
    options.output = SearchOutput::summary;
    CHECK_THAT(run(search, options).out, Catch::StartsWith(file + " 6 bytes, 4 patterns, 5 occurrences in ") &&
                                             Catch::EndsWith(", filter on 2 threads\n"));
    options.threads = 1;
    options.algorithm = Algorithm::prefix_sums;
    CHECK_THAT(run(search, options).out, Catch::EndsWith(", prefix sums on 1 thread\n"));
}

TEST_CASE("search: JSON, one object a line") {
    const TemporaryFile patterns("n\xff\nb\"\n"), text("xb\"n\xff");
    auto options = options_of(patterns, {text.path()});
    options.json = true;
    const std::string file = "{\"file\":\"" + text.path() + "\",";
    CHECK(run(search, options).out == file + "\"offset\":1,\"pattern\":\"b\\\"\",\"pattern_index\":1}\n" + file +
                                          "\"offset\":3,\"pattern\":\"n\xef\xbf\xbd\",\"pattern_index\":0}\n");
    options.output = SearchOutput::counts;
    CHECK(run(search, options).out ==
          "{\"pattern\":\"n\xef\xbf\xbd\",\"pattern_index\":0,\"count\":1}\n"
          "{\"pattern\":\"b\\\"\",\"pattern_index\":1,\"count\":1}\n");
    options.output = SearchOutput::summary;
    const auto object = boost::json::parse(run(search, options).out).as_object();
    CHECK(object.at("file").as_string() == text.path());
    CHECK(object.at("bytes") == 5);
    CHECK(object.at("patterns") == 2);
    CHECK(object.at("occurrences") == 2);
    CHECK(object.at("seconds").is_double());
    CHECK(object.at("algorithm") == "filter");
    CHECK(object.at("processor") == "cpu");
    CHECK(object.at("threads") == 2);
    CHECK(!object.contains("kernel_seconds"));
}

TEST_CASE("search: nothing found, bad files, and bad patterns") {
    const TemporaryFile patterns("xyz\n"), text("banana"), empty(""), gap("a\n\nb\n");
    CHECK(run(search, options_of(patterns, {text.path()})).exit_status == exit_no_match);
    CHECK(run(search, options_of(patterns, {empty.path()})).exit_status == exit_no_match);

    const TemporaryFile letters("n\n");
    const auto ran = run(search, options_of(letters, {"/none", text.path(), "/"}));
    CHECK(ran.exit_status == exit_failed);
    CHECK(ran.out == text.path() + ":2:n\n" + text.path() + ":4:n\n");
    CHECK(ran.err == "sluice: can't read /none: No such file or directory\nsluice: can't read /: Is a directory\n");

    CHECK(run(search, options_of(gap, {text.path()})).err == "sluice: " + gap.path() + ":2: the pattern is empty\n");
    CHECK(run(search, options_of(empty, {text.path()})).err ==
          "sluice: " + empty.path() + ": the file is empty; expected one pattern per line\n");
    auto twice = options_of(letters, {"-", "-"});
    CHECK(run(search, twice).err == "sluice: only one of the files can be standard input\n");

    std::string many;
    for (int i = 0; i < 65'521; ++i) many += std::to_string(i) + "\n";
    const TemporaryFile numbers(many);
    auto options = options_of(numbers, {text.path()});
    options.algorithm = Algorithm::prefix_sums;
    CHECK(run(search, options).err == "sluice: " + numbers.path() +
                                          ": the number of patterns, 65521, is not less than the modulus 65521; "
                                          "--algorithm filter takes more\n");
    CHECK(run(search, options).exit_status == exit_failed);
}

TEST_CASE("search: a missing GPU is an error only if it is asked for") {
    if (sluice::substrings::occurrence_device_available()) return;
    const TemporaryFile patterns("n\n"), text("banana");
    auto options = options_of(patterns, {text.path()});
    options.processor = Processor::gpu;
    const auto ran = run(search, options);
    CHECK(ran.exit_status == exit_failed);
    CHECK((ran.err == "sluice: this build has no CUDA\n" || ran.err == "sluice: there is no GPU that CUDA can use\n"));
    options.processor = Processor::automatic;
    CHECK(run(search, options).out == "2:n\n4:n\n");
}

TEST_CASE("search: FASTQ is searched as it is, with a note unless --plain asks for that") {
    const TemporaryFile patterns("AC\n"), text("@r AC\nACGT\n+\nIACI\n"), other("@r AC\n"), mentions("@a\nAC\nb\n+\n");
    auto options = options_of(patterns, {text.path()});
    CHECK(run(search, options).out == "3:AC\n6:AC\n14:AC\n");
    CHECK(run(search, options).err ==
          "sluice: " + text.path() + ": FASTQ is searched line by line, quality lines included\n");
    options.plain = true;
    CHECK(run(search, options).err.empty());
    for (const auto* file : {&other, &mentions}) CHECK(run(search, options_of(patterns, {file->path()})).err.empty());
}

TEST_CASE("search: FASTA without sequences is noted") {
    const TemporaryFile patterns("AC\n"), empty("", "empty.fa"), comment(";none\n", "none.fa"), some(">a\n", "a.fa");
    const auto ran = run(search, options_of(patterns, {empty.path(), comment.path(), some.path()}));
    CHECK(ran.exit_status == exit_no_match);
    CHECK(ran.err ==
          "sluice: " + empty.path() + " has no sequences\nsluice: " + comment.path() + " has no sequences\n");
}

TEST_CASE("search: what is found commands no terminal") {
    const TemporaryFile patterns("\x1b[2J\n"), text("a\x1b[2Jb");
    std::ostringstream out, err;
    Console console{out, err};
    console.out_is_terminal = true;
    auto options = options_of(patterns, {text.path(), text.path()});
    CHECK(search(options, console) == exit_done);
    options.json = true;
    CHECK(search(options, console) == exit_done);
    options.output = SearchOutput::counts;
    CHECK(search(options, console) == exit_done);
    CHECK(out.str().find('\x1b') == std::string::npos);
}

TEST_CASE("search: both strands, with offsets in the text as it is") {
    const TemporaryFile patterns("AAC\nACGT\nGTT\n"), text("xGTTACGTAAC");
    auto options = options_of(patterns, {text.path()});
    options.both_strands = true;
    CHECK(run(search, options).out == "1:+:GTT\n1:-:AAC\n4:+:ACGT\n8:+:AAC\n8:-:GTT\n");
    options.output = SearchOutput::counts;
    CHECK(run(search, options).out == "2\tAAC\n1\tACGT\n2\tGTT\n");
    options.output = SearchOutput::summary;
    CHECK_THAT(run(search, options).out, Catch::Contains(" 3 patterns, 5 occurrences in "));
    options.output = SearchOutput::occurrences;
    options.json = true;
    CHECK_THAT(run(search, options).out,
               Catch::Contains("\"offset\":8,\"strand\":\"-\",\"pattern\":\"GTT\",\"pattern_index\":2}\n"));
    const TemporaryFile protein("AC\nMKL\n");
    auto of_protein = options_of(protein, {text.path()});
    of_protein.both_strands = true;
    CHECK(run(search, of_protein).err == "sluice: " + protein.path() +
                                             ":2: letter 3, 'L', is not a nucleotide; --both-strands is for DNA, since "
                                             "proteins have no second strand\n");
}

TEST_CASE("search: case is ignored if that is asked for, and not in what is printed") {
    const TemporaryFile patterns("aCg\nTT\nAcG\n"), text(">one\nacGtt\n");
    auto options = options_of(patterns, {text.path()});
    CHECK(run(search, options).exit_status == exit_no_match);
    options.ignore_case = true;
    CHECK(run(search, options).out == "one:0:aCg\none:0:AcG\none:3:TT\n");
}
