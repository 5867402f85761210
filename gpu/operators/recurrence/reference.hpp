// Recurrence quantification in plain loops over the whole matrix, which defines the answers of the fast
// implementations. Pure function, callable from any thread. Time n², memory n.
#pragma once

#include <cstddef>
#include <span>

#include "gpu/operators/recurrence/lines.hpp"

namespace sluice::recurrence {

// Points and lines of the series' recurrence matrix. Distances are computed in doubles, and points recur if their
// distance is strictly less than epsilon, as in PyRQA 8 and Froguel's kernel: if epsilon is 0, negative or NaN, nothing
// recurs. The Theiler window removes the diagonals |i - j| < theiler from the diagonal lines only. A line that reaches
// the border of the matrix (diagonally: also of the Theiler window) counts with its length inside. An empty series has
// no points or lines.
Lines reference_lines(std::span<const double> series, double epsilon, std::size_t theiler = 1);

}  // namespace sluice::recurrence
