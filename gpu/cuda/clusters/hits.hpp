// The result of the cluster kernels: a compact list of the rows that hold, as long as there are hits. If it is full,
// the count still increases, so the host sees that hits are missing, makes a larger list and runs the kernels again.
// Plain values.
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

static_assert(std::uint64_t{Hit::targets_max} * 32 <= 0xffffffffu, "the hits of a batch can be counted in 32 bits");

// In device memory. *count must be 0 before a batch; the kernel that makes the masks resets it. Several cluster sets
// may append to one list, one after the other.
struct HitList {
    Hit* hits = nullptr;
    std::uint32_t capacity = 0;
    std::uint32_t* count = nullptr;  // the total number of hits; if above `capacity`, some are missing
};

}  // namespace sluice::cuda
