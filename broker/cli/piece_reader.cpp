#include "broker/cli/piece_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sluice::cli {

namespace {

constexpr std::size_t bytes_per_read = std::size_t{4} << 20;  // takes much less than 0.1 s
constexpr int wait_ms = 100;

boost::system::error_code error_of_file() { return {errno, boost::system::system_category()}; }

}  // namespace

PieceReader::PieceReader(const std::string& path, std::size_t own_bytes, std::size_t overlap_bytes,
                         std::function<bool()> is_stopped)
    : is_stopped_(std::move(is_stopped)),
      own_bytes_(own_bytes),
      capacity_(own_bytes + overlap_bytes),
      buffer_(new char[capacity_]),
      file_(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) error_ = error_of_file();
}

PieceReader::~PieceReader() {
    if (file_ > STDIN_FILENO) close(file_);
}

std::optional<FilePiece> PieceReader::next() {
    std::memmove(buffer_.get(), buffer_.get() + own_, size_ - own_);
    offset_ += own_;
    size_ -= own_;
    own_ = 0;
    fill();
    if (error_ || size_ == 0 || (size_ < capacity_ && !has_ended_)) return std::nullopt;
    own_ = std::min(own_bytes_, size_);
    return FilePiece{{buffer_.get(), size_}, own_, offset_};
}

// Reads until the buffer is full, or the file ends; less after an error and when stopped.
void PieceReader::fill() {
    while (!error_ && !has_ended_ && size_ < capacity_ && wait_for_input()) {
        const auto size = read(file_, buffer_.get() + size_, std::min(bytes_per_read, capacity_ - size_));
        if (size < 0 && errno != EINTR && errno != EAGAIN) error_ = error_of_file();
        has_ended_ = size == 0;
        if (size > 0) size_ += static_cast<std::size_t>(size);
    }
}

// Returns whether it is time to read, rather than to stop.
bool PieceReader::wait_for_input() const {
    pollfd input{file_, POLLIN, 0};
    while (!(is_stopped_ && is_stopped_())) {
        if (poll(&input, 1, wait_ms) != 0 && input.revents != 0) return true;
    }
    return false;
}

std::optional<std::uint64_t> known_size(const std::string& path) {
    struct stat status {};
    if (path == "-" || stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace sluice::cli
