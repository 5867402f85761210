#include "broker/cli/common/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

namespace sluice::cli {

namespace {

constexpr std::chrono::seconds quiet_start{1};
constexpr std::chrono::milliseconds between_drawings{100};

}  // namespace

std::string duration_in_words(std::chrono::duration<double> duration) {
    constexpr double seconds_max = 1e9;
    const auto seconds = static_cast<long>(std::lround(std::clamp(duration.count(), 0.0, seconds_max)));
    if (seconds < 60) return std::to_string(seconds) + " s";
    if (seconds < 3600) return std::to_string(seconds / 60) + " min " + std::to_string(seconds % 60) + " s";
    return std::to_string(seconds / 3600) + " h " + std::to_string(seconds / 60 % 60) + " min";
}

std::string progress_line(double share, std::chrono::duration<double> taken, std::size_t columns) {
    constexpr std::size_t width_max = 40, width_of_text = 32;  // "[] 100 %, 999 h 59 min left"
    share = std::clamp(share, 0.0, 1.0);
    const std::size_t width = std::min(width_max, std::max(columns, width_of_text) - width_of_text);
    const auto full = static_cast<std::size_t>(share * static_cast<double>(width));
    char percent[16];
    std::snprintf(percent, sizeof percent, "%3.0f %%", std::floor(100 * share));
    std::string line = "[" + std::string(full, '#') + std::string(width - full, ' ') + "] " + percent;
    if (share > 0) line += ", " + duration_in_words(taken * ((1 - share) / share)) + " left";
    return line;
}

ProgressBar::ProgressBar(std::ostream& out, std::size_t columns, std::function<Clock::time_point()> now)
    : out_(out), columns_(columns), now_(std::move(now)), begin_(now_()), next_(begin_ + quiet_start) {}

ProgressBar::~ProgressBar() { hide(); }

void ProgressBar::show(double share) {
    if (columns_ == 0) return;
    const auto now = now_();
    if (now < next_) return;
    next_ = now + between_drawings;
    is_shown_ = true;
    out_ << "\r\x1B[K" << progress_line(share, now - begin_, columns_) << std::flush;
}

void ProgressBar::hide() {
    if (!is_shown_) return;
    out_ << "\r\x1B[K" << std::flush;
    is_shown_ = false;
}

}  // namespace sluice::cli
