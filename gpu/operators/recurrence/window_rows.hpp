// The comparisons of one microstate, for the best instruction set that the processor has. Pure functions; any thread.
#pragma once

#include <cstdint>

namespace sluice::recurrence {

// Bit c of rows[r] is |y[r] - x[c]| < epsilon, for r and c below size (at most 32); other bits are 0.
using WindowRows = void (*)(const double* y, const double* x, std::uint32_t size, double epsilon, std::uint32_t* rows);

WindowRows portable_window_rows();
WindowRows best_window_rows();

}  // namespace sluice::recurrence
