// The recurrence plot of a series: its matrix, as shares of recurrent points. Pure function; any thread; with `threads`
// above one, starts additional threads for the duration of the call.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gpu/operators/recurrence/go_on.hpp"

namespace sluice::recurrence {

// A pixel stands for a rectangle of cells. If it is larger than this many rows or columns, its share is that of so many
// evenly spaced ones.
constexpr std::size_t plotted_values_max = 1024;

struct Plot {
    std::size_t side = 0;
    std::vector<float> shares;  // from 0 to 1, row by row; symmetric

    float at(std::size_t row, std::size_t column) const { return shares[row * side + column]; }
};

// A plot of min(series.size(), side_max) pixels each way; pixel p stands for the values from p * n / side on. Empty if
// `go_on` stopped it.
Plot plot(std::span<const double> series, double epsilon, std::size_t side_max, std::size_t threads = 1,
          const GoOn& go_on = {});

}  // namespace sluice::recurrence
