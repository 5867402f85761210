// The results that phase 2 passes to phase 3. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::cpu {

// A conjunction that holds for some events of a word of the batch, by its target (RowTarget::bits()).
struct Accepted {
    std::uint32_t target = 0, word = 0, events = 0;
};

// How many reads ahead to prefetch data at random addresses: enough to hide the latency, few enough for the processor
// to keep in flight.
constexpr std::size_t prefetch_distance = 16;

inline void prefetch(const void* address) { __builtin_prefetch(address); }

}  // namespace sluice::cpu
