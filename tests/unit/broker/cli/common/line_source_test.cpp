#include "broker/cli/common/line_source.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <termios.h>
#include <unistd.h>
#include <utility>

#include "tests/support/gzip.hpp"
#include "tests/unit/broker/cli/pipe.hpp"

using sluice::cli::LineSource;
using sluice::cli::test::Pipe;
using sluice::cli::test::StandardInput;
using sluice::testing::gzip;

namespace {

constexpr std::size_t every_byte = 1u << 30;

LineSource open_lines(const std::string& path, std::size_t bytes_max = 1u << 30) {
    auto opened = LineSource::open(path, bytes_max);
    REQUIRE(opened.has_value());
    return std::move(*opened);
}

// "-": it has not come whole; ".": the end.
std::string next_of(LineSource& source) {
    const auto line = source.next_line();
    if (!line) return "-";
    return line->empty() ? "." : *line;
}

// A terminal on which somebody has typed, and which is gone: after the text, reading it fails.
int lost_terminal(std::string_view text) {
    const int ours = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(ours >= 0);
    REQUIRE((::grantpt(ours) == 0 && ::unlockpt(ours) == 0));
    const int theirs = ::open(::ptsname(ours), O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(theirs >= 0);
    termios plain{};
    REQUIRE(::tcgetattr(theirs, &plain) == 0);
    ::cfmakeraw(&plain);
    REQUIRE(::tcsetattr(theirs, TCSANOW, &plain) == 0);
    REQUIRE(::write(theirs, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    ::close(theirs);
    return ours;
}

}  // namespace

TEST_CASE("whole lines are taken as they come") {
    Pipe pipe;
    LineSource source = open_lines(pipe.path());
    CHECK(next_of(source) == "-");
    CHECK_FALSE(source.is_ready());
    pipe.put("ab");
    CHECK(source.is_ready());
    CHECK(next_of(source) == "-");
    CHECK_FALSE(source.is_ready());
    pipe.put("c\n\nd\r\ne");
    CHECK(next_of(source) == "abc\n");
    CHECK(source.is_ready());
    CHECK(source.first_line() == "\n");
    CHECK(next_of(source) == "\n");
    CHECK(next_of(source) == "d\r\n");
    CHECK(next_of(source) == "-");
    pipe.end();
    CHECK(next_of(source) == "e");
    CHECK(next_of(source) == ".");
    CHECK(next_of(source) == ".");
    CHECK(source.is_ready());
    CHECK(source.failure().empty());
}

TEST_CASE("what follows the first line can be taken line by line or at once") {
    for (const bool by_line : {true, false}) {
        Pipe pipe;
        pipe.put("first\nsecond\nthird");
        pipe.end();
        LineSource source = open_lines(pipe.path());
        CHECK(source.first_line() == "first\n");
        if (by_line) CHECK(next_of(source) == "first\n");
        CHECK(source.read(every_byte) == (by_line ? "second\nthird" : "first\nsecond\nthird"));
        CHECK(next_of(source) == ".");
    }
}

TEST_CASE("lines that are longer than what is read at a time are whole") {
    Pipe pipe;
    LineSource source = open_lines(pipe.path());
    const std::string piece(50'000, 'x');
    std::string line;
    for (int i = 0; i < 30; ++i) {
        pipe.put(piece);
        line += piece;
        CHECK(next_of(source) == "-");
    }
    pipe.put("\nnext\n");
    CHECK(next_of(source) == line + "\n");
    CHECK(next_of(source) == "next\n");
}

TEST_CASE("whether a source has one line shows at its end") {
    struct Case {
        std::string_view text;
        bool has_one;
    };
    for (const auto& [text, has_one] :
         {Case{"one\n", true}, Case{"one", true}, Case{"\n", true}, Case{"", false}, Case{"one\ntwo", false}}) {
        Pipe pipe;
        LineSource source = open_lines(pipe.path());
        pipe.put(text);
        CHECK_FALSE(source.has_one_line());
        pipe.end();
        CHECK(source.has_one_line() == has_one);
        CHECK(source.read(every_byte) == text);
    }
}

TEST_CASE("LineSource: bytes are taken up to a number, and whether there are more is known") {
    Pipe pipe;
    pipe.put("12345");
    LineSource source = open_lines(pipe.path());
    CHECK(source.read(3) == "123");
    CHECK(source.has_more());
    pipe.end();
    CHECK(source.read(2) == "45");
    CHECK_FALSE(source.has_more());
    LineSource endless = open_lines("/dev/zero");
    CHECK(endless.read(3u << 20) == std::string(3u << 20, '\0'));
    CHECK(endless.has_more());
}

TEST_CASE("LineSource: gzip → its lines as they come, of each member, without the padding behind the last") {
    const std::string member = gzip("one\ntwo\n");
    Pipe pipe;
    LineSource source = open_lines(pipe.path());
    pipe.put(member.substr(0, 1));
    pipe.put(member.substr(1) + gzip("\n" + std::string(200'000, 'x') + "\nlast"));
    CHECK(source.first_line() == "one\n");
    CHECK(next_of(source) == "one\n");
    CHECK(next_of(source) == "two\n");
    CHECK(next_of(source) == "\n");
    CHECK(next_of(source) == std::string(200'000, 'x') + "\n");
    pipe.put(std::string(5, '\0'));
    pipe.end();
    CHECK(next_of(source) == "last");
    CHECK(next_of(source) == ".");
    CHECK(source.failure().empty());
}

TEST_CASE("LineSource: gzip that is cut off, or followed by something else → the lines before, and the fault") {
    const std::string packed = gzip("one\ntwo\nthr");
    for (const std::string& bytes : {packed.substr(0, packed.size() - 4), packed + "x", std::string("\x1F\x8B no")}) {
        Pipe pipe;
        pipe.put(bytes);
        pipe.end();
        LineSource source = open_lines(pipe.path());
        const std::string whole_lines = source.read(every_byte);
        CHECK((whole_lines == "one\ntwo\n" || whole_lines.empty()));
        CHECK(source.failure() == "it is not complete and valid gzip");
    }
    Pipe pipe;
    pipe.put(packed);
    pipe.end();
    auto kept = LineSource::open(pipe.path(), 100, LineSource::Gzip::kept);
    REQUIRE(kept.has_value());
    CHECK(kept->read(every_byte) == packed);
}

TEST_CASE("LineSource: a byte order mark → no part of the first line, but of the text") {
    for (const bool is_packed : {false, true}) {
        const std::string text = "\xEF\xBB\xBF{}\n\xEF\xBB\xBF\n";
        Pipe pipe;
        pipe.put(is_packed ? gzip(text) : text);
        pipe.end();
        LineSource source = open_lines(pipe.path());
        CHECK(source.first_line() == "{}\n");
        if (is_packed) {
            CHECK(next_of(source) == "{}\n");
            CHECK(next_of(source) == "\xEF\xBB\xBF\n");
        } else {
            CHECK(source.read(every_byte) == text);
        }
    }
}

TEST_CASE("a long first line is not waited for") {
    LineSource source = open_lines("/dev/zero");
    CHECK(source.first_line() == std::string(1u << 20, '\0'));
}

TEST_CASE("a text without an end is given up at the limit") {
    LineSource line = open_lines("/dev/zero", 3u << 20);
    CHECK(next_of(line) == ".");
    CHECK(line.is_too_large());
    CHECK(line.failure() == "line 1 is larger than 3145728 bytes");
}

TEST_CASE("the limit is that of a line, and lines before one that is too long are taken") {
    Pipe pipe;
    pipe.put("12345\n123456\n1234567\n8\n");
    LineSource source = open_lines(pipe.path(), 7);
    CHECK(next_of(source) == "12345\n");
    CHECK(next_of(source) == "123456\n");
    CHECK(next_of(source) == ".");
    CHECK(source.failure() == "line 3 is larger than 7 bytes");
}

TEST_CASE("a file that can't be read is told") {
    CHECK_FALSE(LineSource::open("/nowhere/log.ndjson", 100).has_value());
    LineSource source = open_lines("/");
    CHECK(source.first_line().empty());
    CHECK(source.failure() == "Is a directory");
    CHECK_FALSE(source.is_too_large());
}

TEST_CASE("a line that was not whole when reading failed is left out") {
    const StandardInput input(lost_terminal("one\ntwo\nthr"));
    LineSource source = open_lines("-");
    CHECK(next_of(source) == "one\n");
    CHECK(next_of(source) == "two\n");
    CHECK(next_of(source) == ".");
    CHECK(source.failure() == "Input/output error");
}
