#include "broker/cli/workbench/pattern_file.hpp"

#include <catch2/catch.hpp>

using namespace sluice::cli;

TEST_CASE("parse_patterns: a line is a pattern, whatever its bytes") {
    const std::string bytes("ab\r\n\xff\0\n a \nx\ry\n\xc3\xa9", 17);
    const auto file = parse_patterns(bytes);
    CHECK(file.error.empty());
    CHECK(file.lines == std::vector<std::string_view>{"ab", std::string_view("\xff\0", 2), " a ", "x\ry", "\xc3\xa9"});
    CHECK(file.distinct.size() == 5);
    CHECK(!file.has_duplicates());
    CHECK(parse_patterns("a").lines == parse_patterns("a\n").lines);
}

TEST_CASE("parse_patterns: duplicates are lines of one distinct pattern") {
    const auto file = parse_patterns("b\na\nb\nc\nb\r\n");
    CHECK(file.lines.size() == 5);
    CHECK(file.has_duplicates());
    CHECK(file.first_line == std::vector<std::uint32_t>{0, 1, 3});
    CHECK(file.next_line == std::vector<std::uint32_t>{2, PatternFile::none, 4, PatternFile::none, PatternFile::none});
    REQUIRE(file.distinct.size() == 3);
    CHECK(file.distinct[2].text == "c");
}

TEST_CASE("parse_patterns: empty patterns, long ones and empty files are errors with their lines") {
    const auto check = [](const std::string& bytes, const std::string& error, std::size_t line) {
        const auto file = parse_patterns(bytes);
        CHECK(file.error == error);
        CHECK(file.error_line == line);
    };
    check("", "the file is empty; expected one pattern per line", 0);
    check("\n", "the pattern is empty", 1);
    check("a\n\r\nb\n", "the pattern is empty", 2);
    check("a\nb\n\n", "the pattern is empty", 3);
    const std::string longest(std::size_t{64} << 10, 'a');
    check("b\n" + longest, "", 0);
    check("b\n" + longest + "a\n", "the pattern has 65537 bytes, more than the limit of 65536", 2);
}

TEST_CASE("parse_patterns: a byte order mark at the beginning is not of the first pattern") {
    CHECK(parse_patterns("\xEF\xBB\xBFlamp\npier\n").lines == std::vector<std::string_view>{"lamp", "pier"});
    CHECK(parse_patterns("lamp\n\xEF\xBB\xBFpier\n").lines[1] == "\xEF\xBB\xBFpier");
    CHECK(parse_patterns("\xEF\xBB\xBF").error == "the file is empty; expected one pattern per line");
}

TEST_CASE("parse_fasta_patterns: each record is a pattern") {
    const auto file = parse_fasta_patterns(">a\nAC\nGT\n>b\r\nT T\r\n>c\nACGT\n");
    CHECK(file.error.empty());
    CHECK(file.lines == std::vector<std::string_view>{"ACGT", "TT", "ACGT"});
    CHECK(file.distinct.size() == 2);
    CHECK(parse_fasta_patterns(">a\nA\n>b\n").error == "the sequence has no letters");
    CHECK(parse_fasta_patterns(">a\nA\n>b\n").error_line == 3);
    CHECK(parse_fasta_patterns(">a\n" + std::string((std::size_t{64} << 10) + 1, 'a')).error ==
          "the pattern has 65537 bytes, more than the limit of 65536");
}
