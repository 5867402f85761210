#include "protocol/text/terminal.hpp"

#include <catch2/catch.hpp>

using sluice::text::terminal_json;
using sluice::text::terminal_line;
using sluice::text::terminal_lines;

TEST_CASE("a line for a terminal has no commands to it, and no other lines") {
    CHECK(terminal_line("a é \xF0\x9F\x98\x80") == "a é \xF0\x9F\x98\x80");
    CHECK(terminal_line("a\tb\r\nc") == "a b  c");
    CHECK(terminal_line("\x1B]0;owned\x07\x7F") == "�]0;owned��");
    CHECK(terminal_line("\xC2\x9B"
                        "2J\xE2\x80\xA8x") == "�2J�x");
    CHECK(terminal_line("\xFFx") == "�x");
}

TEST_CASE("text for a terminal can't be reordered by what it contains") {
    CHECK(terminal_line("a\u202Eb\u202Cc\u2067d\u2069") == "a�b�c�d�");
    CHECK(terminal_line("\u05E9\u05DC\u05D5\u05DD\u200F 1") == "\u05E9\u05DC\u05D5\u05DD\u200F 1");
}

TEST_CASE("lines for a terminal keep their ends and tabs only") {
    CHECK(terminal_lines("a\tb\n  ^\n") == "a\tb\n  ^\n");
    CHECK(terminal_lines("a\r\x1B[2Jb\n") == "a��[2Jb\n");
}

TEST_CASE("JSON for a terminal means what it meant") {
    CHECK(terminal_json("{\"a\":\"\xC2\x9B"
                        "2J\u202E\x7Fé\"}\n") == "{\"a\":\"\\u009b2J\\u202e\\u007fé\"}\n");
    CHECK(terminal_json("\"\u061C\u200E\u200F\u2028\u2066\u2069\"") == R"("\u061c\u200e\u200f\u2028\u2066\u2069")");
    CHECK(terminal_json("{\r\n\t\"a\": 1}") == "{ \n\t\"a\": 1}");
}
