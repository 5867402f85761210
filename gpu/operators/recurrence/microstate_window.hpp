// One microstate, as both processors compute it: its place, and the contents of its rows of bits. Bit c of row r says
// whether point column + c recurs with point row + r; the bits from `size` on are 0.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define SLUICE_BOTH_PROCESSORS __host__ __device__ inline
#else
#define SLUICE_BOTH_PROCESSORS inline
#endif

namespace sluice::recurrence {

struct WindowPlace {
    std::uint32_t row, column;
};

// The place of a window, uniform over all places, by SplitMix64 of the window's number; `places` is points - size + 1.
SLUICE_BOTH_PROCESSORS WindowPlace window_place(std::uint64_t seed, std::uint64_t window, std::uint32_t places) {
    std::uint64_t z = seed + (window + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return {static_cast<std::uint32_t>(((z >> 32) * places) >> 32),
            static_cast<std::uint32_t>(((z & 0xffffffffu) * places) >> 32)};
}

// The bits of a row that are outside the Theiler window: |row - column| >= theiler.
SLUICE_BOTH_PROCESSORS std::uint32_t outside_theiler(std::uint32_t row, std::uint32_t first_column,
                                                     std::uint32_t theiler) {
    const std::int64_t from = static_cast<std::int64_t>(row) - theiler + 1 - first_column;  // first bit inside it
    const std::int64_t to = static_cast<std::int64_t>(row) + theiler - first_column;        // first bit after it
    const std::uint64_t before_to = to <= 0 ? 0 : to >= 32 ? 0xffffffffu : (std::uint64_t{1} << to) - 1;
    const std::uint64_t before_from = from <= 0 ? 0 : from >= 32 ? 0xffffffffu : (std::uint64_t{1} << from) - 1;
    return static_cast<std::uint32_t>(~(before_to & ~before_from));
}

// Sets bit c if `shortest` ones begin there.
SLUICE_BOTH_PROCESSORS std::uint32_t stretches_in_row(std::uint32_t bits, std::uint32_t shortest) {
    for (std::uint32_t length = 1; length < shortest;) {
        const std::uint32_t step = length < shortest - length ? length : shortest - length;
        bits &= bits >> step;
        length += step;
    }
    return bits;
}

// Froguel's laminarity of one window, in units of 2^-20, from its stretches; `ones` must not be 0.
SLUICE_BOTH_PROCESSORS std::uint32_t window_laminarity(std::uint32_t ones, std::uint32_t min, std::uint32_t next,
                                                       std::uint32_t shortest) {
    return ((shortest * min - (shortest - 1) * next) << 20) / ones;
}

}  // namespace sluice::recurrence
