#include "broker/cli/common/line_source.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

using sluice::cli::LineSource;

namespace {

// A pipe, into which the test writes what "comes".
class Pipe {
public:
    Pipe() { REQUIRE(::pipe2(ends_.data(), O_CLOEXEC) == 0); }
    ~Pipe() {
        ::close(ends_[0]);
        end();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }
    void put(std::string_view text) {
        REQUIRE(::write(ends_[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
    void end() {
        if (const int writing = std::exchange(ends_[1], -1); writing >= 0) ::close(writing);
    }

private:
    std::array<int, 2> ends_{};
};

// "-": nothing has come; ".": the end.
std::string read(LineSource& source, std::size_t bytes = 100) {
    std::string room(bytes, '\0');
    const auto got = source.read(room.data(), room.size());
    if (!got) return "-";
    return *got == 0 ? "." : room.substr(0, *got);
}

}  // namespace

TEST_CASE("whole lines are read as they come") {
    Pipe pipe;
    auto opened = LineSource::open(pipe.path());
    REQUIRE(opened.has_value());
    LineSource source = std::move(*opened);
    CHECK(read(source) == "-");
    pipe.put("ab");
    CHECK(read(source) == "-");
    pipe.put("c\nd\ne");
    CHECK(read(source, 3) == "abc");
    CHECK(read(source) == "\nd\n");
    CHECK(read(source) == "-");
    pipe.end();
    CHECK(read(source) == "e");
    CHECK(read(source) == ".");
    CHECK(source.failure().empty());
}

TEST_CASE("what has been read can be read again, until it is forgotten") {
    Pipe pipe;
    pipe.put("first\nsecond\n");
    pipe.end();
    auto opened = LineSource::open(pipe.path());
    REQUIRE(opened.has_value());
    LineSource source = std::move(*opened);
    CHECK(source.first_line() == "first\n");
    CHECK(read(source, 8) == "first\nse");
    CHECK(source.rewind());
    CHECK(read(source, 6) == "first\n");
    source.forget();
    CHECK_FALSE(source.rewind());
    CHECK(source.read_all() == "second\n");
    CHECK(read(source) == ".");
}

TEST_CASE("a very long line is not waited for") {
    Pipe pipe;
    auto opened = LineSource::open(pipe.path());
    REQUIRE(opened.has_value());
    LineSource source = std::move(*opened);
    const std::string piece(50'000, 'x');
    std::size_t read_bytes = 0;
    for (int i = 0; i < 30 && read_bytes == 0; ++i) {
        pipe.put(piece);
        const std::string got = read(source, 2'000'000);
        if (got != "-") read_bytes = got.size();
    }
    CHECK(read_bytes >= 1u << 20);
}

TEST_CASE("a file that can't be read is told") {
    CHECK_FALSE(LineSource::open("/nowhere/log.ndjson").has_value());
    auto folder = LineSource::open("/");
    REQUIRE(folder.has_value());
    LineSource source = std::move(*folder);
    CHECK(source.first_line().empty());
    CHECK(source.failure() == "Is a directory");
}
