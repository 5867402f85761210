#include "broker/auth/password.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace sluice::auth;

namespace {

// RFC 7914 §12: "pleaseletmein", "SodiumChloride", N 16384, r 8, p 1, the first 32 bytes.
const std::string of_rfc = "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofI";

}  // namespace

TEST_CASE("a password has the hash that was made of it, and no other password has") {
    const std::string hash = hash_password("correct horse");
    CHECK(hash.starts_with("$scrypt$ln=14,r=8,p=5$"));
    CHECK(find_fault_in_hash(hash).empty());
    CHECK(password_check_bytes(hash) == 16u << 20);
    CHECK(check_password(hash, "correct horse"));
    CHECK_FALSE(check_password(hash, "correct hors"));
    CHECK_FALSE(check_password(hash, ""));
    CHECK_FALSE(check_password(hash, std::string("correct horse\0", 14)));
    CHECK(hash_password("correct horse") != hash);  // another salt
}

TEST_CASE("passwords longer than the most are wrong, even if they are those of the hash") {
    const std::string longest(password_bytes_max, 'a'), longer = longest + "a";
    CHECK(check_password(hash_password(longest), longest));
    CHECK_FALSE(check_password(hash_password(longer), longer));
}

TEST_CASE("nobody's hash is no password's, and costs what others cost") {
    CHECK(find_fault_in_hash(hash_of_nobody()).empty());
    CHECK(password_check_bytes(hash_of_nobody()) == password_check_bytes(hash_password("a")));
    CHECK_FALSE(check_password(hash_of_nobody(), ""));
}

TEST_CASE("costs of a hash are honoured within bounds") {
    const auto with = [](const std::string& costs) { return "$scrypt$" + costs + of_rfc.substr(of_rfc.find("$U")); };
    CHECK(find_fault_in_hash(with("ln=10,r=1,p=16")).empty());
    CHECK(find_fault_in_hash(with("ln=15,r=16,p=1")).empty());  // 64 MiB
    for (const char* costs : {"ln=9,r=8,p=1", "ln=21,r=8,p=1", "ln=14,r=0,p=1", "ln=14,r=17,p=1", "ln=14,r=8,p=0",
                              "ln=14,r=8,p=17", "ln=16,r=16,p=1", "ln=20,r=1,p=1"}) {
        INFO(costs);
        CHECK(find_fault_in_hash(with(costs)).find("bounds") != std::string::npos);
        CHECK_FALSE(check_password(with(costs), "pleaseletmein"));
        CHECK(password_check_bytes(with(costs)) == 0);
    }
}

TEST_CASE("the hash of the RFC is that of its password") {
    CHECK(check_password(of_rfc, "pleaseletmein"));
    CHECK_FALSE(check_password(of_rfc, "pleaseletmeim"));
}

TEST_CASE("texts that are no hashes are refused, and are no password's") {
    for (const std::string& text :
         {std::string(), std::string("secret"), std::string("$"), std::string("$scrypt$"),
          std::string("$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA"), of_rfc + "=", of_rfc + "$", of_rfc.substr(1),
          of_rfc.substr(0, of_rfc.size() - 2), " " + of_rfc, of_rfc + "\n",
          std::string("$scrypt$ln=14,r=8,p=1$$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofI"),
          std::string("$scrypt$r=8,ln=14,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofI"),
          std::string("$scrypt$ln=14,r=8,p=-1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofI")}) {
        INFO(text);
        CHECK_FALSE(find_fault_in_hash(text).empty());
        CHECK_FALSE(check_password(text, "pleaseletmein"));
    }
}
