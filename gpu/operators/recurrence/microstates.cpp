#include "gpu/operators/recurrence/microstates.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "gpu/operators/recurrence/microstate_window.hpp"
#include "gpu/simd/on_threads.hpp"

namespace sluice::recurrence {

namespace portable {

void window_rows(const double* y, const double* x, std::uint32_t size, double epsilon, std::uint32_t* rows) {
    for (std::uint32_t r = 0; r < size; ++r) {
        std::uint32_t bits = 0;
        for (std::uint32_t c = 0; c < size; ++c)
            bits |= static_cast<std::uint32_t>(std::abs(y[r] - x[c]) < epsilon ? 1 : 0) << c;
        rows[r] = bits;
    }
}

}  // namespace portable

#ifdef SLUICE_X86_KERNELS
namespace avx2 {
void window_rows(const double*, const double*, std::uint32_t, double, std::uint32_t*);
}
namespace avx512 {
void window_rows(const double*, const double*, std::uint32_t, double, std::uint32_t*);
}
#endif

WindowRows window_rows(simd::InstructionSet set) { return SLUICE_KERNEL(set, window_rows); }

namespace {

// The sum of (ratio - value) over windows is 0; its spread gives that of the ratio (the delta method). The estimate is
// (min_weight * min + next_weight * next) / (ones_weight * ones).
Estimate ratio(const MicrostateSums::Direction& sums, std::uint64_t windows, double ones_weight, double min_weight,
               double next_weight) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (sums.ones == 0 || windows < 2) return {nan, nan};
    const auto d = [](std::uint64_t x) { return static_cast<double>(x); };
    const double x = ones_weight * d(sums.ones);
    const double value = (min_weight * d(sums.min) + next_weight * d(sums.next)) / x;
    const double c = -value * ones_weight;
    const double squares = c * c * d(sums.ones_ones) + min_weight * min_weight * d(sums.min_min) +
                           next_weight * next_weight * d(sums.next_next) +
                           2 * (c * min_weight * d(sums.ones_min) + c * next_weight * d(sums.ones_next) +
                                min_weight * next_weight * d(sums.min_next));
    const double n = d(windows);
    return {std::clamp(value, 0.0, 1.0), std::sqrt(std::max(0.0, squares) * n / (n - 1)) / x};
}

void add_window(std::uint32_t ones, std::uint32_t min, std::uint32_t next, MicrostateSums::Direction& sums) {
    const auto product = [](std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} * b; };
    sums.ones += ones;
    sums.min += min;
    sums.next += next;
    sums.ones_ones += product(ones, ones);
    sums.ones_min += product(ones, min);
    sums.ones_next += product(ones, next);
    sums.min_min += product(min, min);
    sums.min_next += product(min, next);
    sums.next_next += product(next, next);
}

std::uint32_t count_bits(std::uint32_t bits) { return static_cast<std::uint32_t>(std::popcount(bits)); }

void add_rows(const std::uint32_t* rows, std::uint32_t size, std::uint32_t v_min, MicrostateSums& sums) {
    std::uint32_t ones = 0, min = 0, next = 0;
    for (std::uint32_t r = 0; r < size; ++r) {
        ones += count_bits(rows[r]);
        if (v_min == 0) continue;
        const std::uint32_t stretches = stretches_in_row(rows[r], v_min);
        min += count_bits(stretches);
        next += count_bits(stretches & rows[r] >> v_min);
    }
    add_window(ones, min, next, sums.vertical);
    if (ones == 0) return;
    sums.laminar += v_min == 0 ? 0 : window_laminarity(ones, min, next, v_min);
    ++sums.nonempty;
}

void add_diagonals(std::uint32_t* rows, std::uint32_t size, std::uint32_t l_min, const WindowPlace& place,
                   std::uint32_t theiler, MicrostateSums& sums) {
    std::uint32_t ones = 0, min = 0, next = 0;
    for (std::uint32_t r = 0; r < size; ++r) {
        rows[r] &= outside_theiler(place.row + r, place.column, theiler);
        ones += count_bits(rows[r]);
    }
    for (std::uint32_t length = 1; length < l_min;) {
        const std::uint32_t step = std::min(length, l_min - length);
        for (std::uint32_t r = 0; r < size; ++r) rows[r] &= r + step < size ? rows[r + step] >> step : 0;
        length += step;
    }
    for (std::uint32_t r = 0; r < size; ++r) {
        min += count_bits(rows[r]);
        if (r + 1 < size) next += count_bits(rows[r] & rows[r + 1] >> 1);
    }
    add_window(ones, min, next, sums.diagonal);
}

}  // namespace

MicrostateSums::Direction& MicrostateSums::Direction::operator+=(const Direction& other) {
    for (const auto number :
         {&Direction::ones, &Direction::min, &Direction::next, &Direction::ones_ones, &Direction::ones_min,
          &Direction::ones_next, &Direction::min_min, &Direction::min_next, &Direction::next_next})
        this->*number += other.*number;
    return *this;
}

MicrostateSums& MicrostateSums::operator+=(const MicrostateSums& other) {
    windows += other.windows;
    vertical += other.vertical;
    diagonal += other.diagonal;
    laminar += other.laminar;
    nonempty += other.nonempty;
    return *this;
}

Estimate estimate_recurrence_rate(const MicrostateSums& sums, const MicrostateOptions& options) {
    const double cells = static_cast<double>(options.size) * options.size, n = static_cast<double>(sums.windows);
    if (sums.windows < 2) return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
    const double mean = static_cast<double>(sums.vertical.ones) / n;
    const double variance = (static_cast<double>(sums.vertical.ones_ones) - n * mean * mean) / (n - 1);
    return {mean / cells, std::sqrt(std::max(0.0, variance) / n) / cells};
}

// A row of Q has Q - k + 1 places for a stretch of k, and there are Q rows.
Estimate estimate_laminarity(const MicrostateSums& sums, std::uint32_t v_min, const MicrostateOptions& options) {
    const double q = options.size, v = v_min;
    return ratio(sums.vertical, sums.windows, 1 / q, v / (q - v + 1), -(v - 1) / (q - v));
}

// A window's diagonals have (Q - k + 1)² places for a stretch of k.
Estimate estimate_determinism(const MicrostateSums& sums, std::uint32_t l_min, const MicrostateOptions& options) {
    const double q = options.size, l = l_min, fit = q - l + 1;
    return ratio(sums.diagonal, sums.windows, 1 / (q * q), l / (fit * fit), -(l - 1) / ((q - l) * (q - l)));
}

double froguel_laminarity(const MicrostateSums& sums) {
    if (sums.nonempty == 0) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(sums.laminar) / static_cast<double>(sums.nonempty) * 0x1p-20;
}

void add_microstates(std::span<const double> series, const LineQuestion& question, const MicrostateOptions& options,
                     std::uint64_t first_window, std::uint64_t windows, MicrostateSums& sums) {
    const auto places = static_cast<std::uint32_t>(series.size() - options.size + 1);
    const WindowRows rows_of = window_rows(simd::best_instruction_set());
    for (std::uint64_t w = first_window; w < first_window + windows; ++w) {
        const WindowPlace place = window_place(options.seed, w, places);
        std::uint32_t rows[MicrostateOptions::size_max];
        rows_of(&series[place.row], &series[place.column], options.size, question.epsilon, rows);
        add_rows(rows, options.size, question.v_min, sums);
        if (question.l_min != 0) add_diagonals(rows, options.size, question.l_min, place, options.theiler, sums);
    }
    sums.windows += windows;
}

bool add_microstates_on_threads(std::span<const double> series, const LineQuestion& question,
                                const MicrostateOptions& options, std::uint64_t first_window, std::uint64_t windows,
                                std::size_t threads, const GoOn& go_on, MicrostateSums& sums) {
    if (go_on && !go_on(0)) return false;
    const std::uint64_t pieces = (windows + windows_at_once - 1) / windows_at_once;
    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> stopped{false};
    std::mutex adding;
    simd::on_threads(std::min<std::uint64_t>(threads, pieces), [&](std::size_t thread) {
        MicrostateSums counted;
        for (std::uint64_t p = next++; p < pieces && !stopped; p = next++) {
            const std::uint64_t first = p * windows_at_once;
            add_microstates(series, question, options, first_window + first, std::min(windows_at_once, windows - first),
                            counted);
            if (thread == 0 && go_on && !go_on(static_cast<double>(first) / static_cast<double>(windows)))
                stopped = true;
        }
        const std::lock_guard lock(adding);
        sums += counted;
    });
    return !stopped;
}

}  // namespace sluice::recurrence
