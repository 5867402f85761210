#include "broker/cli/common/fasta.hpp"

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
    CHECK(parse_fasta("\xEF\xBB\xBF>a\rA-C\rG.T\r").records[0].sequence == "A-CG.T");
}

TEST_CASE("records without letters are left out if others have some", "[cli]") {
    const auto file = parse_fasta(">a first\n>b\nAC\n>\n>c\nA\n>d\n");
    CHECK(file.error.empty());
    REQUIRE(file.records.size() == 2);
    CHECK(file.records[0].name + file.records[1].name == "bc");
    REQUIRE(file.empty_records.size() == 3);
    CHECK(file.empty_records[0].name == "a");
    CHECK(file.empty_records[0].line == 1);
    CHECK(file.empty_records[1].name.empty());
    CHECK(file.empty_records[2].line == 7);
}

TEST_CASE("FASTA is recognised by its name", "[cli]") {
    for (const char* name : {"a.fasta", "A.FA", "x/y.fas", "a.fna", "a.faa", "a.ffn", "a.frn"})
        CHECK(has_fasta_name(name));
    for (const char* name : {"-", "fa", "a.fasta.gz", "a.fa.txt", "a.fastq"}) CHECK(!has_fasta_name(name));
}

TEST_CASE("what is no FASTA is refused by line", "[cli]") {
    const auto check = [](const char* text, std::size_t line, const char* error) {
        const auto file = parse_fasta(text);
        CHECK(file.error == error);
        CHECK(file.error_line == line);
    };
    check("ACGT\n", 1, "expected a line that starts with '>'");
    check(">a\nAC\nAC1T\n", 3, "expected letters, '*', '-' or '.', not '1' (column 3)");
    check(">a\nAC\n\xff\n", 3, "expected letters, '*', '-' or '.', not byte 255 (column 1)");
    check(">a\n", 1, "the sequence has no letters");
    check("\n>a\n>b\n", 2, "the sequence has no letters");
    check("", 1, "there is no sequence");
    check("@a\nAC\n+\nII\n", 1, "expected FASTA, a line that starts with '>', not FASTQ");
    check("\n\n", 1, "there is no sequence");
}
