#include "config/config_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sluice::config {

namespace {

using Clock = std::chrono::steady_clock;

struct Descriptor {
    explicit Descriptor(int opened) : number(opened) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
    const int number;
};

std::string unreadable() { return std::string("cannot be read: ") + std::strerror(errno); }

bool is_null_device(const struct stat& file) {
    struct stat null {};
    return S_ISCHR(file.st_mode) && ::stat("/dev/null", &null) == 0 && null.st_rdev == file.st_rdev;
}

// Empty: it can be read.
std::string refusal_of(const struct stat& file) {
    if (S_ISREG(file.st_mode) || S_ISFIFO(file.st_mode) || is_null_device(file)) return "";
    if (S_ISDIR(file.st_mode)) return "is a directory";
    if (S_ISSOCK(file.st_mode)) return "is a socket; expected a file or a pipe";
    return "is a device; expected a file or a pipe";
}

// Waits until the pipe has bytes or no writer any more. Returns false if neither happens in time.
bool wait_for(const Descriptor& pipe, Clock::time_point until) {
    pollfd state{pipe.number, POLLIN, 0};
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
        const int ready = ::poll(&state, 1, std::max(0, static_cast<int>(left.count())));
        if (ready != -1 || errno != EINTR) return ready > 0;
    }
}

FileText read_all(const Descriptor& file, bool is_pipe, std::chrono::milliseconds patience,
                  std::size_t file_bytes_max) {
    const auto until = Clock::now() + patience;
    FileText read;
    while (read.text.size() < file_bytes_max) {
        char piece[65'536];
        const ssize_t n = ::read(file.number, piece, std::min(sizeof piece, file_bytes_max - read.text.size()));
        if (n > 0) {
            read.text.append(piece, static_cast<std::size_t>(n));
        } else if (n == 0) {
            if (is_pipe && read.text.empty()) read.error = "is a pipe to which no program writes";
            return read;
        } else if (errno == EAGAIN) {
            if (wait_for(file, until)) continue;
            read.error = "is a pipe that does not end: its writer must close it within " +
                         std::to_string(patience.count()) + " ms";
            return read;
        } else if (errno != EINTR) {
            read.error = unreadable();
            return read;
        }
    }
    return read;
}

}  // namespace

FileText read_config_file(const std::filesystem::path& path, std::chrono::milliseconds patience,
                          std::size_t bytes_max) {
    struct stat found {};
    // Looked at before it is opened: opening some devices has effects.
    if (::stat(path.c_str(), &found) != 0) return {"", unreadable()};
    if (auto refusal = refusal_of(found); !refusal.empty()) return {"", std::move(refusal)};
    // Without O_NONBLOCK, opening a FIFO waits for a writer.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (file.number < 0 || ::fstat(file.number, &found) != 0) return {"", unreadable()};
    if (auto refusal = refusal_of(found); !refusal.empty()) return {"", std::move(refusal)};  // it was replaced
    return read_all(file, S_ISFIFO(found.st_mode), patience, bytes_max + 1);
}

}  // namespace sluice::config
