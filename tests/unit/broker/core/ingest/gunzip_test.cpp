#include "broker/core/ingest/gunzip.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/broker/support.hpp"

using sluice::broker::gunzip;
using sluice::broker::GunzipError;
using sluice::broker::gzip;

TEST_CASE("gzip bodies are decompressed up to the bound") {
    const std::string plain(300'000, 'x');
    CHECK(gunzip(gzip(""), 0).value() == "");
    CHECK(gunzip(gzip("hello"), 5).value() == "hello");
    CHECK(gunzip(gzip("hello"), 4).error() == GunzipError::too_large);
    CHECK(gunzip(gzip(plain), plain.size()).value() == plain);
    CHECK(gunzip(gzip(plain), plain.size() - 1).error() == GunzipError::too_large);
    CHECK(gunzip(gzip("a") + gzip("b"), 10).value() == "ab");
}

TEST_CASE("gunzip: zero bytes behind the last member are padding") {
    for (const std::size_t zeros : {1u, 2u, 7u, 512u, 100'000u})
        CHECK(gunzip(gzip("a") + gzip("b") + std::string(zeros, '\0'), 10).value() == "ab");
}

TEST_CASE("room is asked for before it is taken") {
    const std::string packed = gzip(std::string(1'000'000, 'x'));
    std::size_t most = 0;
    const auto limited = [&](std::size_t bytes) { return (most = bytes) < 500'000; };
    CHECK(gunzip(packed, 2'000'000, limited).error() == GunzipError::no_room);
    CHECK(most > 500'000);
    CHECK(gunzip(packed, 2'000'000, [](std::size_t) { return true; }).value().size() == 1'000'000);
}

TEST_CASE("what is not whole and valid gzip is refused") {
    const std::string good = gzip("some text that is long enough to be cut");
    CHECK(gunzip("", 100).error() == GunzipError::corrupt);
    for (const char* other : {"<rss/>", "x", "\x78\x9C\x01", "\x1F\x8C", "\x8B\x1F", "PK"})
        CHECK(gunzip(other, 100).error() == GunzipError::not_gzip);
    for (std::size_t n = 1; n < good.size(); ++n) {
        CAPTURE(n);
        CHECK(gunzip(good.substr(0, n), 100).error() == GunzipError::corrupt);
    }
    CHECK(gunzip(good + "trailing", 100).error() == GunzipError::corrupt);
    CHECK(gunzip(good + std::string(3, '\0') + "x", 100).error() == GunzipError::corrupt);
    std::string flipped = good;
    flipped[good.size() - 6] = static_cast<char>(flipped[good.size() - 6] ^ 1);  // the checksum
    CHECK(gunzip(flipped, 100).error() == GunzipError::corrupt);
}
