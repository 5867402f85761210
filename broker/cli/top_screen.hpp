// A terminal that shows one page at a time: on the alternate screen, so that what was there before comes back, and with
// keys that are read at once. One at a time; belongs to one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <termios.h>
#include <vector>

namespace sluice::cli {

class TopScreen {
public:
    enum class Key { none, quit, interrupt, resized };

    explicit TopScreen(std::ostream& out);
    ~TopScreen();
    TopScreen(const TopScreen&) = delete;
    TopScreen& operator=(const TopScreen&) = delete;

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }

    // Shows these lines, from the top; those that do not fit are cut off.
    void show(const std::vector<std::string>& lines);
    // Waits for a key or another size, at most so long. `quit`: q; `interrupt`: Ctrl-C, or a signal that Interrupt has
    // noted.
    Key wait(std::chrono::milliseconds at_most);

private:
    bool measure();  // whether the size has changed
    Key read_key();

    std::ostream& out_;
    std::size_t rows_ = 24, columns_ = 80;
    bool has_keys_ = false;  // standard input is a terminal
    termios before_{};
};

}  // namespace sluice::cli
