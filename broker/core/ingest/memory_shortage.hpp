// Whether a request for which there is no memory can succeed later. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "broker/base/memory/memory_budget.hpp"

namespace sluice::broker {

// Why a charge was refused. temporary: other charges use the memory, and an idle broker would have it; permanent: it
// would not.
enum class MemoryShortage : std::uint8_t { temporary, permanent };

// `held`: what the same request has already charged, and holds until this charge is released.
inline MemoryShortage shortage_of(const base::MemoryBudget& memory, base::MemoryUse use, std::size_t bytes,
                                  std::size_t held) {
    return memory.could_fit(use, bytes, held) ? MemoryShortage::temporary : MemoryShortage::permanent;
}

// The charge that was refused.
struct MissingMemory {
    MemoryShortage shortage;
    base::MemoryUse use;
    std::size_t bytes;
};
inline MissingMemory missing_memory(const base::MemoryBudget& memory, base::MemoryUse use, std::size_t bytes,
                                    std::size_t held) {
    return {shortage_of(memory, use, bytes, held), use, bytes};
}

}  // namespace sluice::broker
