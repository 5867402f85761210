#include "broker/cli/publish_lines.hpp"

#include <catch2/catch.hpp>

using sluice::cli::is_ndjson;
using sluice::cli::looks_like_ndjson;

TEST_CASE("NDJSON has several names") {
    for (const char* type : {"application/x-ndjson", "Application/X-NDJSON; charset=utf-8", "application/ndjson",
                             "application/jsonl", "text/x-ndjson", "application/jsonlines"})
        CHECK(is_ndjson(type));
    for (const char* type : {"", "application/json", "text/csv", "application/ndjson+xml"})
        CHECK_FALSE(is_ndjson(type));
}

TEST_CASE("a text has a document a line if its first line is a whole JSON object") {
    CHECK(looks_like_ndjson("{\"a\":1}\n"));
    CHECK(looks_like_ndjson(" {} \r\n"));
    for (const char* line : {"", "\n", "{}", "{\n", "[{}]\n", "7\n", "{} {}\n", "<rss/>\n", "a,b\n"})
        CHECK_FALSE(looks_like_ndjson(line));
}
