// How the columns of a long pair are dealt out to several devices. A block of strips needs its left neighbour's edge
// row by row, and a device works on as many neighbouring blocks as it holds at once, each from its first row to its
// last. So if every device had one part of the columns, it would wait until the one before it is at its last blocks.
// Instead each takes a slice of about as many blocks as it holds, then the next device takes the next one, and so on in
// turn: the devices together work on the wavefront that one alone would have, only broader. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sluice::alignment {

struct Slice {
    unsigned device;                    // index among those that share the pair
    std::uint32_t first_block, blocks;  // never empty

    bool operator==(const Slice&) const = default;
};

// All blocks in order; `capacities[d]` blocks are what device d holds at once, at least 1. Every device has a slice in
// each round, as large in proportion, but for those that would be empty.
std::vector<Slice> deal_slices(std::uint32_t blocks, std::span<const unsigned> capacities);

}  // namespace sluice::alignment
