// Recurrence quantification in plain loops over the whole matrix: it defines the answers that the fast ways give.
// Pure function; any thread. Time n², memory n.
#pragma once

#include <span>

#include "gpu/operators/recurrence/embedding.hpp"
#include "gpu/operators/recurrence/lines.hpp"

namespace sluice::recurrence {

// Is the distance of vectors i and j less than epsilon? Computed in doubles. Strictly less, as in PyRQA 8 and in
// Froguel's kernel: with epsilon 0, below it, or NaN, nothing recurs.
bool recurs(std::span<const double> series, std::size_t i, std::size_t j, double epsilon, const Embedding& embedding);

// Points and lines of the series' recurrence matrix. A line that reaches the border of the matrix (diagonally: of the
// Theiler window, too) counts with its length inside. An empty series has no vectors, points or lines.
Lines reference_lines(std::span<const double> series, double epsilon, const Embedding& embedding = {});

}  // namespace sluice::recurrence
