#include "broker/cli/workbench/piece_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "broker/cli/common/fasta.hpp"

namespace sluice::cli {

namespace {

constexpr std::size_t bytes_per_read = std::size_t{4} << 20;  // takes much less than 0.1 s
constexpr std::size_t raw_bytes = std::size_t{1} << 20;
constexpr int wait_ms = 100;

boost::system::error_code error_of_file() { return {errno, boost::system::system_category()}; }

}  // namespace

PieceReader::PieceReader(const std::string& path, std::size_t own_bytes, std::size_t overlap_bytes,
                         std::function<bool()> is_stopped, FileKind kind)
    : is_stopped_(std::move(is_stopped)),
      own_bytes_(own_bytes),
      capacity_(own_bytes + overlap_bytes),
      buffer_(new char[capacity_]),
      file_(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      is_detected_(kind == FileKind::plain || has_fasta_name(path)) {
    if (kind == FileKind::detect && is_detected_) fasta_.emplace();
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
    if (!is_detected_) detect();
    fasta_ ? fill_joined() : fill();
    const bool is_whole = size_ == capacity_ || has_ended_ || ends_at_record_;
    if (error_ || size_ == 0 || !is_whole || (fasta_ && !fasta_->error().empty())) return std::nullopt;
    own_ = std::min(own_bytes_, size_);
    return FilePiece{{buffer_.get(), size_}, own_, offset_};
}

// Reads until the buffer is full, or the file ends; less after an error and when stopped.
void PieceReader::fill() {
    while (!has_ended_ && size_ < capacity_) {
        const std::size_t size = read_some(buffer_.get() + size_, capacity_ - size_);
        if (size == 0 && !has_ended_) return;
        size_ += size;
    }
}

// Reads as much as tells whether the file is FASTA.
void PieceReader::detect() {
    std::optional<bool> is_fasta;
    while (!(is_fasta = text::begins_like_fasta({buffer_.get(), size_})) && size_ < capacity_ && !has_ended_) {
        const std::size_t size = read_some(buffer_.get() + size_, capacity_ - size_);
        if (size == 0 && !has_ended_) return;
        size_ += size;
    }
    is_detected_ = true;
    if (!is_fasta.value_or(false)) return;
    fasta_.emplace();
    raw_.assign(buffer_.get(), size_);
    size_ = 0;
    fasta_->give(raw_, has_ended_);
}

void PieceReader::fill_joined() {
    ends_at_record_ = false;
    fasta_->forget_before(offset_);
    while (size_ < capacity_ && !ends_at_record_ && fasta_->error().empty()) {
        const std::size_t size = fasta_->take(buffer_.get() + size_, capacity_ - size_);
        size_ += size;
        ends_at_record_ = fasta_->stopped_at_record() && size_ > 0;
        if (size > 0 || fasta_->stopped_at_record()) continue;
        if (has_ended_) return;
        raw_.resize(raw_bytes);
        const std::size_t raw = read_some(raw_.data(), raw_.size());
        if (raw == 0 && !has_ended_) return;
        raw_.resize(raw);
        fasta_->give(raw_, has_ended_);
    }
}

// Returns how many bytes came; 0 at the end, after an error and when stopped.
std::size_t PieceReader::read_some(char* to, std::size_t room) {
    while (!error_ && wait_for_input()) {
        const auto size = read(file_, to, std::min(bytes_per_read, room));
        if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (size < 0) error_ = error_of_file();
        has_ended_ = size == 0;
        if (size > 0) bytes_read_ += static_cast<std::uint64_t>(size);
        return static_cast<std::size_t>(std::max<ssize_t>(size, 0));
    }
    return 0;
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
