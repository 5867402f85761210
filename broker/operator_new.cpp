// The daemon's operator new, backed by the memory reserve. Linked into the program only: tests have their own.
#include <cstdlib>
#include <new>

#include "broker/base/memory/memory_reserve.hpp"

void* operator new(std::size_t size) {
    if (void* const memory = sluice::base::allocate_or_null(size)) return memory;
    throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return sluice::base::allocate_or_null(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return sluice::base::allocate_or_null(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
