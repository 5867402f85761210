#include "broker/cli/common/secret_input.hpp"

#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <string_view>
#include <termios.h>
#include <unistd.h>

namespace sluice::cli {

namespace {

constexpr std::size_t secret_bytes_max = 4096;
constexpr char interrupt_key = '\x03', end_key = '\x04', erase_key = '\x7F', backspace = '\b', kill_key = '\x15';

// A terminal that hands over each byte and shows none, until this ends.
class SilentTerminal {
public:
    SilentTerminal() : terminal_(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)) {
        if (terminal_ < 0 || tcgetattr(terminal_, &before_) != 0) return;
        termios silent = before_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | ISIG);  // ISIG: or Ctrl-C would leave it silent
        silent.c_cc[VMIN] = 1;
        silent.c_cc[VTIME] = 0;
        is_silent_ = tcsetattr(terminal_, TCSAFLUSH, &silent) == 0;
    }
    ~SilentTerminal() {
        if (is_silent_) tcsetattr(terminal_, TCSAFLUSH, &before_);
        if (terminal_ >= 0) close(terminal_);
    }
    SilentTerminal(const SilentTerminal&) = delete;
    SilentTerminal& operator=(const SilentTerminal&) = delete;

    bool is_ready() const { return is_silent_; }

    void print(std::string_view text) const {
        if (write(terminal_, text.data(), text.size()) < 0) return;  // the prompt is a courtesy
    }

    bool get(char& key) const { return read(terminal_, &key, 1) == 1; }

private:
    int terminal_;
    termios before_{};
    bool is_silent_ = false;
};

// The line that is typed, and in `last` the key that ends it.
std::string typed_line(const SilentTerminal& terminal, char& last) {
    std::string line;
    while (terminal.get(last)) {
        if (last == '\n' || last == '\r' || last == interrupt_key) return line;
        if (last == end_key && line.empty()) return line;
        if (last == kill_key) line.clear();
        if (last == erase_key || last == backspace) {
            // All bytes of a character.
            while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0xC0) == 0x80) line.pop_back();
            if (!line.empty()) line.pop_back();
        } else if (last != kill_key && last != end_key && line.size() < secret_bytes_max) {
            line += last;
        }
    }
    last = end_key;
    return line;
}

}  // namespace

std::optional<std::string> ask_secret(const std::string& prompt) {
    char last = end_key;
    std::string line;
    {
        const SilentTerminal terminal;
        if (!terminal.is_ready()) return std::nullopt;
        terminal.print(prompt);
        line = typed_line(terminal, last);
        terminal.print("\n");
    }
    if (last == interrupt_key) static_cast<void>(raise(SIGINT));
    if (last == interrupt_key || last == end_key) return std::nullopt;
    return line;
}

}  // namespace sluice::cli
