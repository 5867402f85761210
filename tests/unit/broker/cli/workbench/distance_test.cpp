#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include "broker/cli/workbench/operator_options.hpp"
#include "broker/cli/workbench/text_reader.hpp"
#include "tests/support/gzip.hpp"
#include "tests/unit/broker/cli/ran.hpp"

using namespace sluice::cli;
using sluice::edits::Extent;
using test::Ran;
using test::run;
using test::TemporaryFile;

namespace {

struct Files {
    TemporaryFile patterns, texts;

    explicit Files(const std::string& of_patterns = "kitten\nlamp\r\nZürich\n",
                   const std::string& of_texts = "sitting on a lamp\n\nkitchen of Zurich")
        : patterns(of_patterns, "patterns.txt"), texts(of_texts, "texts.txt") {}

    DistanceOptions options() const {
        DistanceOptions options;
        options.pattern_file = patterns.path();
        options.text_file = texts.path();
        options.all_pairs.processor = sluice::edits::Processor::cpu;
        return options;
    }
    // What is printed on standard error, without the path of the files.
    std::string error(const DistanceOptions& options) const {
        const Ran ran = run(distance, options);
        CHECK(ran.exit_status == exit_failed);
        CHECK(ran.out.empty());
        std::string text = ran.err;
        for (const auto& path : {patterns.path(), texts.path()}) {
            if (const auto at = text.find(path); at != std::string::npos)
                text.replace(at, path.size(), path.substr(path.rfind('/') + 1));
        }
        return text;
    }
};

std::vector<std::string> pieces_of(const std::string& bytes, TextReader::Options options,
                                   std::string* error = nullptr) {
    const TemporaryFile file(bytes, "texts.txt");
    TextReader reader(file.path(), options);
    std::vector<std::string> shown;
    for (auto batch = reader.read(); !batch.empty(); batch = reader.read()) {
        for (const auto& piece : batch)
            shown.push_back(std::to_string(piece.text) + (piece.begins ? "[" : "(") + piece.utf8 +
                            (piece.ends ? "]" : ")"));
    }
    if (error) *error = reader.error().substr(reader.error().rfind('/') + 1);
    return shown;
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("distances of all pairs, in the order of the texts") {
    const Files files;
    CHECK(run(distance, files.options()).out ==
          "2\t1\t1\tkitten\tsitting on a lamp\n0\t2\t1\tlamp\tsitting on a lamp\n5\t3\t1\tZürich\tsitting on a lamp\n"
          "6\t1\t2\tkitten\t\n4\t2\t2\tlamp\t\n6\t3\t2\tZürich\t\n"
          "2\t1\t3\tkitten\tkitchen of Zurich\n4\t2\t3\tlamp\tkitchen of Zurich\n1\t3\t3\tZürich\tkitchen of Zurich\n");
    auto options = files.options();
    options.all_pairs.extent = Extent::whole;
    options.best = true;
    CHECK(run(distance, options).out ==
          "13\t1\t1\tkitten\tsitting on a lamp\n4\t2\t2\tlamp\t\n"
          "12\t1\t3\tkitten\tkitchen of Zurich\n");
}

TEST_CASE("distances within a bound, as JSON, and an exit status that says whether there are any") {
    const Files files;
    auto options = files.options();
    options.json = true;
    options.all_pairs.within = 1;
    const Ran ran = run(distance, options);
    CHECK(ran.out == "{\"pattern\":2,\"text\":1,\"distance\":0}\n{\"pattern\":3,\"text\":3,\"distance\":1}\n");
    CHECK(ran.exit_status == exit_done);
    options.all_pairs.extent = Extent::whole;
    CHECK(run(distance, options).exit_status == exit_no_match);
}

TEST_CASE("a summary of the distances") {
    const Files files;
    auto options = files.options();
    options.summary = true;
    options.all_pairs.threads = 1;
    options.all_pairs.within = 2;
    options.all_pairs.algorithm = sluice::edits::Algorithm::w_scan;
    CHECK_THAT(run(distance, options).out,
               Catch::StartsWith("3 patterns, 3 texts of 34 characters, 4 pairs within 2: 544 cells in ") &&
                   Catch::EndsWith("GCUPS), w-scan in 1 part on one thread\n"));
    options.json = true;
    options.one_text = true;
    const auto object = boost::json::parse(run(distance, options).out).as_object();
    CHECK(object.at("patterns") == 3);
    CHECK(object.at("texts") == 1);
    CHECK(object.at("text_characters") == 36);
    CHECK(object.at("cells") == 576);
    CHECK(object.at("pairs_within") == 3);
    CHECK(object.at("algorithm") == "w-scan");
    CHECK(object.at("parts") == 1);
    CHECK(object.at("processor") == "cpu");
}

TEST_CASE("bad input for distances is an error with its place") {
    const auto error = [](const std::string& patterns, const std::string& texts) {
        const Files files(patterns, texts);
        return files.error(files.options());
    };
    CHECK(error("a\nb\n\nc\n", "") == "sluice: patterns.txt:3: the pattern is empty\n");
    CHECK(error("", "") == "sluice: patterns.txt: the file is empty; expected one pattern per line\n");
    CHECK(error("ab\xFFz", "") == "sluice: patterns.txt:1: the pattern is not UTF-8, byte 3 of the line\n");
    CHECK(error(std::string("a\nb\0", 4), "") ==
          "sluice: patterns.txt:2: the pattern has a NUL byte, byte 2 of the line\n");
    CHECK(error(std::string(16385, 'a'), "") ==
          "sluice: patterns.txt:1: the pattern has 16385 characters; at most 16384 can be searched for\n");
    CHECK(error("a", std::string("a\nbc\0d\n", 7)) ==
          "sluice: texts.txt:2: the text has a NUL byte, byte 3 of the line\n");
    CHECK(error("a", "a\n\nb\xC3") == "sluice: texts.txt:3: the text is not UTF-8, byte 2 of the line\n");
    const Files files("a\n" + std::string(1025, 'a'), "b");
    auto options = files.options();
    options.all_pairs.algorithm = sluice::edits::Algorithm::w_shuffle;
    CHECK(files.error(options) ==
          "sluice: patterns.txt:2: the pattern has 1025 characters; w-shuffle takes at most 1024\n");
    options.all_pairs.extent = Extent::whole;
    CHECK(files.error(options) == "sluice: w-shuffle compares substrings, not whole texts\n");
    options.pattern_file = options.text_file = "-";
    CHECK(files.error(options) == "sluice: only one of the two files can be standard input\n");
    options.pattern_file = "/none";
    CHECK(files.error(options) == "sluice: can't read /none: No such file or directory\n");
    options = files.options();
    options.text_file = "/";
    CHECK(files.error(options) == "sluice: can't read /: Is a directory\n");
    options.text_file = "/none";
    options.json = true;
    CHECK(files.error(options) ==
          "{\"level\":\"error\",\"detail\":\"can't read /none: No such file or directory\",\"about\":\"/none\"}\n");
}

TEST_CASE("texts are read line by line, or as one") {
    TextReader::Options options;
    options.texts_max = 2;
    CHECK(pieces_of("", options).empty());
    CHECK(pieces_of("\n", options) == Strings{"1[]"});
    CHECK(pieces_of("a\r\nb\n\nc", options) == Strings{"1[a]", "2[b]", "3[]", "4[c]"});
    CHECK(pieces_of("a\r", options) == Strings{"1[a]"});
    options.one_text = true;
    CHECK(pieces_of("", options) == Strings{"1[]"});
    CHECK(pieces_of("a\nb\n\n", options) == Strings{"1[a\nb\n]"});
    CHECK(pieces_of("a\r\n", options) == Strings{"1[a]"});
    CHECK(pieces_of("a\r", options) == Strings{"1[a\r]"});
}

TEST_CASE("a long text comes in pieces that overlap") {
    TextReader::Options options;
    options.piece_bytes = 300'000;
    options.overlap = 5;
    options.texts_max = 10;
    std::string text;
    for (int i = 0; i < 200'000; ++i) text += i % 3 == 0 ? "é" : i % 7 == 0 ? "漢" : "a";
    for (const bool one_text : {false, true}) {
        options.one_text = one_text;
        const TemporaryFile file(one_text ? text + text + "\r\n" : "x\n" + text + text + "\r\ny\n");
        TextReader reader(file.path(), options);
        std::string joined;
        std::size_t pieces = 0;
        for (auto batch = reader.read(); !batch.empty(); batch = reader.read()) {
            for (const auto& piece : batch) {
                if (piece.utf8.size() < 2) continue;
                const std::size_t overlap = piece.begins ? 0 : options.overlap;
                std::size_t at = 0;
                for (std::size_t n = 0; n < overlap; ++n) {
                    do ++at;
                    while ((static_cast<unsigned char>(piece.utf8[at]) & 0xC0) == 0x80);
                }
                CHECK(joined.ends_with(piece.utf8.substr(0, at)));
                joined += piece.utf8.substr(at);
                ++pieces;
            }
        }
        CHECK(reader.error().empty());
        CHECK(pieces > 1);
        CHECK(joined == text + text);
        CHECK(reader.characters() == (one_text ? 400'000 : 400'002));
        CHECK(reader.texts() == (one_text ? 1 : 3));
    }
}

TEST_CASE("what is no text has a place, in long texts, too") {
    TextReader::Options options;
    options.piece_bytes = 300'000;
    options.overlap = 10;
    std::string error;
    pieces_of("x\n" + std::string(1'000'000, 'a') + "\xC3(", options, &error);
    CHECK(error == "texts.txt:2: the text is not UTF-8, byte 1000001 of the line");
    options.one_text = true;
    pieces_of("x\n" + std::string(1'000'000, 'a') + "\nbc\xC3", options, &error);
    CHECK(error == "texts.txt:3: the text is not UTF-8, byte 3 of the line");
    options.one_text = false;
    options.whole = true;
    pieces_of("x\n" + std::string(TextReader::whole_bytes_max, 'a'), options, &error);
    CHECK(error.empty());
    pieces_of("x\n" + std::string(TextReader::whole_bytes_max + 1, 'a'), options, &error);
    CHECK(error == "texts.txt:2: the text has more than 16777216 bytes, too many for --whole");
}

TEST_CASE("distance: texts of FASTA are its records, and have their names") {
    const Files files("ACGTAC\n", "\xEF\xBB\xBF>one x\nAC\r\nGT AC\r\n>\n>three\nACG-\n");
    CHECK(run(distance, files.options()).out == "0\t1\t1\tACGTAC\tone\n6\t1\t2\tACGTAC\t\n3\t1\t3\tACGTAC\tthree\n");
    auto options = files.options();
    options.json = true;
    options.best = true;
    CHECK(run(distance, options).out ==
          "{\"pattern\":1,\"text\":1,\"record\":\"one\",\"distance\":0}\n"
          "{\"pattern\":1,\"text\":2,\"record\":\"\",\"distance\":6}\n"
          "{\"pattern\":1,\"text\":3,\"record\":\"three\",\"distance\":3}\n");
    options = files.options();
    options.one_text = true;
    CHECK(files.error(options) ==
          "sluice: texts.txt is FASTA, of which each record is a text; --plain reads it as one text\n");
    options.plain = true;
    CHECK(run(distance, options).out.starts_with("3\t1\t1\tACGTAC\t>one x AC"));
}

TEST_CASE("distance: patterns of FASTA are its records") {
    const TemporaryFile patterns(">p\nAC\nGT\n>q\nA\n", "patterns.fa");
    const Files files;
    const TemporaryFile texts("ACGT\n", "texts.txt");
    auto options = files.options();
    options.pattern_file = patterns.path();
    options.text_file = texts.path();
    CHECK(run(distance, options).out == "0\t1\t1\tACGT\tACGT\n0\t2\t1\tA\tACGT\n");
}

TEST_CASE("distance: a byte order mark is of no pattern and no text") {
    const std::string mark = "\xEF\xBB\xBF";
    const Files files(mark + "lamp\n", mark + "lamp\n");
    auto options = files.options();
    options.all_pairs.extent = Extent::whole;
    CHECK(run(distance, options).out == "0\t1\t1\tlamp\tlamp\n");
    options.one_text = true;
    CHECK(run(distance, options).out == "0\t1\t1\tlamp\tlamp\n");
}

TEST_CASE("TextReader: records of FASTA of any length, in pieces that overlap") {
    std::string fasta;
    for (int i = 0; i < 100; ++i) fasta += (i % 40 == 0 ? ">r" + std::to_string(i) + "\n" : "") + "ACGTACGTAC\n";
    TextReader::Options options;
    options.piece_bytes = 100;
    options.overlap = 5;
    const Strings pieces = pieces_of(fasta, options);
    std::string joined;
    for (const std::string& piece : pieces) {
        const std::size_t open = piece.find_first_of("[(");
        const std::size_t seen = piece[open] == '[' ? 0 : options.overlap;
        joined += piece.substr(open + 1 + seen, piece.size() - open - 2 - seen) + (piece.back() == ']' ? "\n" : "");
    }
    std::string expected;
    for (const int lines : {40, 40, 20}) {
        for (int i = 0; i < lines; ++i) expected += "ACGTACGTAC";
        expected += "\n";
    }
    CHECK(joined == expected);
    CHECK(pieces.size() > 3);
    std::string error;
    CHECK(pieces_of(">a\nAC\n>b\nA1\n", {}, &error).empty());
    CHECK(error ==
          "texts.txt:4: expected letters, '*', '-' or '.', not '1' (column 2); --plain reads the file as it is");
}

TEST_CASE("distance: FASTA without sequences is noted") {
    const Files files("AC\n");
    const TemporaryFile empty("", "empty.fa");
    auto options = files.options();
    options.text_file = empty.path();
    const auto ran = run(distance, options);
    CHECK(ran.exit_status == exit_done);
    CHECK(ran.err == "sluice: " + empty.path() + " has no sequences\n");
}

TEST_CASE("distance: case is ignored if that is asked for, and not in what is printed") {
    const Files files("ACgt\nÄb\n", ">one\nttacGTtt\n");
    auto options = files.options();
    options.all_pairs.within = 1;
    CHECK(run(distance, options).out.empty());
    options.ignore_case = true;
    CHECK(run(distance, options).out == "0\t1\t1\tACgt\tone\n");
}

TEST_CASE("distance: patterns, texts and costs may be gzip") {
    using sluice::testing::gzip;
    const Files files(gzip("lamp\n"), gzip("\xEF\xBB\xBFlamb\n") + gzip("x\n"));
    const TemporaryFile costs(gzip("delete 3\ninsert 4\nother 5\n\na b\na 0 1\nb 1 0\n"));
    auto options = files.options();
    options.costs = costs.path();
    CHECK(run(distance, options).out == "3\t1\t1\tlamp\tlamb\n12\t1\t2\tlamp\tx\n");
}
