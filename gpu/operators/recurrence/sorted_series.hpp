// A sorted series, and the points and vertical lines of its recurrence matrix, which need no matrix. Pure functions and
// plain values, callable from any thread.
//
// Rounded subtraction preserves order, so a row of the matrix is a range of the sorted values. The columns in which
// k rows in succession have points are therefore the intersection of k ranges, which is a range, too. Its size is the
// number of stretches of k that begin in the first of these rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/operators/recurrence/line_sums.hpp"

namespace sluice::recurrence {

// The series has fewer than 2^32 values, all finite. While being sorted, a value takes 24 bytes, or 16 without columns;
// afterwards half of that.
struct SortedSeries {
    explicit SortedSeries(std::span<const double> series, bool with_columns = true);

    std::vector<double> values;         // ascending
    std::vector<std::uint32_t> column;  // column[r]: the index of values[r] in the series
};

// The number of points. Needs no columns. O(n).
std::uint64_t count_points(const SortedSeries& sorted, double epsilon);

// Row i has points at the sorted values first[i] … end[i] - 1.
struct Ranges {
    std::vector<std::uint32_t> first, end;
    std::vector<std::uint32_t> ending;  // scratch space of find_ranges
};

// Replaces `ranges` by those of epsilon, and returns the number of points. O(n).
std::uint64_t find_ranges(const SortedSeries& sorted, double epsilon, Ranges& ranges);

// Counts stretches of v_min and of one more in the matrix's columns; v_min is at least 1. O(n log v_min). Overwrites
// `ranges`.
void count_vertical(Ranges& ranges, std::uint32_t v_min, Stretches& vertical);

}  // namespace sluice::recurrence
