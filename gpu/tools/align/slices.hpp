// Deals the columns of a long pair out to several devices. A block of strips needs its left neighbour's edge row by
// row. A device works on as many neighbouring blocks as it holds at once, each from its first row to its last. If each
// device had one contiguous part of the columns, it would wait until the device before it reached its last blocks.
// Instead, the devices take turns: each takes a slice of about as many blocks as it holds. Together they then work on
// the wavefront that one device alone would have, only broader. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sluice::alignment {

struct Slice {
    unsigned device;                    // index among the devices that share the pair
    std::uint32_t first_block, blocks;  // never empty

    bool operator==(const Slice&) const = default;
};

// Returns all blocks in order. Device d holds `capacities[d]` blocks at once, at least 1. Every device has a slice in
// each round, in proportion to its capacity; empty slices are omitted.
std::vector<Slice> deal_slices(std::uint32_t blocks, std::span<const unsigned> capacities);

}  // namespace sluice::alignment
