#include "broker/cli/common/joined_fasta.hpp"

#include <catch2/catch.hpp>

using sluice::cli::JoinedFasta;

namespace {

// All that is written, in portions of at most `room` bytes, of a file that comes in pieces.
std::string joined(JoinedFasta& fasta, std::string_view file, std::size_t piece, std::size_t room) {
    std::string all, portion(room, ' ');
    const auto take_all = [&] {
        for (std::size_t n = 1; n > 0 || fasta.stopped_at_record();) {
            n = fasta.take(portion.data(), room);
            all.append(portion, 0, n);
        }
    };
    for (std::size_t at = 0; at < file.size(); at += piece) {
        fasta.give(file.substr(at, piece), false);
        take_all();
    }
    fasta.give("", true);
    take_all();
    return all;
}

}  // namespace

TEST_CASE("JoinedFasta: the letters of a record are joined, and a line feed ends them") {
    const std::string_view file = "\n>one x\r\nAC GT\r\nA-\r\n>\n>three\n>four\nG";
    for (const std::size_t piece : {1u, 5u, 100u}) {
        for (const std::size_t room : {1u, 3u, 100u}) {
            CAPTURE(piece, room);
            JoinedFasta fasta;
            CHECK(joined(fasta, file, piece, room) == "ACGTA-\n\n\nG\n");
            CHECK(fasta.error().empty());
            CHECK(fasta.letters() == 7);
            CHECK(fasta.record_count() == 4);
            REQUIRE(fasta.records().size() == 4);
            const std::uint64_t begins[] = {0, 7, 8, 9};
            const char* names[] = {"one", "", "three", "four"};
            for (std::size_t i = 0; i < 4; ++i) {
                CHECK(fasta.records()[i].begin == begins[i]);
                CHECK(fasta.records()[i].index == i);
                CHECK(fasta.records()[i].name == names[i]);
            }
            fasta.forget_before(7);
            CHECK(fasta.records().front().name.empty());
            fasta.forget_before(1'000);
            CHECK(fasta.records().front().name == "four");
        }
    }
}

TEST_CASE("JoinedFasta: a fault has its line") {
    JoinedFasta fasta;
    CHECK(joined(fasta, ">a\nAC\nG1\nT\n>b\nA", 4, 10) == "ACG");
    CHECK(fasta.error() == "expected letters, '*', '-' or '.', not '1' (column 2)");
    CHECK(fasta.error_line() == 3);
    JoinedFasta fastq;
    CHECK(joined(fastq, "@a\nAC\n", 4, 10).empty());
    CHECK(fastq.error() == "expected FASTA, a line that starts with '>', not FASTQ");
}

TEST_CASE("JoinedFasta: the names that are kept are bounded, if the caller forgets") {
    std::string file;
    const std::string name(100'000, 'n');
    for (int i = 0; i < 500; ++i) file += ">" + name + "\nA\n";
    JoinedFasta fasta;
    fasta.give(file, true);
    std::string all;
    std::size_t records_max = 0;
    for (;;) {
        char portion[4'096];
        const std::size_t n = fasta.take(portion, sizeof portion);
        if (n == 0 && !fasta.stopped_at_record()) break;
        all.append(portion, n);
        records_max = std::max(records_max, fasta.records().size());
        if (fasta.stopped_at_record() && n > 0) CHECK(portion[n - 1] == '\n');
        fasta.forget_before(all.size());
    }
    CHECK(all.size() == 1'000);
    CHECK(fasta.record_count() == 500);
    CHECK(records_max <= JoinedFasta::names_bytes_max / name.size() + 1);
}
