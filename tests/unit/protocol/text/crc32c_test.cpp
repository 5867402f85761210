#include "protocol/text/crc32c.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <string_view>

using sluice::text::crc32c;
using sluice::text::crc32c_by_table;

TEST_CASE("crc32c: published vectors (the catalogue's check value, RFC 3720 B.4)") {
    std::string up, down;
    for (int i = 0; i < 32; ++i) {
        up += static_cast<char>(i);
        down += static_cast<char>(31 - i);
    }
    const std::string read_command(
        "\x01\xC0\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x14\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00"
        "\x14\x00\x00\x00\x18\x28\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00",
        48);
    CHECK(crc32c("") == 0);
    CHECK(crc32c("123456789") == 0xE3069283);
    CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AA);
    CHECK(crc32c(std::string(32, '\xFF')) == 0x62A8AB43);
    CHECK(crc32c(up) == 0x46DD794E);
    CHECK(crc32c(down) == 0x113FDB5C);
    CHECK(crc32c(read_command) == 0xD9963A56);
}

TEST_CASE("crc32c: any bytes, of any length and alignment → as byte by byte") {
    std::mt19937 random(1);
    std::string bytes(1'100, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    for (std::size_t begin = 0; begin < 9; ++begin) {
        for (std::size_t length = 0; length < 80; ++length) {
            const std::string_view part = std::string_view(bytes).substr(begin, length);
            CHECK(crc32c(part) == crc32c_by_table(part));
        }
        CHECK(crc32c(std::string_view(bytes).substr(begin)) == crc32c_by_table(std::string_view(bytes).substr(begin)));
    }
}
