// Where a test's input comes from.
#pragma once

#include <array>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace sluice::cli::test {

// A pipe, into which the test writes what "comes".
class Pipe {
public:
    Pipe() {
        if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    }
    ~Pipe() {
        ::close(ends_[0]);
        end();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }
    // At most 64 KiB wait in it.
    void put(std::string_view text) {
        if (::write(ends_[1], text.data(), text.size()) != static_cast<ssize_t>(text.size()))
            throw std::runtime_error("the pipe is full");
    }
    void end() {
        if (const int writing = std::exchange(ends_[1], -1); writing >= 0) ::close(writing);
    }

private:
    std::array<int, 2> ends_{};
};

// While it lives, standard input is this descriptor, which it closes.
class StandardInput {
public:
    explicit StandardInput(int input) : before_(::dup(STDIN_FILENO)) {
        const bool is_done = ::dup2(input, STDIN_FILENO) == STDIN_FILENO;
        ::close(input);
        if (!is_done) throw std::runtime_error("no standard input");
    }
    ~StandardInput() {
        ::dup2(before_, STDIN_FILENO);
        ::close(before_);
    }
    StandardInput(const StandardInput&) = delete;
    StandardInput& operator=(const StandardInput&) = delete;

private:
    int before_;
};

}  // namespace sluice::cli::test
