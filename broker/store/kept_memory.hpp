// How much memory takes what the log retains of an append: its events and its record with all texts, as allocated.
#pragma once

#include <cstddef>

#include "broker/store/event_log.hpp"

namespace sluice::store {

inline constexpr std::size_t allocation_bytes = 16;  // malloc's own, for each allocation

// Bytes behind `kept`, without *this itself.
std::size_t memory_of(const Kept& kept);

}  // namespace sluice::store
