// The counts of recurrence quantification, and the measures computed from them. Plain values, usable from any thread.
//
// The recurrence matrix of a series x is R[i][j] = |x_i - x_j| < epsilon. Measures are those of Marwan et al. (Physics
// Reports 438, 2007) as PyRQA 8 computes them:
//   recurrence rate = points / n², including the main diagonal;
//   laminarity      = the share of points in vertical lines of at least v_min, including the main diagonal;
//   determinism     = the share of points outside the Theiler window in diagonal lines of at least l_min.
// A share without a base (no value, no point) is NaN, as in PyRQA. A minimum of 0 means 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::recurrence {

// Lines of one direction by length: count[k] is the number of lines of length k; count[0] is unused.
struct LineLengths {
    std::vector<std::uint64_t> count;

    void add(std::size_t length);

    std::uint64_t points(std::size_t min) const;  // in lines of at least min
    double share(std::size_t min) const;          // points(min) / points(1); NaN without points

    friend bool operator==(const LineLengths&, const LineLengths&) = default;
};

struct Lines {
    std::uint64_t vectors = 0;  // n: rows and columns of the matrix, one for each value
    std::uint64_t points = 0;   // ones in the matrix
    LineLengths diagonal, vertical;

    double recurrence_rate() const;
    double determinism(std::size_t l_min = 2) const { return diagonal.share(l_min); }
    double laminarity(std::size_t v_min = 2) const { return vertical.share(v_min); }

    friend bool operator==(const Lines&, const Lines&) = default;
};

}  // namespace sluice::recurrence
