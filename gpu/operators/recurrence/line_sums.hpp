// The few numbers that determine recurrence rate, laminarity and determinism for given shortest lines. They come from
// ANDs of bit rows, without examining single lines. Plain values, usable from any thread.
//
// A stretch of k is a place where k consecutive ones begin: a line of L has L - k + 1 of them. So with s(k) stretches
// there are s(k) - s(k + 1) lines of at least k, with k s(k) - (k - 1) s(k + 1) points.
#pragma once

#include <cstdint>
#include <limits>

namespace sluice::recurrence {

struct Stretches {
    std::uint64_t points = 0;  // stretches of 1
    std::uint64_t min = 0;     // stretches of the shortest line that counts
    std::uint64_t next = 0;    // stretches of one more than that

    std::uint64_t points_in_lines(std::uint64_t shortest) const { return shortest * min - (shortest - 1) * next; }
    double share(std::uint64_t shortest) const {
        return points == 0 ? std::numeric_limits<double>::quiet_NaN()
                           : static_cast<double>(points_in_lines(shortest)) / static_cast<double>(points);
    }

    friend bool operator==(const Stretches&, const Stretches&) = default;
};

struct LineSums {
    std::uint64_t vectors = 0;
    Stretches vertical;  // including the main diagonal
    Stretches diagonal;  // outside the Theiler window

    double recurrence_rate() const {
        return static_cast<double>(vertical.points) / (static_cast<double>(vectors) * static_cast<double>(vectors));
    }

    friend bool operator==(const LineSums&, const LineSums&) = default;
};

// One matrix and the lines to count in it. If a shortest line is 0, that direction is not counted and its `min` and
// `next` are 0.
struct LineQuestion {
    double epsilon = 0;
    std::uint32_t v_min = 2, l_min = 2;
};

// Shortest lines up to this length are counted in bit rows.
constexpr std::uint32_t shortest_line_max = 64;

}  // namespace sluice::recurrence
