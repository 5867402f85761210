// The tiles of a wavefront: their shape, and how many of them were pruned. Plain values; no CUDA.
#pragma once

#include <cstdint>

namespace sluice::alignment {

// Rows and columns of the tile that a lane computes in a step.
struct TileShape {
    unsigned rows = 0, columns = 0;  // 0: automatic

    bool operator==(const TileShape&) const = default;
};

struct PruneStatistics {
    std::uint64_t tiles = 0, pruned_left = 0, pruned_right = 0;  // below and above the main diagonal
    double pruned_share() const {
        return tiles == 0 ? 0 : static_cast<double>(pruned_left + pruned_right) / static_cast<double>(tiles);
    }
};

}  // namespace sluice::alignment
