// A small emergency reserve of memory. When memory runs out, the daemon's operator new uses it for small allocations.
// Operations that must not fail (posting a wake-up, destroying a coroutine) then succeed, and only large allocations
// fail. Any thread.
#pragma once

#include <cstddef>

namespace sluice::base {

class MemoryReserve {
public:
    static constexpr std::size_t bytes = 2u << 20;
    static constexpr std::size_t small_bytes = 4'096;  // larger allocations may not use the reserve

    // Fills the reserve, or refills it after use once memory is available. One thread at a time.
    static void fill() noexcept;
    // Releases one piece of the reserve to malloc. Returns false if none is left.
    static bool use() noexcept;
    static bool is_full() noexcept;
};

// For operator new: malloc, backed by the reserve for small sizes. Returns null if both fail.
void* allocate_or_null(std::size_t size) noexcept;

}  // namespace sluice::base
