#include "gpu/tools/recurrence/plot.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "gpu/simd/on_threads.hpp"

namespace sluice::recurrence {
namespace {

// The values of each pixel, ascending.
std::vector<std::vector<double>> sorted_pixels(std::span<const double> series, std::size_t side) {
    std::vector<std::vector<double>> pixels(side);
    for (std::size_t p = 0; p < side; ++p) {
        const std::size_t begin = p * series.size() / side, all = (p + 1) * series.size() / side - begin;
        const std::size_t count = std::min(all, plotted_values_max);
        for (std::size_t k = 0; k < count; ++k) pixels[p].push_back(series[begin + k * all / count]);
        std::sort(pixels[p].begin(), pixels[p].end());
    }
    return pixels;
}

// The share of pairs of two ascending lists that are nearer than epsilon. Rounding preserves order, so the partners of
// each value are a range, whose ends move up.
float share_of_pairs(const std::vector<double>& rows, const std::vector<double>& columns, double epsilon) {
    std::size_t first = 0, end = 0;
    std::uint64_t points = 0;
    for (const double x : rows) {
        while (end < columns.size() && columns[end] - x < epsilon) ++end;
        while (first < end && x - columns[first] >= epsilon) ++first;
        points += end - first;
    }
    return static_cast<float>(static_cast<double>(points) /
                              (static_cast<double>(rows.size()) * static_cast<double>(columns.size())));
}

}  // namespace

Plot plot(std::span<const double> series, double epsilon, std::size_t side_max, std::size_t threads,
          const GoOn& go_on) {
    Plot made;
    made.side = std::min(series.size(), side_max);
    made.shares.resize(made.side * made.side);
    if (!(epsilon > 0)) return made;
    const auto pixels = sorted_pixels(series, made.side);
    const bool is_complete = simd::run_tasks(made.side, threads, go_on, [&](std::size_t row, const std::atomic<bool>&) {
        for (std::size_t column = 0; column <= row; ++column) {
            const float share = share_of_pairs(pixels[row], pixels[column], epsilon);
            made.shares[row * made.side + column] = made.shares[column * made.side + row] = share;
        }
    });
    return is_complete ? made : Plot{};
}

}  // namespace sluice::recurrence
