// What recurrence quantification counts, and the measures made of it. Plain values; any thread.
//
// The recurrence matrix of a series x is R[i][j] = |v_i - v_j| < epsilon over its vectors v (embedding.hpp). Measures
// are those of Marwan et al. (Physics Reports 438, 2007) as PyRQA 8 computes them:
//   recurrence rate = points / n², the main diagonal counted;
//   laminarity      = the share of points in vertical lines of at least v_min, the main diagonal counted;
//   determinism     = the share of points outside the Theiler window in diagonal lines of at least l_min.
// A share of nothing (no vector, no point) is NaN, as in PyRQA. A minimum of 0 means 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::recurrence {

// Lines of one direction by length: count[k] lines of length k; count[0] is not used.
struct LineLengths {
    std::vector<std::uint64_t> count;

    void add(std::size_t length);

    std::uint64_t lines(std::size_t min) const;   // of at least min
    std::uint64_t points(std::size_t min) const;  // in them
    double share(std::size_t min) const;          // points(min) / points(1); NaN without points
    double mean(std::size_t min) const;           // points(min) / lines(min); NaN without lines
    std::size_t longest() const;                  // 0 without lines
    double entropy(std::size_t min) const;        // Shannon, natural logarithm, over the lengths; 0 without lines

    friend bool operator==(const LineLengths&, const LineLengths&) = default;
};

struct Lines {
    std::uint64_t vectors = 0;  // n: rows and columns of the matrix
    std::uint64_t points = 0;   // ones in it
    LineLengths diagonal, vertical, white_vertical;

    double recurrence_rate() const;
    double determinism(std::size_t l_min = 2) const { return diagonal.share(l_min); }
    double laminarity(std::size_t v_min = 2) const { return vertical.share(v_min); }
    double trapping_time(std::size_t v_min = 2) const { return vertical.mean(v_min); }
    double divergence() const { return 1.0 / static_cast<double>(diagonal.longest()); }

    friend bool operator==(const Lines&, const Lines&) = default;
};

}  // namespace sluice::recurrence
