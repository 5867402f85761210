#include "protocol/text/base64.hpp"

#include <catch2/catch.hpp>

using sluice::text::decode_base64;
using sluice::text::encode_base64;

TEST_CASE("the test vectors of RFC 4648") {
    CHECK(encode_base64("").empty());
    CHECK(encode_base64("f") == "Zg==");
    CHECK(encode_base64("fo") == "Zm8=");
    CHECK(encode_base64("foo") == "Zm9v");
    CHECK(encode_base64("foob") == "Zm9vYg==");
    CHECK(encode_base64("fooba") == "Zm9vYmE=");
    CHECK(encode_base64("foobar") == "Zm9vYmFy");
    CHECK(encode_base64(std::string("\xFB\xFF\0\x66", 4)) == "+/8AZg==");
    CHECK(decode_base64("") == "");
    CHECK(decode_base64("Zg==") == "f");
    CHECK(decode_base64("Zm8=") == "fo");
    CHECK(decode_base64("Zm9v") == "foo");
    CHECK(decode_base64("Zm9vYg==") == "foob");
    CHECK(decode_base64("Zm9vYmE=") == "fooba");
    CHECK(decode_base64("Zm9vYmFy") == "foobar");
    CHECK(decode_base64("/+8A") == std::string("\xFF\xEF\0", 3));
    CHECK(decode_base64(" Zm9v\r\n\tYg = =\n") == "foob");
}

TEST_CASE("what is not base64 has no bytes") {
    for (const char* text : {"Z", "Zg", "Zg=", "Z===", "====", "=", "Zg==Zg==", "Zm=v", "Zm9v!", "Zm-_", "\xC3\xA4zzz"})
        CHECK_FALSE(decode_base64(text));
}
