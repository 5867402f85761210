#include "broker/auth/token.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace sluice::auth;

TEST_CASE("a new token has its id in it, and the digest of its text") {
    const NewToken token = make_token(), other = make_token();
    CHECK(token.text.size() == 58);
    CHECK(is_token_id(token.id));
    REQUIRE(token_id(token.text));
    CHECK(*token_id(token.text) == token.id);
    CHECK(token.digest == digest_text(sha256(token.text)));
    CHECK(parse_digest(token.digest) == sha256(token.text));
    CHECK(token.id != other.id);
    CHECK(token.text != other.text);
}

TEST_CASE("texts without the form of a token have no id") {
    const std::string text = make_token().text;
    CHECK_FALSE(token_id(""));
    CHECK_FALSE(token_id(text.substr(1)));
    CHECK_FALSE(token_id(text + "A"));
    CHECK_FALSE(token_id("SLT" + text.substr(3)));
    CHECK_FALSE(token_id("slt_" + std::string(54, '_')));
    CHECK_FALSE(token_id("eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9."));
    CHECK_FALSE(is_token_id("k3v9"));
    CHECK_FALSE(is_token_id("k3v9k3v9k-"));
}

TEST_CASE("digests are read as they are written, in either case of letters") {
    const Sha256 digest = sha256("abc");  // FIPS 180-4
    const std::string text = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    CHECK(digest_text(digest) == text);
    CHECK(parse_digest(text) == digest);
    CHECK(parse_digest("sha256:BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD") == digest);
    CHECK_FALSE(parse_digest(text.substr(1)));
    CHECK_FALSE(parse_digest(text + "0"));
    CHECK_FALSE(parse_digest(text.substr(0, text.size() - 1) + "g"));
}

TEST_CASE("texts are compared as a whole, and written without padding") {
    const Sha256 a = sha256("a"), b = sha256("b");
    CHECK(is_equal(a, a));
    CHECK_FALSE(is_equal(a, b));
    CHECK_FALSE(is_equal(a, std::span(a).first(31)));
    const unsigned char bytes[] = {0xfb, 0xff, 0x00, 0x66};
    CHECK(base64url_text(bytes) == "-_8AZg");
    CHECK(keyed_sha256(a, "x", "yz") != keyed_sha256(a, "xy", "z"));
    CHECK(keyed_sha256(a, "x", "y") != keyed_sha256(b, "x", "y"));
}
