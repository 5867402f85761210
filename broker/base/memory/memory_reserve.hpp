// A small emergency reserve of memory, from which the daemon's operator new takes small blocks when malloc fails.
// Operations that must not fail (posting a wake-up, destroying a coroutine) then succeed, and only large allocations
// fail. It is a place of its own, not memory that is given back to malloc, which might serve other sizes or threads
// with it. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::base {

class MemoryReserve {
public:
    static constexpr std::size_t bytes = 2u << 20;
    static constexpr std::size_t small_bytes = 4'080;  // larger blocks are not in it

    // Makes it resident, the first time. To be called while there is memory.
    static void fill() noexcept;
    // Returns null if none is left. Once no block is in use, all of it may be given out again, in blocks of any sizes.
    static void* allocate(std::size_t size) noexcept;
    static void deallocate(void* block) noexcept;
    static bool has(const void* memory) noexcept {
        return reinterpret_cast<std::uintptr_t>(memory) - reinterpret_cast<std::uintptr_t>(region) < bytes;
    }

private:
    alignas(std::max_align_t) static std::byte region[bytes];
};

}  // namespace sluice::base
