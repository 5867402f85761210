#include "protocol/text/digest.hpp"

#include <catch2/catch.hpp>
#include <cstring>

namespace {

std::string hex(std::string_view bytes) {
    const sluice::text::Digest d = sluice::text::digest(bytes);
    unsigned char raw[16];
    std::memcpy(raw, d.data(), sizeof raw);
    std::string text;
    for (const unsigned char byte : raw) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

}  // namespace

TEST_CASE("a digest is the first half of SHA-256") {
    CHECK(hex("") == "e3b0c44298fc1c149afbf4c8996fb924");  // FIPS 180-4's examples
    CHECK(hex("abc") == "ba7816bf8f01cfea414140de5dae2223");
}
