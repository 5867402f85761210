#include "protocol/wire/sse/sse.hpp"

#include <catch2/catch.hpp>

namespace {

std::string data(std::string_view text) {
    std::string out;
    sluice::wire::append_sse_data(out, text);
    return out;
}

}  // namespace

TEST_CASE("every line of the text is a data line") {
    CHECK(data("") == "data: \n");
    CHECK(data("a") == "data: a\n");
    CHECK(data("a\nb\r\nc\rd") == "data: a\ndata: b\ndata: c\ndata: d\n");
    CHECK(data("a\n") == "data: a\ndata: \n");
    CHECK(data("\r\n\r") == "data: \ndata: \ndata: \n");
}
