#include "broker/cli/sent_lines.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tests/unit/broker/cli/pipe.hpp"

using sluice::cli::LineSource;
using sluice::cli::SentLine;
using sluice::cli::SentLines;
using sluice::cli::test::Pipe;

namespace {

// Lines that come through a pipe.
struct Sending {
    Pipe pipe;
    LineSource source;
    bool stops = false;
    SentLines lines;

    Sending() : source(LineSource::open(pipe.path(), 4u << 20).value()), lines(source, [this] { return stops; }) {}

    // "-": nothing has come; ".": the end.
    std::string read(std::size_t bytes = 100'000) {
        std::string room(bytes, '\0');
        const auto got = lines.read(room.data(), room.size());
        if (!got) return "-";
        return *got == 0 ? "." : room.substr(0, *got);
    }

    // "LINE TEXT", or "" if the broker can't have meant that.
    std::string answered(std::uint64_t number) { return shown(lines.take_answered(number)); }

    static std::string shown(const std::optional<SentLine>& line) {
        return line ? std::to_string(line->line) + " " + line->text : "";
    }
};

std::string line_of(std::size_t n) { return "{\"n\":" + std::to_string(n) + "}\n"; }

}  // namespace

TEST_CASE("lines are numbered as the broker does, and kept until they are answered") {
    Sending sending;
    CHECK(sending.read() == "-");
    sending.pipe.put("a\n \r\n\nb\nc");
    CHECK(sending.read() == "a\n \r\n\nb\n");
    CHECK(sending.read() == "-");
    CHECK(sending.lines.first_unanswered()->line == 1);
    CHECK(sending.answered(2).empty());
    CHECK(sending.answered(1) == "1 a\n");
    CHECK(sending.answered(1).empty());
    CHECK(sending.answered(2) == "4 b\n");
    CHECK(sending.answered(3).empty());  // it has not been sent
    CHECK(sending.lines.first_unanswered() == nullptr);
    sending.pipe.end();
    CHECK(sending.lines.is_ready());
    CHECK(sending.read() == "c");
    CHECK(sending.read() == ".");
    CHECK(sending.answered(3) == "5 c");
}

TEST_CASE("a line that is sent in parts is answered after the last one") {
    Sending sending;
    sending.pipe.put("abcdef\ng\n");
    CHECK(sending.read(4) == "abcd");
    CHECK(sending.lines.is_within_line());
    CHECK(sending.answered(1).empty());
    CHECK(sending.read(4) == "ef\ng");
    CHECK(sending.answered(1) == "1 abcdef\n");
    CHECK(sending.answered(2).empty());
    CHECK(sending.read(4) == "\n");
    CHECK_FALSE(sending.lines.is_within_line());
    CHECK(sending.answered(2) == "2 g\n");
}

TEST_CASE("no more lines are taken than are kept") {
    Sending sending;
    std::string text;
    for (std::size_t n = 1; n <= SentLines::lines_max + 2; ++n) text += line_of(n);
    sending.pipe.put(text);
    std::string sent;
    for (std::string part; (part = sending.read(1'000)) != "-";) sent += part;
    CHECK(static_cast<std::size_t>(std::count(sent.begin(), sent.end(), '\n')) == SentLines::lines_max);
    CHECK_FALSE(sending.lines.is_ready());
    CHECK(sending.lines.descriptor() == -1);  // only a reply can help
    CHECK(sending.answered(1) == "1 " + line_of(1));
    CHECK(sending.lines.is_ready());
    CHECK(sending.lines.descriptor() == sending.source.descriptor());
    CHECK(sending.read() == line_of(SentLines::lines_max + 1));
    CHECK(sending.read() == "-");
    CHECK(sending.answered(2) == "2 " + line_of(2));
    CHECK(sending.read() == line_of(SentLines::lines_max + 2));
    CHECK(text == sent + line_of(SentLines::lines_max + 1) + line_of(SentLines::lines_max + 2));
}

TEST_CASE("no more bytes are taken than are kept, but for one line") {
    Sending sending;
    const std::string piece(60'000, 'x');
    std::size_t sent = 0;
    for (int i = 0; i < 40; ++i) {
        sending.pipe.put(piece);
        CHECK(sending.read() == "-");
    }
    sending.pipe.put("\ny\n");
    for (std::string part; (part = sending.read()) != "-";) sent += part.size();
    CHECK(sent == 40 * piece.size() + 1);
    CHECK(sent > SentLines::bytes_max);
    CHECK(sending.answered(1).size() == sent + 2);
    CHECK(sending.read() == "y\n");
}

TEST_CASE("after a last line without an end, however long, the body ends") {
    Sending sending;
    sending.pipe.put("a\n");
    CHECK(sending.read() == "a\n");
    const std::string piece(60'000, 'x');
    std::size_t put = 0;
    for (; put < SentLines::bytes_max; put += piece.size()) {
        sending.pipe.put(piece);
        CHECK(sending.read() == "-");
    }
    sending.pipe.end();
    std::size_t sent = 0;
    while (sent < put) {
        REQUIRE(sending.lines.is_ready());
        const std::string part = sending.read();
        REQUIRE(part != "-");
        sent += part.size();
    }
    CHECK(sent == put);
    CHECK(sending.lines.is_ready());  // without an answer, which comes only after the end
    CHECK(sending.read() == ".");
    CHECK(sending.answered(1) == "1 a\n");
    CHECK(sending.answered(2).size() == put + 2);
}

TEST_CASE("what was refused for now comes before other lines") {
    Sending sending;
    sending.pipe.put("a\nb\n");
    CHECK(sending.read() == "a\nb\n");
    sending.lines.keep_refused(*sending.lines.take_answered(1));
    sending.lines.keep_refused(*sending.lines.take_answered(2));
    sending.pipe.put("c\n");
    CHECK(sending.lines.is_ready());
    CHECK(sending.read() == "-");
    CHECK(Sending::shown(sending.lines.take_refused()) == "1 a\n");
    CHECK(sending.read() == "-");
    CHECK(Sending::shown(sending.lines.take_refused()) == "2 b\n");
    CHECK(Sending::shown(sending.lines.take_refused()).empty());
    CHECK(sending.read() == "c\n");
    CHECK(sending.answered(3) == "3 c\n");
}

TEST_CASE("a body of which the broker has taken nothing begins again with the first line") {
    Sending sending;
    sending.pipe.put("a\nbcd\n");
    CHECK(sending.read(4) == "a\nbc");
    sending.lines.begin_again();
    CHECK(sending.answered(1).empty());
    CHECK(sending.lines.is_ready());
    CHECK(sending.read() == "a\nbcd\n");
    sending.pipe.put("e\n");
    sending.pipe.end();
    CHECK(sending.read() == "e\n");
    CHECK(sending.read() == ".");
    sending.lines.begin_again();
    CHECK(sending.read() == "a\nbcd\ne\n");
    CHECK(sending.read() == ".");
    for (const unsigned number : {1u, 2u, 3u}) CHECK_FALSE(sending.answered(number).empty());
}

TEST_CASE("when it is to stop, the line that has begun is sent to its end") {
    Sending sending;
    sending.pipe.put("abc\ndef\n");
    CHECK(sending.read(2) == "ab");
    sending.stops = true;
    CHECK(sending.lines.is_ready());
    CHECK(sending.read() == "c\n");
    CHECK(sending.read() == ".");
    CHECK(sending.answered(1) == "1 abc\n");
    CHECK(sending.lines.first_unanswered() == nullptr);
}

TEST_CASE("the only line of a source can be taken without being sent") {
    Sending sending;
    CHECK_FALSE(sending.lines.take_only_line().has_value());
    sending.pipe.put("a\n");
    CHECK_FALSE(sending.lines.take_only_line().has_value());  // more may come
    sending.pipe.end();
    const auto line = sending.lines.take_only_line();
    REQUIRE(line.has_value());
    CHECK(line->number == 1);
    CHECK(Sending::shown(line) == "1 a\n");
    CHECK(sending.read() == ".");
    Sending two, blank;
    two.pipe.put("a\nb\n");
    two.pipe.end();
    CHECK_FALSE(two.lines.take_only_line().has_value());
    CHECK(two.read() == "a\nb\n");
    blank.pipe.put(" \n");
    blank.pipe.end();
    CHECK_FALSE(blank.lines.take_only_line().has_value());
    CHECK(blank.read() == " \n");
    CHECK(blank.read() == ".");
}
