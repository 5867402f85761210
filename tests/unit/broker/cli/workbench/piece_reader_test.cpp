#include "broker/cli/workbench/piece_reader.hpp"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "tests/support/gzip.hpp"
#include "tests/unit/broker/cli/ran.hpp"

using namespace sluice::cli;
using test::TemporaryFile;

TEST_CASE("PieceReader: pieces overlap, and their own bytes are the file") {
    std::string bytes;
    for (int i = 0; i < 40; ++i) bytes += static_cast<char>('a' + i % 26);
    for (const std::size_t size : {0u, 1u, 9u, 10u, 11u, 12u, 13u, 20u, 22u, 23u, 40u}) {
        const TemporaryFile file(bytes.substr(0, size));
        for (const std::size_t overlap : {0u, 1u, 2u, 9u, 15u}) {
            INFO(size << " bytes, overlap " << overlap);
            PieceReader reader(file.path(), 10, overlap);
            std::string own;
            while (const auto piece = reader.next()) {
                CHECK(piece->offset == own.size());
                CHECK((piece->own > 0 && piece->own <= 10));
                CHECK(piece->bytes == std::string_view(bytes).substr(0, size).substr(own.size(), 10 + overlap));
                own += piece->bytes.substr(0, piece->own);
            }
            CHECK(own == bytes.substr(0, size));
            CHECK(reader.error().empty());
            CHECK(!reader.next());
        }
        CHECK(stored_size(file.path()) == size);
    }
}

TEST_CASE("PieceReader: files that can't be opened or read are errors") {
    PieceReader missing("/none/at/all", 10, 0);
    CHECK(!missing.next());
    CHECK(missing.error() == "No such file or directory");
    PieceReader folder("/", 10, 0);
    CHECK(!folder.next());
    CHECK(folder.error() == "Is a directory");
    CHECK(!stored_size("/"));
    CHECK(!stored_size("/none/at/all"));
    CHECK(!stored_size("-"));
}

TEST_CASE("PieceReader: waiting for input can be stopped") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    REQUIRE(write(ends[1], "abc", 3) == 3);
    int asked = 0;
    PieceReader reader("/proc/self/fd/" + std::to_string(ends[0]), 10, 0, [&] { return ++asked > 3; });
    CHECK(!reader.next());
    CHECK(reader.error().empty());
    CHECK(asked > 3);
    close(ends[0]);
    close(ends[1]);
}

TEST_CASE("PieceReader: pieces of FASTA are joined sequences") {
    const std::string joined = "ABCDEFGHIJKL\n\nMNO\n";
    const TemporaryFile file("\xEF\xBB\xBF\n>a\nABCD\nEFG\r\nHI JKL\n>b\n>c\nMNO");
    for (const std::size_t own : {8u, 10u, 100u}) {  // FASTA is recognised in the first piece
        for (const std::size_t overlap : {0u, 2u, 9u}) {
            CAPTURE(own, overlap);
            PieceReader reader(file.path(), own, overlap, {}, FileKind::detect);
            std::string read;
            while (const auto piece = reader.next()) {
                CHECK(piece->offset == read.size());
                CHECK(piece->bytes == std::string_view(joined).substr(read.size(), own + overlap));
                REQUIRE(reader.fasta());
                CHECK(reader.fasta()->records().front().begin <= piece->offset);
                read += piece->bytes.substr(0, piece->own);
            }
            CHECK(read == joined);
        }
    }
    PieceReader plain(file.path(), 100, 0, {}, FileKind::plain);
    CHECK(plain.next()->bytes.starts_with("\xEF\xBB\xBF\n>a"));
    CHECK(!plain.fasta());
}

TEST_CASE("PieceReader: other files are read as they are") {
    for (const char* bytes : {"a>b",
                              "\xEF\xBB\xBF"
                              "a",
                              "\n\n", "\xEF", ""}) {
        CAPTURE(bytes);
        const TemporaryFile file(bytes);
        PieceReader reader(file.path(), 2, 1, {}, FileKind::detect);
        std::string read;
        while (const auto piece = reader.next()) read += piece->bytes.substr(0, piece->own);
        CHECK(read == bytes);
        CHECK(!reader.fasta());
    }
}

TEST_CASE("PieceReader: gzip is read as what it contains, in lower case if that is asked for") {
    const std::string fasta = ">a\nABCd\nEFG\n>b\nXyZ\n";
    for (const char* name : {"a.fa.gz", "a"}) {
        const TemporaryFile file(sluice::testing::gzip(fasta), name);
        for (const auto letter_case : {LetterCase::as_is, LetterCase::lower}) {
            PieceReader reader(file.path(), 4, 2, {}, FileKind::detect, letter_case);
            std::string read;
            while (const auto piece = reader.next()) read += piece->bytes.substr(0, piece->own);
            CHECK(read == (letter_case == LetterCase::lower ? "abcdefg\nxyz\n" : "ABCdEFG\nXyZ\n"));
            REQUIRE(reader.fasta());
            CHECK(reader.fasta()->records().back().name == "b");
        }
    }
}
