#include "broker/base/log_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <exception>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "broker/base/thread_name.hpp"

namespace sluice::base {

namespace {

constexpr std::size_t piece_bytes_max = PIPE_BUF;  // writes of at most this size to a shared pipe are atomic

std::uint64_t lines_in(std::string_view text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

// Returns false if writing fails.
bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written >= 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) {  // another process sharing the descriptor made it non-blocking
            pollfd writable{descriptor, POLLOUT, 0};
            ::poll(&writable, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

}  // namespace

LogWriter::LogWriter(int descriptor, std::size_t bytes_max, Notice notice)
    : descriptor_(descriptor), notice_(std::move(notice)), ring_(bytes_max) {
    // This thread must not receive signals, even if they are not blocked yet.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        thread_ = std::thread([this] { run(); });
    } catch (...) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LogWriter::~LogWriter() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void LogWriter::push(std::string_view line) noexcept {
    {
        const std::lock_guard lock(mutex_);
        if (!put(line)) ++dropped_;
    }
    changed_.notify_one();
}

bool LogWriter::flush(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return idle_.wait_for(lock, patience, [this] { return size_ == 0 && !writing_; });
}

std::uint64_t LogWriter::dropped() const {
    const std::lock_guard lock(mutex_);
    return dropped_;
}

// Stores the whole line, or returns false if there is no room for it.
bool LogWriter::put(std::string_view line) {
    if (line.size() > ring_.size() - size_) return false;
    const std::size_t end = (begin_ + size_) % ring_.size();
    const std::size_t first = std::min(line.size(), ring_.size() - end);
    line.copy(ring_.data() + end, first);
    line.substr(first).copy(ring_.data(), line.size() - first);
    size_ += line.size();
    return true;
}

// Takes whole lines, unless one is longer than a piece.
std::string_view LogWriter::take(char* piece) {
    std::size_t n = std::min(size_, piece_bytes_max);
    for (std::size_t i = 0; i < n; ++i) piece[i] = ring_[(begin_ + i) % ring_.size()];
    const std::size_t newline = std::string_view(piece, n).rfind('\n');
    if (newline != std::string_view::npos) n = newline + 1;
    begin_ = (begin_ + n) % ring_.size();
    size_ -= n;
    return {piece, n};
}

void LogWriter::run() {
    name_thread("sluiced log");
    char buffer[piece_bytes_max];
    std::unique_lock lock(mutex_);
    for (;;) {
        writing_ = false;
        if (size_ == 0) idle_.notify_all();
        changed_.wait(lock, [this] { return stopping_ || size_ != 0; });
        if (size_ == 0) return;
        writing_ = true;
        const std::string_view piece = take(buffer);
        lock.unlock();
        const bool is_written = write_all(descriptor_, piece);
        // Only after a success: if writing fails, so does the notice.
        if (is_written) tell_dropped();
        lock.lock();
        if (!is_written) dropped_ += lines_in(piece);
    }
}

void LogWriter::tell_dropped() {
    std::uint64_t lines = 0;
    {
        const std::lock_guard lock(mutex_);
        lines = dropped_ - told_;
    }
    if (lines == 0) return;
    try {
        const std::string line = notice_(lines);
        const std::lock_guard lock(mutex_);
        if (put(line)) told_ += lines;
    } catch (const std::exception&) {
        // Out of memory: retried after the next piece.
    }
}

}  // namespace sluice::base
