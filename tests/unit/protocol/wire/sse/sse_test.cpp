#include "protocol/wire/sse/sse.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace {

std::string data(std::string_view text) {
    std::string out;
    sluice::wire::each_sse_line(text, [&](std::string_view line) { out += "data: " + std::string(line) + "\n"; });
    return out;
}

}  // namespace

TEST_CASE("every line of the text is a data line") {
    CHECK(data("") == "data: \n");
    CHECK(data("a") == "data: a\n");
    CHECK(data("a\nb\r\nc\rd") == "data: a\ndata: b\ndata: c\ndata: d\n");
    CHECK(data("a\n") == "data: a\ndata: \n");
    CHECK(data("\r\n\r") == "data: \ndata: \ndata: \n");
    CHECK(data("\n\r") == "data: \ndata: \ndata: \n");
    CHECK(data("a\r\r\nb\n\nc\r") == "data: a\ndata: \ndata: b\ndata: \ndata: c\ndata: \n");
}
