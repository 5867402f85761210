#include "tests/bench/fanout/message.hpp"

#include <catch2/catch.hpp>

using namespace sluice::fanout;

TEST_CASE("Message: both kinds have the same size and one mark with the number behind it") {
    const Message rss = rss_message(), json = json_message(0);
    CHECK(rss.bytes.size() == json.bytes.size());
    CHECK(json.bytes.find('\n') == std::string::npos);
    for (const Message& message : {rss, json}) {
        const auto mark = message.bytes.find(number_mark);
        REQUIRE(mark != std::string::npos);
        CHECK(message.bytes.find(number_mark, mark + 1) == std::string::npos);
        REQUIRE_FALSE(message.places.empty());
        CHECK(message.places.front().at == mark + number_mark.size());
    }
}

TEST_CASE("Message: a frame moves the places of numbers") {
    const Message message = framed("PUB ", json_message(100), "\r\n");
    REQUIRE(message.places.size() == 2);
    CHECK(message.places[1].modulus == 100);
    for (const auto& place : message.places) CHECK(message.bytes.substr(place.at, number_digits) == "00000000");
}

TEST_CASE("Message: numbers are written with eight digits and read again") {
    CHECK(number_text(1'234) == "00001234");
    CHECK(read_number("00001234") == 1'234);
    CHECK(read_number(number_text(99'999'999)) == 99'999'999);
}
