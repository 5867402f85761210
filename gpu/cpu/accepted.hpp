// What phase 2 hands to phase 3. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice {

// A conjunction that holds for some events of a word of the batch, by what it leads to (Target::bits()).
struct Accepted {
    std::uint32_t target = 0, word = 0, events = 0;
};

// How many reads ahead of use to ask memory for what lies at random places: enough to hide its latency, few enough for
// the processor to keep under way.
constexpr std::size_t prefetch_distance = 16;

inline void prefetch(const void* address) { __builtin_prefetch(address); }

}  // namespace sluice
