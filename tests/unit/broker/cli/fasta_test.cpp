#include "broker/cli/fasta.hpp"

#include <catch2/catch.hpp>

using namespace sluice::cli;

TEST_CASE("sequences are read with their names", "[cli]") {
    const auto file = parse_fasta(">one first of all\r\nACGT\r\nac\n\n;old comment\n>two\nMK*\n");
    CHECK(file.error.empty());
    REQUIRE(file.records.size() == 2);
    CHECK(file.records[0].name == "one");
    CHECK(file.records[0].sequence == "ACGTac");
    CHECK(file.records[1].name == "two");
    CHECK(file.records[1].sequence == "MK*");
    CHECK(parse_fasta(">\nA").records[0].name.empty());
}

TEST_CASE("what is no FASTA is refused by line", "[cli]") {
    const auto check = [](const char* text, std::size_t line, const char* error) {
        const auto file = parse_fasta(text);
        CHECK(file.error == error);
        CHECK(file.error_line == line);
    };
    check("ACGT\n", 1, "expected a line that starts with '>'");
    check(">a\nAC\nAC-T\n", 3, "expected letters, not '-' (column 3)");
    check(">a\nAC\n\xff\n", 3, "expected letters, not byte 255 (column 1)");
    check(">a\nAC\n>b\n>c\nA\n", 3, "the sequence has no letters");
    check(">a\n", 1, "the sequence has no letters");
    check("", 1, "there is no sequence");
    check("\x1f\x8b\x08", 1, "expected text, not gzip: decompress it first");
    check("@a\nAC\n+\nII\n", 1, "expected FASTA, a line that starts with '>', not FASTQ");
    check("\n\n", 2, "there is no sequence");
}
