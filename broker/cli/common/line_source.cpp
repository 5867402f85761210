#include "broker/cli/common/line_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "broker/cli/common/input.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::cli {

namespace {

constexpr std::size_t fill_bytes = 64u << 10;
constexpr std::size_t gzip_mark_bytes = 2;
constexpr std::size_t first_line_bytes_max = 1u << 20;  // a longer one is not waited for

}  // namespace

boost::system::result<LineSource> LineSource::open(const std::string& path, std::size_t bytes_max, Gzip gzip) {
    const int descriptor = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return boost::system::error_code(errno, boost::system::system_category());
    return LineSource(descriptor, bytes_max, gzip);
}

LineSource::LineSource(LineSource&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      bytes_max_(other.bytes_max_),
      gzip_(other.gzip_),
      gunzip_(std::move(other.gunzip_)),
      text_(std::move(other.text_)),
      begin_(other.begin_),
      searched_(other.searched_),
      lines_(other.lines_),
      has_begun_(other.has_begun_),
      has_ended_(other.has_ended_),
      is_too_large_(other.is_too_large_),
      failure_(std::move(other.failure_)) {}

LineSource::~LineSource() {
    if (descriptor_ >= 0 && descriptor_ != STDIN_FILENO) ::close(descriptor_);
}

std::string_view LineSource::first_line() {
    while (!line_end() && unread().size() < first_line_bytes_max) fill();
    const std::optional<std::size_t> end = line_end();
    const std::string_view line = end ? std::string_view(text_).substr(begin_, *end - begin_) : unread();
    return text::without_byte_order_mark(line);
}

std::optional<std::string> LineSource::next_line() {
    for (;;) {
        const std::optional<std::size_t> end = line_end();
        const std::size_t bytes = end ? *end - begin_ : unread().size();
        if (bytes > bytes_max_) {
            refuse_size("line " + std::to_string(lines_ + 1));
        } else if (end) {
            std::string line = text_.substr(begin_, bytes);
            begin_ = searched_ = *end;
            if (lines_ == 0) line = text::without_byte_order_mark(line);
            if (!line.empty()) ++lines_;
            return line;
        } else if (has_come()) {
            fill();
        } else {
            return std::nullopt;
        }
    }
}

bool LineSource::is_ready() { return line_end().has_value() || has_come(); }

bool LineSource::has_one_line() {
    const auto is_one = [this] { return line_end().value_or(text_.size()) == text_.size(); };
    while (!has_ended_ && is_one() && unread().size() <= bytes_max_ && has_come()) fill();
    return has_ended_ && failure_.empty() && !unread().empty() && is_one();
}

std::string LineSource::read(std::size_t bytes) {
    while (!has_ended_ && unread().size() < bytes) fill();
    std::string taken;
    if (begin_ == 0 && text_.size() <= bytes) {
        taken.swap(text_);
        searched_ = 0;
    } else {
        taken = unread().substr(0, bytes);
        begin_ += taken.size();
        searched_ = std::max(searched_, begin_);
    }
    while (!has_ended_ && unread().empty()) fill();
    return taken;
}

// One past the end of the next line; none: it has not come whole.
std::optional<std::size_t> LineSource::line_end() {
    searched_ = text_.find('\n', searched_);
    if (searched_ != std::string::npos) return searched_ + 1;
    searched_ = text_.size();
    if (!has_ended_) return std::nullopt;
    return text_.size();
}

// Whether reading would not wait.
bool LineSource::has_come() const {
    if (gunzip_ && gunzip_->has_more()) return true;
    pollfd state{descriptor_, POLLIN, 0};
    return ::poll(&state, 1, 0) > 0;
}

// Waits until something has come.
void LineSource::fill() {
    text_.erase(0, begin_);
    searched_ -= begin_;
    begin_ = 0;
    try {
        if (gunzip_)
            unpack_piece();
        else if (has_begun_ || gzip_ == Gzip::kept)
            read_piece(text_);
        else
            begin();
    } catch (const std::bad_alloc&) {
        fail(std::strerror(ENOMEM), end_of_whole_lines());
    }
}

// The first bytes tell whether it is compressed.
void LineSource::begin() {
    do read_piece(text_);
    while (!has_ended_ && text_.size() < gzip_mark_bytes && is_gzip(text_ + "\x8B"));
    has_begun_ = true;
    if (!is_gzip(text_)) return;
    gunzip_.emplace().put(std::exchange(text_, {}));
    if (!has_ended_) unpack_piece();
}

void LineSource::unpack_piece() {
    bool is_valid = true;
    if (!gunzip_->has_more()) {
        std::string piece;
        read_piece(piece);
        gunzip_->put(piece);
        is_valid = !has_ended_ || !failure_.empty() || gunzip_->is_complete();
    }
    if (!is_valid || !gunzip_->take(text_, fill_bytes)) fail("it is not complete and valid gzip", end_of_whole_lines());
}

// Appends what has come to `to`, after waiting for it.
void LineSource::read_piece(std::string& to) {
    const std::size_t before = to.size();
    to.resize(before + fill_bytes);
    ssize_t read = -1;
    do {
        read = ::read(descriptor_, to.data() + before, fill_bytes);
    } while (read < 0 && errno == EINTR);
    const int error = errno;
    to.resize(before + static_cast<std::size_t>(std::max<ssize_t>(read, 0)));
    if (read < 0) return fail(std::strerror(error), end_of_whole_lines());
    has_ended_ = read == 0;
}

// What comes after `end` is left out.
void LineSource::fail(std::string why, std::size_t end) {
    failure_ = std::move(why);
    has_ended_ = true;
    text_.resize(end);
    searched_ = std::min(searched_, end);
}

void LineSource::refuse_size(const std::string& what) {
    is_too_large_ = true;
    fail(what + " is larger than " + std::to_string(bytes_max_) + " bytes", begin_);
}

// In what has not been taken.
std::size_t LineSource::end_of_whole_lines() const {
    const std::size_t last = unread().rfind('\n');
    return last == std::string_view::npos ? begin_ : begin_ + last + 1;
}

}  // namespace sluice::cli
