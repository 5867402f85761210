// Series for the tests of recurrence quantification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace sluice::recurrence {

// numpy.random.default_rng(1).random(n): PCG64 (XSL-RR 128/64), started from the state that numpy derives of seed 1.
inline std::vector<double> numpy_series(std::size_t n) {
    __extension__ using Wide = unsigned __int128;
    const auto wide = [](std::uint64_t high, std::uint64_t low) { return Wide{high} << 64 | low; };
    const Wide multiplier = wide(0x2360ED051FC65DA4, 0x4385DF649FCCF645);
    const Wide increment = wide(10532497697318238357u, 11644153290110833531u);
    Wide state = wide(11266678384032970092u, 3057519113565879422u);
    std::vector<double> series(n);
    for (double& x : series) {
        state = state * multiplier + increment;
        const auto word = static_cast<std::uint64_t>(state >> 64) ^ static_cast<std::uint64_t>(state);
        const auto turn = static_cast<unsigned>(state >> 122);
        const std::uint64_t bits = word >> turn | word << (-turn & 63);
        x = static_cast<double>(bits >> 11) * 0x1p-53;
    }
    return series;
}

enum class Shape : std::uint8_t { noise, few_values, walk, constant, huge };

// Deterministic by seed, the same with every standard library.
inline std::vector<double> series_of(Shape shape, std::size_t n, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<double> series(n);
    double level = 0;
    for (double& x : series) {
        const double unit = static_cast<double>(random()) * 0x1p-32;
        level += unit - 0.5;
        switch (shape) {
            case Shape::noise:
                x = unit;
                break;
            case Shape::few_values:
                x = static_cast<double>(random() % 5) * 0.25;
                break;
            case Shape::walk:
                x = level;
                break;
            case Shape::constant:
                x = 42;
                break;
            case Shape::huge:
                x = (unit - 0.5) * 0x1.fp1023 * 2;
                break;
        }
    }
    return series;
}

}  // namespace sluice::recurrence
