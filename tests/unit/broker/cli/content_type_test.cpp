#include "broker/cli/content_type.hpp"

#include <catch2/catch.hpp>

#include "broker/cli/common/input.hpp"

using sluice::cli::content_type_of;
using sluice::cli::inner_name;

TEST_CASE("a file's name tells its format, else its text does") {
    CHECK(content_type_of("/a.b/readings.NDJSON", "<") == "application/x-ndjson");
    CHECK(content_type_of("x.csv", "{") == "text/csv");
    CHECK(content_type_of("x.fa", "") == "text/x-fasta");
    CHECK(content_type_of("x.fastq", "") == "text/x-fastq");
    CHECK(content_type_of("X.ATOM", "") == "application/atom+xml");
    CHECK(content_type_of("x.json", "[]") == "application/json");
    CHECK(content_type_of("feed.xml", "\n<rss/>") == "application/xml");
    CHECK(content_type_of("feed", "\xEF\xBB\xBF {}") == "text/plain");
    CHECK(content_type_of("-", ">r\nAC") == "text/plain");
    CHECK(content_type_of("csv", "a,b") == "application/xml");
}

TEST_CASE("the name of what a compressed file contains") {
    CHECK(inner_name("x.rss.gz") == "x.rss");
    CHECK(inner_name("X.ATOM.GZ") == "X.ATOM");
    CHECK(inner_name("x.rss") == "x.rss");
    CHECK(inner_name("gz") == "gz");
    CHECK(inner_name("-") == "-");
}
