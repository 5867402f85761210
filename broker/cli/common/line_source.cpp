#include "broker/cli/common/line_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace sluice::cli {

namespace {

constexpr std::size_t fill_bytes = 64u << 10;
constexpr std::size_t line_bytes_max = 1u << 20;  // longer ones are not waited for
constexpr std::size_t kept_bytes_max = 1u << 20;

}  // namespace

boost::system::result<LineSource> LineSource::open(const std::string& path) {
    const int descriptor = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return boost::system::error_code(errno, boost::system::system_category());
    return LineSource(descriptor);
}

LineSource::LineSource(LineSource&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      text_(std::move(other.text_)),
      begin_(other.begin_),
      kept_(std::move(other.kept_)),
      keeps_(other.keeps_),
      has_ended_(other.has_ended_),
      failure_(std::move(other.failure_)) {}

LineSource::~LineSource() {
    if (descriptor_ >= 0 && descriptor_ != STDIN_FILENO) ::close(descriptor_);
}

std::string_view LineSource::first_line() {
    while (!has_ended_ && unread().size() < line_bytes_max && unread().find('\n') == std::string_view::npos) fill();
    const std::string_view text = unread();
    const std::size_t end = text.find('\n');
    return end == std::string_view::npos ? text : text.substr(0, end + 1);
}

// Of what has not been read.
std::size_t LineSource::whole_bytes() const {
    const std::string_view text = unread();
    if (has_ended_) return text.size();
    const std::size_t end = text.rfind('\n');
    if (end != std::string_view::npos) return end + 1;
    return text.size() < line_bytes_max ? 0 : text.size();
}

bool LineSource::is_ready() const {
    pollfd state{descriptor_, POLLIN, 0};
    return ::poll(&state, 1, 0) > 0;
}

// Waits until something has come.
void LineSource::fill() {
    text_.erase(0, std::exchange(begin_, 0));
    const std::size_t before = text_.size();
    text_.resize(before + fill_bytes);
    ssize_t read = -1;
    do {
        read = ::read(descriptor_, text_.data() + before, fill_bytes);
    } while (read < 0 && errno == EINTR);
    if (read < 0) failure_ = std::strerror(errno);
    text_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(read, 0)));
    has_ended_ = read <= 0;
}

std::optional<std::size_t> LineSource::read(char* room, std::size_t bytes) {
    while (whole_bytes() == 0) {
        if (has_ended_) return 0;
        if (!is_ready()) return std::nullopt;
        fill();
    }
    const std::string_view text = unread().substr(0, std::min(bytes, whole_bytes()));
    std::copy(text.begin(), text.end(), room);
    if (keeps_ && kept_.size() + text.size() <= kept_bytes_max)
        kept_.append(text);
    else
        forget();
    begin_ += text.size();
    return text.size();
}

std::string LineSource::read_all() {
    while (!has_ended_) fill();
    text_.erase(0, std::exchange(begin_, 0));
    return std::exchange(text_, {});
}

bool LineSource::rewind() {
    if (!keeps_) return false;
    text_ = std::exchange(kept_, {}).append(unread());
    begin_ = 0;
    return true;
}

void LineSource::forget() {
    keeps_ = false;
    std::string().swap(kept_);
}

}  // namespace sluice::cli
