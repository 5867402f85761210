// Recurrence measures estimated from microstates (Froguel): Q × Q windows of the recurrence matrix at sampled places,
// for series whose whole matrix would take too long. Deterministic: the same series, question and options give the same
// numbers on every processor, since all sums are integers. Pure functions, callable from any thread.
//
// Froguel's value is the mean of the windows' laminarities, in which a line that leaves the window counts with its
// length inside. This is biased, because the window's border cuts lines (about -2 % at Q = 32 on noise). The estimate
// used here counts stretches of v and v + 1 ones (line_sums.hpp) and divides each count by the number of places where
// such a stretch fits into a window, which avoids this bias. Both values are available.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/operators/recurrence/go_on.hpp"
#include "gpu/operators/recurrence/line_sums.hpp"
#include "gpu/simd/instruction_set.hpp"

namespace sluice::recurrence {

struct MicrostateOptions {
    static constexpr std::uint32_t size_max = 32;

    std::uint32_t size = 32;  // Q; shortest lines are at most Q / 2
    std::uint64_t seed = 1;
    double standard_error = 0.005;  // windows are doubled until the estimates' standard errors are below this
    std::uint64_t windows_first = 8192, windows_max = 1 << 20;
    std::uint32_t theiler = 1;
};

// Sums over windows: stretches of 1, min and next ones in a window's rows and on its diagonals (the latter without the
// Theiler window), and the sums of their products, for the standard error.
struct MicrostateSums {
    struct Direction {
        std::uint64_t ones = 0, min = 0, next = 0;
        std::uint64_t ones_ones = 0, ones_min = 0, ones_next = 0, min_min = 0, min_next = 0, next_next = 0;

        Direction& operator+=(const Direction& other);
        friend bool operator==(const Direction&, const Direction&) = default;
    };

    std::uint64_t windows = 0;
    Direction vertical, diagonal;
    std::uint64_t laminar = 0;   // Froguel's laminarities of the windows that have a point, in units of 2^-20
    std::uint64_t nonempty = 0;  // the number of those windows

    MicrostateSums& operator+=(const MicrostateSums& other);
    friend bool operator==(const MicrostateSums&, const MicrostateSums&) = default;
};

struct Estimate {
    double value = 0;           // NaN if no point was seen
    double standard_error = 0;  // NaN likewise
};

Estimate estimate_recurrence_rate(const MicrostateSums& sums, const MicrostateOptions& options);
Estimate estimate_laminarity(const MicrostateSums& sums, std::uint32_t v_min, const MicrostateOptions& options);
Estimate estimate_determinism(const MicrostateSums& sums, std::uint32_t l_min, const MicrostateOptions& options);
double froguel_laminarity(const MicrostateSums& sums);  // NaN if no point was seen

// The comparisons of one window, compiled for several instruction sets: bit c of rows[r] is |y[r] - x[c]| < epsilon
// for r and c below size (at most 32). Other bits are 0.
using WindowRows = void (*)(const double* y, const double* x, std::uint32_t size, double epsilon, std::uint32_t* rows);
WindowRows window_rows(simd::InstructionSet set);

// Adds windows first_window … first_window + windows - 1 to `sums`. The series has at least options.size points. A
// direction whose shortest line is 0 is left out.
void add_microstates(std::span<const double> series, const LineQuestion& question, const MicrostateOptions& options,
                     std::uint64_t first_window, std::uint64_t windows, MicrostateSums& sums);

// Windows that a thread takes at once: less than a millisecond.
constexpr std::uint64_t windows_at_once = std::uint64_t{1} << 11;

// The same on several threads, with the same sums. `go_on` gets the share of these windows. Returns false if it was
// stopped; the sums are then incomplete.
bool add_microstates_on_threads(std::span<const double> series, const LineQuestion& question,
                                const MicrostateOptions& options, std::uint64_t first_window, std::uint64_t windows,
                                std::size_t threads, const GoOn& go_on, MicrostateSums& sums);

// Takes enough windows for options.standard_error of the estimates in question (the recurrence rate if no line is asked
// for). `add` is any equivalent of add_microstates; if it returns false, it was stopped, and the sums are incomplete.
// The number of windows depends on the question, so equal answers need equal questions.
template <class Add>
MicrostateSums sample_microstates(const LineQuestion& question, const MicrostateOptions& options, Add add) {
    MicrostateSums sums;
    for (std::uint64_t windows = options.windows_first; sums.windows < options.windows_max; windows = sums.windows) {
        const std::uint64_t left = options.windows_max - sums.windows;
        if (!add(sums.windows, windows < left ? windows : left, sums)) break;
        const auto wide = [&](const Estimate& estimate) { return !(estimate.standard_error < options.standard_error); };
        const bool asks_rate = question.v_min == 0 && question.l_min == 0;
        if (!(asks_rate && wide(estimate_recurrence_rate(sums, options))) &&
            !(question.v_min != 0 && wide(estimate_laminarity(sums, question.v_min, options))) &&
            !(question.l_min != 0 && wide(estimate_determinism(sums, question.l_min, options))))
            break;
    }
    return sums;
}

}  // namespace sluice::recurrence
