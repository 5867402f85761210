#include "broker/cli/workbench/input_file.hpp"

#include <catch2/catch.hpp>

#include "tests/support/gzip.hpp"
#include "tests/unit/broker/cli/ran.hpp"

using namespace sluice::cli;
using sluice::testing::gzip;
using test::TemporaryFile;

namespace {

// What is read in pieces of at most so many bytes.
std::string read_by(std::size_t room, const std::string& stored, std::string* error = nullptr) {
    const TemporaryFile file(stored);
    InputFile input(file.path());
    std::string bytes, piece(room, 0);
    while (const std::size_t size = input.read(piece.data(), room)) bytes.append(piece, 0, size);
    CHECK(input.has_ended() == input.error().empty());
    CHECK(input.stored_size() == stored.size());
    CHECK(stored_size(file.path()) == stored.size());
    if (input.error().empty()) CHECK(input.stored_bytes_read() == stored.size());
    if (error) *error = input.error();
    return bytes;
}

std::string random_bytes(std::size_t size) {
    std::string bytes;
    for (std::uint32_t x = 1; bytes.size() < size; x = x * 1664525 + 1013904223) bytes += static_cast<char>(x >> 24);
    return bytes;
}

}  // namespace

TEST_CASE("InputFile: plain files and gzip are read as what they contain") {
    const std::string large = random_bytes(700'000) + std::string(3'000'000, 'a');
    for (const std::string& bytes : {std::string(), std::string("a"), std::string("\x1F"), std::string("abc"), large}) {
        for (const std::size_t room : {std::size_t{1}, std::size_t{7}, std::size_t{100'000}, std::size_t{8} << 20}) {
            if (room < 100 && bytes.size() > 100) continue;
            CAPTURE(bytes.size(), room);
            CHECK(read_by(room, bytes) == bytes);
            CHECK(read_by(room, gzip(bytes)) == bytes);
            CHECK(read_by(room, gzip(bytes) + gzip("") + gzip(bytes)) == bytes + bytes);
            CHECK(read_by(room, gzip(bytes) + std::string(300'000, 0)) == bytes);
        }
    }
}

TEST_CASE("InputFile: gzip that is not whole is an error") {
    const std::string bytes = random_bytes(1000), whole = gzip(bytes);
    std::string error;
    for (std::size_t size = 2; size < whole.size(); ++size) {
        read_by(5000, whole.substr(0, size), &error);
        CHECK(error == "it is not complete and valid gzip");
    }
    std::string damaged = whole;
    damaged[damaged.size() - 6] ^= 1;  // in the checksum
    for (const std::string& stored : {damaged, whole + "x", whole + "\x1F", whole + std::string(9, 0) + "x"}) {
        read_by(5000, stored, &error);
        CHECK(error == "it is not complete and valid gzip");
    }
}

TEST_CASE("read_whole_file: bounds what it returns") {
    const TemporaryFile plain("12345"), packed(gzip("12345"));
    for (const auto& file : {plain.path(), packed.path()}) CHECK(read_whole_file(file, 5).bytes == "12345");
    CHECK(read_whole_file(plain.path(), 4).error == "it has more than 4 bytes");
    CHECK(read_whole_file(packed.path(), 4).error == "it has more than 4 bytes when decompressed");
    CHECK(read_whole_file("/none/at/all").error == "No such file or directory");
    CHECK(read_whole_file("/").error == "Is a directory");
}
