#include "protocol/wire/http/gunzip.hpp"

#include <catch2/catch.hpp>

#include "tests/support/gzip.hpp"

using sluice::testing::gzip;
using sluice::wire::gunzip;
using sluice::wire::GunzipError;

TEST_CASE("gzip bodies are decompressed up to the bound") {
    const std::string plain(300'000, 'x');
    CHECK(gunzip(gzip(""), 0).value() == "");
    CHECK(gunzip(gzip("hello"), 5).value() == "hello");
    CHECK(gunzip(gzip("hello"), 4).error() == GunzipError::too_large);
    CHECK(gunzip(gzip(plain), plain.size()).value() == plain);
    CHECK(gunzip(gzip(plain), plain.size() - 1).error() == GunzipError::too_large);
    CHECK(gunzip(gzip("a") + gzip("b"), 10).value() == "ab");
}

TEST_CASE("room is asked for before it is taken") {
    const std::string packed = gzip(std::string(1'000'000, 'x'));
    std::size_t most = 0;
    const auto limited = [&](std::size_t bytes) { return (most = bytes) < 500'000; };
    CHECK(gunzip(packed, 2'000'000, limited).error() == GunzipError::no_room);
    CHECK(most > 500'000);
    CHECK(gunzip(packed, 2'000'000, [](std::size_t) { return true; }).value().size() == 1'000'000);
}

TEST_CASE("zeros behind a member are padding") {
    const std::string a = gzip("a"), b = gzip("b");
    for (const std::size_t count : {1u, 2u, 3u, 7u, 8u, 17u, 511u, 512u, 4'096u, 1'000'000u}) {
        CAPTURE(count);
        const std::string zeros(count, '\0');
        CHECK(gunzip(a + zeros, 10).value() == "a");
        CHECK(gunzip(a + zeros + b, 10).value() == "ab");
        CHECK(gunzip(a + zeros + "x", 10).error() == GunzipError::trailing);
        CHECK(gunzip(a + zeros + a.substr(0, 5), 10).error() == GunzipError::truncated);
        CHECK(gunzip(zeros + a, 10).error() == GunzipError::not_gzip);
    }
}

TEST_CASE("what is not whole and valid gzip is refused") {
    const std::string good = gzip("some text that is long enough to be cut");
    for (std::size_t n = 0; n < good.size(); ++n) {
        CAPTURE(n);
        CHECK(gunzip(good.substr(0, n), 100).error() == GunzipError::truncated);
    }
    for (const char* trailing : {"trailing", "\x1Fx", "\n", " ", "<rss/>"})
        CHECK(gunzip(good + trailing, 100).error() == GunzipError::trailing);
    std::string flipped = good;
    flipped[good.size() - 6] = static_cast<char>(flipped[good.size() - 6] ^ 1);  // the checksum
    CHECK(gunzip(flipped, 100).error() == GunzipError::corrupt);
    flipped = good;
    flipped[2] = 7;  // the method
    CHECK(gunzip(flipped, 100).error() == GunzipError::corrupt);
}

TEST_CASE("a body that is not gzip is described by how it begins") {
    struct Case {
        std::string body;
        const char* description;
    };
    const char* const zlib = "is not gzip: it begins as zlib (\"deflate\") does, which is not supported";
    const Case cases[] = {
        {"<rss/>", "is not gzip: it begins with the bytes 3c 72 73 73, not with 1f 8b"},
        {"\x1F\x9D\x90z", "is not gzip: it begins with the bytes 1f 9d 90 7a, not with 1f 8b"},
        {"\x28\xB5\x2F\xFD\x24", "is not gzip: it begins with the bytes 28 b5 2f fd, not with 1f 8b"},
        {"{", "is not gzip: it begins with the bytes 7b, not with 1f 8b"},
        {"PK\x03\x04", "is not gzip: it begins with the bytes 50 4b 03 04, not with 1f 8b"},
        {"\xEF\xBB\xBF<a/>", "is not gzip: it begins with the bytes ef bb bf 3c, not with 1f 8b"},
        {"\x78\x01\x03", zlib},
        {"\x78\x9C\x03", zlib},
        {"\x78\xDA\x03", zlib},
        {"\x78\x5E\x03", zlib},
        {"x-", "is not gzip: it begins with the bytes 78 2d, not with 1f 8b"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.body);
        REQUIRE(gunzip(c.body, 100).error() == GunzipError::not_gzip);
        CHECK(describe(GunzipError::not_gzip, c.body) == c.description);
    }
    CHECK(describe(GunzipError::truncated, "") == "is cut off: it is not complete and valid gzip");
    CHECK(describe(GunzipError::trailing, "") ==
          "is gzip with something behind it that is neither another member nor zeros");
    CHECK(describe(GunzipError::corrupt, "") == "is damaged: it is not complete and valid gzip");
}
