#include "broker/cli/workbench/input_file.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "broker/cli/common/input.hpp"

namespace sluice::cli {

namespace {

constexpr std::size_t bytes_per_read = std::size_t{4} << 20;  // takes much less than 0.1 s
constexpr std::size_t stored_bytes = std::size_t{256} << 10;
constexpr std::size_t magic_bytes = 2;
constexpr int wait_ms = 100;
constexpr const char* bad_gzip = "it is not complete and valid gzip";

std::optional<std::uint64_t> size_of_regular(const struct stat& status) {
    if (!S_ISREG(status.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
}

std::string last_error() { return std::generic_category().message(errno); }

}  // namespace

InputFile::InputFile(const std::string& path, std::function<bool()> is_stopped)
    : is_stopped_(std::move(is_stopped)), file_(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) error_ = last_error();
}

InputFile::~InputFile() {
    if (file_ > STDIN_FILENO) close(file_);
}

std::size_t InputFile::read(char* to, std::size_t room) {
    if (!is_detected_) detect_gzip();
    if (!is_detected_) return 0;
    const std::size_t size = gunzip_ ? read_gzip(to, room) : read_plain(to, room);
    has_ended_ = size == 0 && is_stored_read_ && error_.empty();
    return size;
}

std::size_t InputFile::read_fully(char* to, std::size_t room) {
    std::size_t size = 0;
    while (size < room) {
        const std::size_t n = read(to + size, room - size);
        if (n == 0) break;
        size += n;
    }
    return size;
}

// Reads as much as tells whether the file is gzip.
void InputFile::detect_gzip() {
    stored_.resize(magic_bytes);
    while (stored_begin_ < magic_bytes) {
        const std::size_t size = read_stored(stored_.data() + stored_begin_, magic_bytes - stored_begin_);
        if (size == 0 && !is_stored_read_) return;  // stopped, or an error
        if (size == 0) break;
        stored_begin_ += size;
    }
    stored_.resize(stored_begin_);
    stored_begin_ = 0;
    is_detected_ = true;
    if (cli::is_gzip(stored_)) gunzip_.emplace().put(std::exchange(stored_, {}));
}

std::size_t InputFile::read_plain(char* to, std::size_t room) {
    if (stored_begin_ == stored_.size()) return read_stored(to, room);
    const std::size_t size = stored_.copy(to, room, stored_begin_);
    stored_begin_ += size;
    return size;
}

// Returns how many bytes came; 0 at the end, after an error and when stopped.
std::size_t InputFile::read_stored(char* to, std::size_t room) {
    while (error_.empty() && !is_stored_read_ && wait_for_input()) {
        const auto size = ::read(file_, to, std::min(bytes_per_read, room));
        if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (size < 0) error_ = last_error();
        is_stored_read_ = size == 0;
        if (size > 0) stored_bytes_read_ += static_cast<std::uint64_t>(size);
        return static_cast<std::size_t>(std::max<ssize_t>(size, 0));
    }
    return 0;
}

// Returns whether it is time to read, rather than to stop.
bool InputFile::wait_for_input() const {
    pollfd input{file_, POLLIN, 0};
    while (!(is_stopped_ && is_stopped_())) {
        if (poll(&input, 1, wait_ms) != 0 && input.revents != 0) return true;
    }
    return false;
}

std::size_t InputFile::read_gzip(char* to, std::size_t room) {
    room = std::min(room, bytes_per_read);
    while (error_.empty()) {
        if (!gunzip_->has_more()) {
            std::string more(stored_bytes, '\0');
            more.resize(read_stored(more.data(), more.size()));
            if (more.empty() && is_stored_read_ && !gunzip_->is_complete()) error_ = bad_gzip;
            if (more.empty()) return 0;
            gunzip_->put(more);
        }
        const std::optional<std::size_t> size = gunzip_->take(to, room);
        if (!size) error_ = bad_gzip;
        if (size.value_or(0) > 0) return *size;
    }
    return 0;
}

std::optional<std::uint64_t> InputFile::stored_size() const {
    struct stat status {};
    return fstat(file_, &status) == 0 ? size_of_regular(status) : std::nullopt;
}

std::optional<std::uint64_t> stored_size(const std::string& path) {
    struct stat status {};
    return path != "-" && stat(path.c_str(), &status) == 0 ? size_of_regular(status) : std::nullopt;
}

WholeFile read_whole_file(const std::string& path, std::size_t bytes_max) {
    WholeFile whole;
    try {
        InputFile file(path);
        std::string piece(std::size_t{64} << 10, '\0');
        while (const std::size_t size = file.read(piece.data(), piece.size())) {
            whole.bytes.append(piece, 0, size);
            const std::size_t limit = file.is_gzip() ? std::min(bytes_max, whole_gzip_bytes_max) : bytes_max;
            if (whole.bytes.size() > limit)
                return {"", "it has more than " + std::to_string(limit) + " bytes" +
                                (file.is_gzip() ? " when decompressed" : "")};
        }
        whole.error = file.error();
    } catch (const std::bad_alloc&) {
        return {"", std::generic_category().message(ENOMEM)};
    }
    return whole;
}

}  // namespace sluice::cli
