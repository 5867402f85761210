#include "gpu/operators/regex/regex.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/skip.hpp"

using namespace sluice;

namespace {

bool available() {
    if (regex::regex_fault("a").empty()) return true;
    sluice::testing::skip(regex::regex_fault("a"));
    return false;
}

bool found(const char* expression, std::string_view text) {
    INFO(expression);
    REQUIRE(regex::regex_fault(expression).empty());
    return regex::compile_regex(expression)->found_in(text);
}

}  // namespace

// The meaning is RE2's: https://github.com/google/re2/wiki/Syntax
TEST_CASE("an expression is found anywhere in a text") {
    if (!available()) return;
    CHECK(found("b+", "abbc"));
    CHECK_FALSE(found("^b", "abbc"));
    CHECK(found("^abbc$", "abbc"));
    CHECK_FALSE(found("^a$", "a\n"));
    CHECK(found("(?m)^b$", "a\nb\nc"));
    CHECK_FALSE(found("a.b", "a\nb"));
    CHECK(found("(?s)a.b", "a\nb"));
    CHECK(found("(?i)größe", "GRÖßE"));
    CHECK(found("^.$", "日"));
    CHECK(found("\\pL{3}", "日本語"));
    CHECK(found("\\bcat\\b", "a cat."));
    CHECK_FALSE(found("\\bcat\\b", "concatenate"));
    CHECK(found("a|", ""));
    CHECK(found("^(a|b)*c$", "ababc"));
    CHECK(found("x{2,3}", "xx"));
    CHECK(found(std::string(100, 'a').c_str(), std::string(1000, 'a')));
    CHECK(found("a\\x00b", std::string_view("a\0b", 3)));
}

TEST_CASE("texts that are no UTF-8 are searched all the same") {
    if (!available()) return;
    CHECK(found("b",
                "\xff"
                "b\xc3"));
    CHECK(found("^a", "a\xff\xff"));
    CHECK_FALSE(found("^.b",
                      "\xff"
                      "b"));
}

TEST_CASE("time does not explode, nor does memory") {
    if (!available()) return;
    const std::string text(100'000, 'a');
    CHECK_FALSE(found("(a*)*b", text));
    CHECK_FALSE(found("(a|aa)+$b", text));
    CHECK(found("(?:a?){30}a{30}", text));
    CHECK_FALSE(found("[ab]*b[ab]{200}", text));  // 2^200 states if they were all made
}

TEST_CASE("faults name what is wrong") {
    if (!available()) return;
    CHECK(regex::regex_fault("a(b") == "expected a regular expression in RE2's syntax: missing ): a(b");
    CHECK(regex::regex_fault("a**") == "expected a regular expression in RE2's syntax: bad repetition operator: **");
    CHECK(regex::regex_fault("(?=a)").find("invalid perl operator") != std::string::npos);
    CHECK(regex::regex_fault("\\1").find("invalid escape sequence") != std::string::npos);
    CHECK(regex::regex_fault("\xff").find("invalid UTF-8") != std::string::npos);
    CHECK(regex::regex_fault("((a{100}){100}){100}").find("expected a") == 0);
    CHECK(regex::regex_fault("(\\pL{500}){2}").find("expected a smaller regular expression") == 0);
}

TEST_CASE("an expression is compiled once while somebody holds it") {
    if (!available()) return;
    const auto a = regex::compile_regex("a+"), again = regex::compile_regex("a+"), b = regex::compile_regex("b+");
    CHECK(a == again);
    CHECK(a != b);
    for (int i = 0; i < 5000; ++i) regex::compile_regex("x" + std::to_string(i));
    CHECK(regex::compile_regex("a+") == a);
}
