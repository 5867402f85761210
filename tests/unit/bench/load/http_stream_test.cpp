#include "tests/bench/load/http_stream.hpp"

#include <catch2/catch.hpp>
#include <string>

using sluice::load::HttpStream;

namespace {

// Parses `bytes` in pieces of `piece`: status codes, bodies, and "." at each end.
std::string read(std::string_view bytes, std::size_t piece) {
    HttpStream stream;
    std::string seen;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        stream.input() += bytes.substr(at, piece);
        for (auto event = stream.next(); event != HttpStream::Event::need_more; event = stream.next()) {
            if (event == HttpStream::Event::malformed) return seen + "!";
            if (event == HttpStream::Event::header) seen += std::to_string(stream.status()) + " ";
            if (event == HttpStream::Event::body) seen += stream.piece();
            if (event == HttpStream::Event::end) seen += ".";
        }
    }
    return seen;
}

}  // namespace

TEST_CASE("replies one after the other, however the bytes are cut") {
    const std::string_view bytes =
        "HTTP/1.1 202 Accepted\r\nContent-Length: 5\r\n\r\nhello"
        "HTTP/1.1 204 No Content\r\ncontent-length:0\r\n\r\n"
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n"
        "HTTP/1.1 200 OK\r\n\r\nuntil the end";
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        CHECK(read(bytes, piece) == "202 hello.204 .200 abc0123456789abcdef.200 until the end");
    }
}

TEST_CASE("what is no HTTP is malformed") {
    CHECK(read("SSH-2.0\r\n\r\n", 100) == "!");
    CHECK(read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 100) == "200 !");
}
