// The daemon's allocator: jemalloc, and an operator new that the memory reserve backs. Linked into the program only,
// and not with sanitizers, which bring their own.
#include <cstdlib>
#include <jemalloc/jemalloc.h>
#include <new>

#include "broker/base/memory/memory_reserve.hpp"

// Options, which jemalloc reads when it begins. Each arena holds on to free memory of its own. Threads keep small
// blocks in caches, so a few arenas serve many threads. Background threads return free memory to the kernel within
// about a second, even if the daemon is idle; the memory keeper doesn't wait for them.
const char* malloc_conf = "narenas:4,background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";

using sluice::base::MemoryReserve;

namespace {

void* allocate(std::size_t size) noexcept {
    void* const memory = std::malloc(size);
    return memory != nullptr ? memory : MemoryReserve::allocate(size);
}

void deallocate(void* memory) noexcept {
    if (MemoryReserve::has(memory))
        MemoryReserve::deallocate(memory);
    else
        std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
    if (void* const memory = allocate(size)) return memory;
    throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* memory) noexcept { deallocate(memory); }
void operator delete[](void* memory) noexcept { deallocate(memory); }
void operator delete(void* memory, std::size_t) noexcept { deallocate(memory); }
void operator delete[](void* memory, std::size_t) noexcept { deallocate(memory); }
