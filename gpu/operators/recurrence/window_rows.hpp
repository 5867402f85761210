// The comparisons of one microstate. Compiled for several instruction sets. Pure functions, callable from any thread.
#pragma once

#include <cstdint>

#include "gpu/simd/instruction_set.hpp"

namespace sluice::recurrence {

// Bit c of rows[r] is |y[r] - x[c]| < epsilon, for r and c below size (at most 32); other bits are 0.
using WindowRows = void (*)(const double* y, const double* x, std::uint32_t size, double epsilon, std::uint32_t* rows);

WindowRows window_rows(simd::InstructionSet set);

}  // namespace sluice::recurrence
