#include "broker/cli/top_screen.hpp"

#include <algorithm>
#include <ostream>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "broker/cli/common/interrupt.hpp"
#include "broker/cli/top_table.hpp"

namespace sluice::cli {

namespace {

// The alternate screen, without a cursor, and without continuing lines that are too long.
constexpr const char* enter = "\033[?1049h\033[?25l\033[?7l";
constexpr const char* leave = "\033[?7h\033[?25h\033[?1049l";
constexpr std::chrono::milliseconds turn_max{100};  // after which the size and signals are looked at

}  // namespace

TopScreen::TopScreen(std::ostream& out) : out_(out) {
    // Ctrl-C becomes a key: a signal might end the process without leaving the screen.
    has_keys_ = tcgetattr(STDIN_FILENO, &before_) == 0;
    if (has_keys_) {
        termios raw = before_;
        raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
        raw.c_cc[VMIN] = 0;
        raw.c_cc[VTIME] = 0;
        has_keys_ = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
    }
    measure();
    out_ << enter << std::flush;
}

TopScreen::~TopScreen() {
    out_ << leave << std::flush;
    if (has_keys_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

bool TopScreen::measure() {
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return false;
    const bool has_changed = size.ws_row != rows_ || size.ws_col != columns_;
    rows_ = size.ws_row;
    columns_ = size.ws_col;
    return has_changed;
}

void TopScreen::show(const std::vector<std::string>& lines) {
    std::string page = "\033[H";
    for (std::size_t i = 0; i < std::min(lines.size(), rows_); ++i) {
        if (i != 0) page += "\r\n";
        page += first_columns(lines[i], columns_) + "\033[K";
    }
    out_ << page << "\033[J" << std::flush;
}

TopScreen::Key TopScreen::read_key() {
    char key = 0;
    const ssize_t got = read(STDIN_FILENO, &key, 1);
    if (got <= 0) {  // the terminal is gone
        has_keys_ = false;
        return Key::interrupt;
    }
    if (key == 'q' || key == 'Q') return Key::quit;
    return key == '\x03' ? Key::interrupt : Key::none;
}

TopScreen::Key TopScreen::wait(std::chrono::milliseconds at_most) {
    const auto end = std::chrono::steady_clock::now() + at_most;
    for (;;) {
        if (Interrupt::requested()) return Key::interrupt;
        if (measure()) return Key::resized;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        const auto turn = static_cast<int>(std::clamp(left, std::chrono::milliseconds(0), turn_max).count());
        pollfd input{has_keys_ ? STDIN_FILENO : -1, POLLIN, 0};
        if (poll(&input, 1, turn) > 0) {
            const Key key = read_key();
            if (key != Key::none) return key;
        }
        if (left.count() <= 0) return Key::none;
    }
}

}  // namespace sluice::cli
