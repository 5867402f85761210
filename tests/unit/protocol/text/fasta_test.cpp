#include "protocol/text/fasta.hpp"

#include <catch2/catch.hpp>
#include <vector>

using sluice::text::begins_like_fasta;
using sluice::text::fasta_name;
using sluice::text::FastaReader;
using Strings = std::vector<std::string>;

namespace {

// ">header", letters joined, "!x@LINE:COLUMN" for a byte that does not belong, "?x@LINE:COLUMN" for a stray one.
Strings read(std::string_view file, std::size_t piece) {
    using Kind = FastaReader::Part::Kind;
    Strings parts;
    FastaReader reader;
    bool joins = false;
    const auto take_all = [&] {
        while (const auto part = reader.next()) {
            const bool is_residues = part->kind == Kind::residues;
            const std::string text(part->text);
            const std::string place =
                "@" + std::to_string(reader.line()) + ":" + std::to_string(reader.column_of(*part));
            if (is_residues && joins)
                parts.back() += text;
            else if (is_residues)
                parts.push_back(text);
            else if (part->kind == Kind::header)
                parts.push_back(">" + text);
            else
                parts.push_back((part->kind == Kind::bad ? "!" : "?") + text + place);
            joins = is_residues;
            CHECK(file.substr(part->offset, text.size()) == text);
        }
    };
    for (std::size_t at = 0; at < file.size(); at += piece) {
        reader.give(file.substr(at, piece), false);
        take_all();
    }
    reader.give("", true);
    take_all();
    return parts;
}

void check(std::string_view file, const Strings& expected) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}, file.size() + 1}) {
        CAPTURE(file, piece);
        CHECK(read(file, piece) == expected);
    }
    FastaReader whole;
    whole.give(file, true);
    std::size_t parts = 0;
    while (whole.next()) ++parts;
    CHECK(parts >= expected.size());
}

}  // namespace

TEST_CASE("FASTA: records are read from pieces of any size") {
    check(">a b\nACGT\nac\n>c\nMK*-.\n", {">a b", "ACGTac", ">c", "MK*-."});
    check(">a\r\nAC\r\n\r\nGT\r\n", {">a", "ACGT"});
    check(">a\rACGT\r>b\rA\r", {">a", "ACGT", ">b", "A"});
    check(">a\nAC GT\t \n  AC", {">a", "ACGTAC"});
    check("\xEF\xBB\xBF>a\nA", {">a", "A"});
    check(";old\n>a\n;x>y\nA\n;\nC", {">a", "AC"});
    check(">\n>\n> d\nA\n>", {">", ">", "> d", "A", ">"});
    check("\n \n>a>b;c\nA", {">a>b;c", "A"});
    check("", {});
    check("\xEF\xBB\xBF\n;x", {});
}

TEST_CASE("FASTA: a byte that does not belong is reported with its place, and costs the rest of its line") {
    check(">a\nAC1T\nGG\n>b\nC", {">a", "AC", "!1@2:3", "GG", ">b", "C"});
    check(">a\r\nA\r\rC\r\nG>\r\n", {">a", "ACG", "!>@5:2"});
    check("AC\n x\n>a\nA", {"?A@1:1", "?x@2:2", ">a", "A"});
    check(">a\n\xFFG\n\xEF\xBB\xBF\n", {">a", "!\xFF@2:1", "!\xEF@3:1"});
    check("\xEF\xBB>a\nA", {"?\xEF@1:1", "?A@2:1"});
    check(">a\nA\0C\n", {">a", "A"});  // the literal ends at the NUL
    check(std::string_view(">a\nA\0C\n", 7), {">a", "A", std::string("!") + '\0' + "@2:2"});
}

TEST_CASE("FASTA: a header of any length is read, and kept up to a limit if it is split") {
    const std::string header(FastaReader::split_header_bytes_max + 10, 'h'), file = ">" + header + "\nAC";
    const Strings parts = read(file, 65'536);
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].size() == 1 + FastaReader::split_header_bytes_max);
    CHECK(parts[1] == "AC");
    CHECK(read(file, file.size())[0].size() == 1 + header.size());
}

TEST_CASE("FASTA: names, and how a file begins") {
    CHECK(fasta_name("a b") == "a");
    CHECK(fasta_name("a\tb c") == "a");
    CHECK(fasta_name(" a").empty());
    CHECK(fasta_name("") == "");
    CHECK(begins_like_fasta(">") == true);
    CHECK(begins_like_fasta("\r\n \n>a") == true);
    CHECK(begins_like_fasta("\xEF\xBB\xBF>") == true);
    CHECK(begins_like_fasta("a>") == false);
    CHECK(begins_like_fasta(";a\n>") == false);
    CHECK(begins_like_fasta("\xEF\xBC") == false);
    for (const char* undecided : {"", "\n", "\xEF", "\xEF\xBB", "\xEF\xBB\xBF", "\xEF\xBB\xBF "})
        CHECK(!begins_like_fasta(undecided));
}
