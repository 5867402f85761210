#include "broker/ingest/gunzip.hpp"

#include <catch2/catch.hpp>
#include <zlib.h>

using sluice::gunzip;
using sluice::GunzipError;

namespace {

std::string gzip(const std::string& plain) {
    z_stream stream{};
    deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, static_cast<uLong>(plain.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
    stream.avail_in = static_cast<uInt>(plain.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

}  // namespace

TEST_CASE("gzip bodies are decompressed up to the bound") {
    const std::string plain(300'000, 'x');
    CHECK(gunzip(gzip(""), 0).value() == "");
    CHECK(gunzip(gzip("hello"), 5).value() == "hello");
    CHECK(gunzip(gzip("hello"), 4).error() == GunzipError::too_large);
    CHECK(gunzip(gzip(plain), plain.size()).value() == plain);
    CHECK(gunzip(gzip(plain), plain.size() - 1).error() == GunzipError::too_large);
    CHECK(gunzip(gzip("a") + gzip("b"), 10).value() == "ab");
}

TEST_CASE("what is not whole and valid gzip is refused") {
    const std::string good = gzip("some text that is long enough to be cut");
    CHECK(gunzip("", 100).error() == GunzipError::corrupt);
    CHECK(gunzip("<rss/>", 100).error() == GunzipError::corrupt);
    for (std::size_t n = 1; n < good.size(); ++n) {
        CAPTURE(n);
        CHECK(gunzip(good.substr(0, n), 100).error() == GunzipError::corrupt);
    }
    CHECK(gunzip(good + "trailing", 100).error() == GunzipError::corrupt);
    std::string flipped = good;
    flipped[good.size() - 6] = static_cast<char>(flipped[good.size() - 6] ^ 1);  // the checksum
    CHECK(gunzip(flipped, 100).error() == GunzipError::corrupt);
}
