#include "broker/base/log_writer.hpp"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <unistd.h>

using namespace std::chrono_literals;
using sluice::base::LogWriter;

namespace {

constexpr std::size_t ring_bytes = 64u << 10;

// A pipe of minimal size, and a writer to it.
struct Piped {
    Piped() {
        if (pipe(ends) != 0) throw std::runtime_error("no pipe");
        fcntl(ends[1], F_SETPIPE_SZ, 4096);
        writer.emplace(ends[1], ring_bytes, [](std::uint64_t n) { return std::to_string(n) + " dropped\n"; });
    }
    ~Piped() {
        if (ends[0] != -1) close(ends[0]);
        writer.reset();
        close(ends[1]);
    }
    // Waits for bytes, for a minute at most.
    bool has_come() const {
        pollfd readable{ends[0], POLLIN, 0};
        return poll(&readable, 1, 60'000) == 1;
    }
    // Reads until `end` has arrived, or nothing more does.
    std::string read_until(const std::string& end) {
        std::string text;
        char piece[1000];
        while (text.find(end) == std::string::npos && has_come()) {
            const ssize_t n = read(ends[0], piece, sizeof piece);
            if (n <= 0) break;
            text.append(piece, static_cast<std::size_t>(n));
        }
        return text;
    }

    std::string read_line() {
        std::string line;
        char c = 0;
        while (c != '\n' && has_come() && read(ends[0], &c, 1) == 1) line += c;
        return line;
    }

    int ends[2] = {-1, -1};
    std::optional<LogWriter> writer;
};

std::string numbered(int n) { return "line " + std::to_string(n) + std::string(80, '.') + '\n'; }

}  // namespace

TEST_CASE("lines are written in order, long ones whole") {
    Piped piped;
    const std::string longer = std::string(3 * 4096, 'x') + '\n';
    piped.writer->push("first\n");
    piped.writer->push(longer);
    piped.writer->push("last\n");
    CHECK(piped.read_until("last\n") == "first\n" + longer + "last\n");
    CHECK(piped.writer->flush(60s));
    CHECK(piped.writer->dropped() == 0);
}

TEST_CASE("a pipe that nobody reads blocks nobody: lines are dropped, and counted when it is read again") {
    Piped piped;
    constexpr std::size_t n = 2'000;
    for (std::size_t i = 0; i < n; ++i) piped.writer->push(numbered(static_cast<int>(i)));
    const auto dropped = piped.writer->dropped();
    CHECK(dropped > 0);
    CHECK_FALSE(piped.writer->flush(1ms));
    // Lines that arrive are whole and in order, and the number of lost ones is reported.
    std::size_t come = 0, told = 0;
    int next = 0;
    while (come + told < n) {
        const std::string line = piped.read_line();
        REQUIRE(line.ends_with('\n'));
        if (line.ends_with(" dropped\n")) {
            told += std::stoul(line);
            continue;
        }
        const int number = std::stoi(line.substr(5));
        REQUIRE(line == numbered(number));
        REQUIRE(number >= next);
        next = number + 1;
        ++come;
    }
    CHECK(told == dropped);
    CHECK(piped.writer->flush(60s));
    piped.writer->push("again\n");
    CHECK(piped.read_until("again\n") == "again\n");
    CHECK(piped.writer->dropped() == dropped);
}

TEST_CASE("what can't be written is counted, and stops nothing") {
    Piped piped;
    close(std::exchange(piped.ends[0], -1));  // and no signal for the process
    for (int i = 0; i < 3; ++i) piped.writer->push("lost\n");
    CHECK(piped.writer->flush(60s));
    CHECK(piped.writer->dropped() == 3);
}

TEST_CASE("a writer goes on where others have made its pipe non-blocking") {
    Piped piped;
    fcntl(piped.ends[1], F_SETFL, O_NONBLOCK);
    std::string expected;
    for (int i = 0; i < 500; ++i) {
        piped.writer->push(numbered(i));
        expected += numbered(i);
    }
    piped.writer->push("end\n");
    CHECK(piped.read_until("end\n") == expected + "end\n");
}
