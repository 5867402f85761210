#include "tests/bench/fanout/mark_scanner.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace sluice::fanout;

namespace {

// What is behind each "no=" of a stream that comes in pieces of so many bytes.
std::vector<std::string> found_in(const std::string& stream, std::size_t piece) {
    std::vector<std::string> found;
    MarkScanner scanner("no=", 2);
    std::string buffer;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
        buffer = std::string(MarkScanner::kept_most, '#') + stream.substr(at, piece);
        scanner.scan(buffer.data() + MarkScanner::kept_most, buffer.size() - MarkScanner::kept_most,
                     [&](std::string_view behind) { found.emplace_back(behind); });
    }
    return found;
}

std::string frame(const std::string& number, std::size_t bytes) {
    const std::string head = "data: no=" + number;
    return head + std::string(bytes - head.size() - 1, 'x') + "\n";
}

}  // namespace

TEST_CASE("MarkScanner: a mark and what is behind it are found wherever the stream is cut") {
    const std::string stream = frame("01", 20) + frame("02", 12) + "n" + frame("03", 300) + "no=0";
    for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
        CAPTURE(piece);
        CHECK(found_in(stream, piece) == std::vector<std::string>{"01", "02", "03"});
    }
}

TEST_CASE("MarkScanner: frames that differ a little, with something between them, are all found") {
    std::string stream;
    std::vector<std::string> expected;
    for (std::size_t i = 10; i < 60; ++i) {
        expected.push_back(std::to_string(i));
        stream += frame(expected.back(), 1000 + i % 7 * 4);
        if (i % 5 == 0) stream += ": heartbeat\n\n";
    }
    for (const std::size_t piece : std::vector<std::size_t>{1, 64, 999, 1000, 4096, 100'000}) {
        CAPTURE(piece);
        CHECK(found_in(stream, piece) == expected);
    }
}
