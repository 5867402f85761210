// What the cluster kernels leave: a compact list of the rows that hold, as long as there are hits and no longer. It has
// a capacity; the count goes on when it is full, so that the host sees that something is missing, makes a larger list
// and runs the kernels again. Plain values.
#pragma once

#include <cstdint>

namespace sluice::cuda {

// A row's target holds for the events of one word of the batch; `events` is never 0.
struct alignas(8) Hit {
    static constexpr std::uint32_t target_bits = 26, targets_max = 1u << target_bits;

    std::uint32_t target_word = 0;  // target << 5 | word
    std::uint32_t events = 0;

    constexpr std::uint32_t target() const { return target_word >> 5; }
    constexpr std::uint32_t word() const { return target_word & 31; }
    friend bool operator==(const Hit&, const Hit&) = default;
};

// In device memory. Before a batch *count must be 0: the mask kernel does it (evaluate_masks), or the copy that brings
// the batch. Several cluster sets may append to one list, one after the other.
struct HitList {
    Hit* hits = nullptr;
    std::uint32_t capacity = 0;
    std::uint32_t* count =
        nullptr;  // afterwards: the hits there were; more than `capacity` means that some are missing
};

}  // namespace sluice::cuda
