// The few numbers that decide recurrence rate, laminarity and determinism for given shortest lines. They come from ANDs
// of bit rows, without looking at single lines. Plain values; any thread.
//
// A stretch of k is a place where k ones follow each other: a line of L has L - k + 1 of them. So with s(k) stretches
// there are s(k) - s(k + 1) lines of at least k, and k s(k) - (k - 1) s(k + 1) points in them.
#pragma once

#include <cstdint>
#include <limits>

namespace sluice::recurrence {

struct Stretches {
    std::uint64_t points = 0;  // stretches of 1
    std::uint64_t min = 0;     // of the shortest line that counts
    std::uint64_t next = 0;    // of one more than that

    std::uint64_t lines() const { return min - next; }
    std::uint64_t points_in_lines(std::uint64_t shortest) const { return shortest * min - (shortest - 1) * next; }
    double share(std::uint64_t shortest) const {
        return points == 0 ? std::numeric_limits<double>::quiet_NaN()
                           : static_cast<double>(points_in_lines(shortest)) / static_cast<double>(points);
    }

    friend bool operator==(const Stretches&, const Stretches&) = default;
};

struct LineSums {
    std::uint64_t vectors = 0;
    Stretches vertical;  // the main diagonal counted
    Stretches diagonal;  // outside the Theiler window

    double recurrence_rate() const {
        return static_cast<double>(vertical.points) / (static_cast<double>(vectors) * static_cast<double>(vectors));
    }

    friend bool operator==(const LineSums&, const LineSums&) = default;
};

// One matrix and what is asked of it. A shortest line of 0: that direction is not asked for, its `min` and `next` are
// 0.
struct LineQuestion {
    double epsilon = 0;
    std::uint32_t v_min = 2, l_min = 2;
};

// Shortest lines up to this are counted in bit rows.
constexpr std::uint32_t shortest_line_max = 64;

}  // namespace sluice::recurrence
