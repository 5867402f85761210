// A progress bar with the time that is left, for work that takes more than a second. Belongs to one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>

namespace sluice::cli {

// "[#####               ]  25 %, 1 min 12 s left", in less than `columns` characters. `share` of the work, from 0 to 1,
// took this long.
std::string progress_line(double share, std::chrono::duration<double> taken, std::size_t columns);

// "45 s", "1 min 12 s", "3 h 5 min"
std::string duration_in_words(std::chrono::duration<double> duration);

class ProgressBar {
public:
    using Clock = std::chrono::steady_clock;

    // On a terminal with so many columns; 0: not on a terminal, shows nothing. `now` is for tests.
    ProgressBar(std::ostream& out, std::size_t columns, std::function<Clock::time_point()> now = Clock::now);
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    // Redraws the bar, at most ten times a second.
    void show(double share);
    // Erases it: before other output, and at the end.
    void hide();

private:
    std::ostream& out_;
    std::size_t columns_;
    std::function<Clock::time_point()> now_;
    Clock::time_point begin_, next_;
    bool is_shown_ = false;
};

}  // namespace sluice::cli
