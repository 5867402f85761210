// What the kernel of TwoWayAligner reports. Plain values; no CUDA.
#pragma once

#include <cstdint>

namespace sluice::alignment {

// The best score that one of a pair's warps found: where it ends or begins, or a point where the two directions meet,
// in the coordinates of the finder.
struct TwoWayFound {
    std::int32_t score;
    std::uint32_t row, column;
    std::int32_t rest;     // of the score: the part after the meeting point
    std::uint32_t in_gap;  // 1: the meeting point is within a gap
};

}  // namespace sluice::alignment
