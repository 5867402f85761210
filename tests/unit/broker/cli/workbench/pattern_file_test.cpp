#include "broker/cli/workbench/pattern_file.hpp"

#include <catch2/catch.hpp>

#include "broker/cli/workbench/search_patterns.hpp"
#include "tests/support/gzip.hpp"
#include "tests/unit/broker/cli/ran.hpp"

using namespace sluice::cli;

namespace {

using Views = std::vector<std::string_view>;

PatternFile parse(const std::string& bytes, bool is_fasta = false) {
    return parse_patterns(bytes, is_fasta,
                          {1000, 5, [](std::string_view pattern) { return pattern.size() > 6 ? "too long" : ""; }});
}

void check_fault(const PatternFile& file, const std::string& error, std::size_t line) {
    CHECK(file.error == error);
    CHECK(file.error_line == line);
}

}  // namespace

TEST_CASE("parse_patterns: a line is a pattern, whatever its bytes") {
    const auto file = parse(std::string("ab\r\n\xff\0\n a \nx\ry\n\xc3\xa9", 17));
    CHECK(file.error.empty());
    CHECK(file.patterns == Views{"ab", std::string_view("\xff\0", 2), " a ", "x\ry", "\xc3\xa9"});
    CHECK(parse("a").patterns == parse("a\n").patterns);
}

TEST_CASE("parse_patterns: empty patterns, refused ones, too many and empty files are errors with their lines") {
    check_fault(parse(""), "the file is empty; expected one pattern per line", 0);
    check_fault(parse("\n"), "the pattern is empty", 1);
    check_fault(parse("a\n\r\nb\n"), "the pattern is empty", 2);
    check_fault(parse("a\nb\n\n"), "the pattern is empty", 3);
    check_fault(parse("b\n123456"), "", 0);
    check_fault(parse("b\n1234567"), "too long", 2);
    check_fault(parse("a\na\na\na\na\n"), "", 0);
    check_fault(parse("a\na\na\na\na\na\n"), "there are more than 5 patterns", 0);
}

TEST_CASE("parse_patterns: a byte order mark at the beginning is not of the first pattern") {
    CHECK(parse("\xEF\xBB\xBFlamp\npier\n").patterns == Views{"lamp", "pier"});
    CHECK(parse("a\n\xEF\xBB\xBFpi\n").patterns[1] == "\xEF\xBB\xBFpi");
    check_fault(parse("\xEF\xBB\xBF"), "the file is empty; expected one pattern per line", 0);
}

TEST_CASE("parse_patterns: of FASTA, each record is a pattern") {
    const auto file = parse("\xEF\xBB\xBF>a\nAC\nGT\n>b\r\nT T\r\n>c\nACGT\n", true);
    CHECK(file.error.empty());
    CHECK(file.patterns == Views{"ACGT", "TT", "ACGT"});
    check_fault(parse(">a\nA\n>b\n", true), "the sequence has no letters; remove the record", 3);
    check_fault(parse(">a\nA\n>b\nAAAA\nAAAA\n", true), "record 2: too long", 0);
}

TEST_CASE("read_pattern_file: gzip is decompressed, and its FASTA known by the inner name") {
    const std::string fasta = ">a\nAC\nGT\n";
    const PatternLimits limits{11, 5, [](std::string_view) { return ""; }};
    const test::TemporaryFile named(sluice::testing::gzip(fasta), "a.fa.gz"), other(sluice::testing::gzip(fasta), "a");
    const test::TemporaryFile large(sluice::testing::gzip(fasta + "AAA\n"), "a.fa.gz");
    std::ostringstream out, err;
    const Console console{out, err};
    CHECK(read_pattern_file(named.path(), false, limits, console)->patterns == Views{"ACGT"});
    CHECK(read_pattern_file(named.path(), true, limits, console)->patterns == Views{">a", "AC", "GT"});
    CHECK(read_pattern_file(other.path(), false, limits, console)->patterns == Views{">a", "AC", "GT"});
    CHECK(err.str().empty());
    CHECK(!read_pattern_file(large.path(), false, limits, console));
    CHECK(err.str() == "sluice: can't read " + large.path() + ": it has more than 11 bytes when decompressed\n");
}

TEST_CASE("search_patterns: duplicates are uses of one distinct pattern") {
    const auto patterns = search_patterns(parse("b\na\nb\nc\nb\r\n"), false, false);
    constexpr auto none = SearchPatterns::none;
    CHECK(patterns.size() == 5);
    CHECK(patterns.has_duplicates());
    CHECK(patterns.first_use == std::vector<std::uint32_t>{0, 1, 3});
    CHECK(patterns.next_use == std::vector<std::uint32_t>{2, none, 4, none, none});
    REQUIRE(patterns.distinct.size() == 3);
    CHECK(patterns.distinct[2].text == "c");
    CHECK(!search_patterns(parse("b\na\n"), false, false).has_duplicates());
}

TEST_CASE("search_patterns: both strands in any case") {
    constexpr auto none = SearchPatterns::none;
    const auto patterns = search_patterns(parse("AAC\nGTt\nACgt\n"), true, true);
    CHECK(patterns.file.patterns == Views{"AAC", "GTt", "ACgt"});
    CHECK(patterns.first_use == std::vector<std::uint32_t>{0, 1, 2});
    // aac, gtt and acgt; then gtt, aac, and nothing, since acgt is its own reverse complement.
    CHECK(patterns.next_use == std::vector<std::uint32_t>{4, 3, none, none, none, none});
    CHECK(patterns.uses == 5);
    REQUIRE(patterns.distinct.size() == 3);
    CHECK(patterns.distinct[1].text == "gtt");
}

TEST_CASE("search_patterns: what is not DNA has no other strand") {
    const std::string why = " is not a nucleotide; --both-strands is for DNA, since proteins have no second strand";
    check_fault(search_patterns(parse("ACG\nACL\n"), false, true).file, "letter 3, 'L'," + why, 2);
    check_fault(search_patterns(parse(">a\nM-\n", true), false, true).file, "record 1: letter 2, '-'," + why, 0);
    CHECK(search_patterns(parse("ACL\n"), true, false).file.error.empty());
}
