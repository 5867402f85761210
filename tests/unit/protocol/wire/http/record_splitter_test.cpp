#include "protocol/wire/http/record_splitter.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

using sluice::wire::RecordFraming;
using sluice::wire::RecordSplitter;
using sluice::wire::SplitRecord;

namespace {

constexpr std::size_t bytes_max = 10;

const char* name_of(SplitRecord::Fault fault) {
    switch (fault) {
        case SplitRecord::Fault::none:
            return "";
        case SplitRecord::Fault::too_large:
            return "too large";
        case SplitRecord::Fault::passed_over:
            return "passed over";
        case SplitRecord::Fault::no_separator:
            return "no separator";
        case SplitRecord::Fault::no_line_end:
            return "no line end";
    }
    return "?";
}

std::string describe(const SplitRecord& record) {
    return std::to_string(record.number) + "@" + std::to_string(record.line) + "+" + std::to_string(record.offset) +
           "[" + record.text + name_of(record.fault) + "] ";
}

// The records of a body that comes in pieces of `piece` bytes.
std::string records(RecordFraming framing, std::string_view body, std::size_t piece) {
    RecordSplitter splitter(framing, bytes_max);
    std::string text;
    SplitRecord record;
    while (!body.empty()) {
        std::string_view input = body.substr(0, piece);
        body.remove_prefix(input.size());
        while (splitter.next(input, record)) text += describe(record);
        CHECK(input.empty());
    }
    if (splitter.end(record)) text += describe(record);
    return text;
}

// The same for pieces of any size.
std::string records(RecordFraming framing, std::string_view body) {
    const std::string whole = records(framing, body, std::max<std::size_t>(1, body.size()));
    for (std::size_t piece = 1; piece < body.size(); ++piece) {
        CAPTURE(piece, body);
        CHECK(records(framing, body, piece) == whole);
    }
    return whole;
}

std::string lines(std::string_view body) { return records(RecordFraming::lines, body); }

// "^" stands for RS.
std::string sequence(std::string body) {
    std::replace(body.begin(), body.end(), '^', '\x1e');
    return records(RecordFraming::sequence, body);
}

}  // namespace

TEST_CASE("each line is a record, with its place") {
    CHECK(lines("") == "");
    CHECK(lines("{}") == "1@1+0[{}] ");
    CHECK(lines("{}\n") == "1@1+0[{}] ");
    CHECK(lines("{}\n{\"a\":1}\r\n[]") == "1@1+0[{}] 2@2+3[{\"a\":1}] 3@3+12[[]] ");
    CHECK(lines(" 1 \n2\r\r\n") == "1@1+0[ 1 ] 2@2+4[2\r] ");
}

TEST_CASE("white space alone is no record, but its lines count") {
    CHECK(lines("\n \t\r\n\n1\n\n2") == "1@4+6[1] 2@6+9[2] ");
    CHECK(lines("                    \n1\n") == "1@2+21[1] ");
    CHECK(sequence("") == "");
    CHECK(sequence(" \n") == "");
    CHECK(sequence("^^ \n^\n^1\n^^") == "1@3+7[1] ");
}

TEST_CASE("a record that is too large is refused by itself, without its line end") {
    CHECK(lines("0123456789\n1\n") == "1@1+0[0123456789] 2@2+11[1] ");
    CHECK(lines("0123456789\r\n1\n") == "1@1+0[0123456789] 2@2+12[1] ");
    CHECK(lines("0123456789a\n1\n") == "1@1+0[too large] 2@2+12[1] ");
    CHECK(lines("0123456789abcdef\n1\n") == "1@1+0[too large] 2@2+17[1] ");
    CHECK(lines("1\n0123456789abcdef") == "1@1+0[1] 2@2+2[too large] ");
    CHECK(sequence("^0123456789\n^1\n") == "1@1+1[0123456789] 2@2+13[1] ");
    CHECK(sequence("^01234\n6789a\n^1\n") == "1@1+1[too large] 2@3+14[1] ");
}

TEST_CASE("a record of a sequence begins with RS and ends with LF") {
    CHECK(sequence("^{}\n^<a>\n</a>\r\n") == "1@1+1[{}] 2@2+5[<a>\n</a>] ");
    CHECK(sequence("{}\n^1\n") == "1@1+0[no separator] 2@2+4[1] ");
    CHECK(sequence("^12^34\n") == "1@1+1[no line end] 2@1+4[34] ");
    CHECK(sequence("^1\n^2") == "1@1+1[1] 2@2+4[no line end] ");
}

TEST_CASE("a record that is passed over takes no memory, and the next one is read") {
    RecordSplitter splitter(RecordFraming::lines, 1'000);
    SplitRecord record;
    std::string_view input = "0123456789012345678901234567890123456789";
    CHECK(!splitter.next(input, record));
    CHECK(splitter.pending_bytes() == 40);
    CHECK(splitter.kept_bytes() == 40);
    CHECK(splitter.offset() == 0);
    CHECK(splitter.memory_bytes(0) >= 40);
    CHECK(splitter.memory_bytes(100) >= 180);
    splitter.pass_over();
    CHECK(splitter.memory_bytes(100) == 0);
    CHECK(splitter.pending_bytes() == 40);
    CHECK(splitter.kept_bytes() == 0);
    input = "more\nnext\n";
    REQUIRE(splitter.next(input, record));
    CHECK(describe(record) == "1@1+0[passed over] ");
    CHECK(splitter.pending_bytes() == 0);
    CHECK(splitter.offset() == 45);
    REQUIRE(splitter.next(input, record));
    CHECK(describe(record) == "2@2+45[next] ");
    input = "  ";
    CHECK(!splitter.next(input, record));
    splitter.pass_over();  // of white space: no record, so that the numbers of others do not depend on it
    CHECK(!splitter.end(record));
}
