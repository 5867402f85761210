#include "tests/support/peak_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace sluice::testing {

namespace {

std::size_t given = 0, given_at_first = 0, most = 0;

void* give(std::size_t size) {
    void* const memory = std::malloc(std::max<std::size_t>(size, 1));
    if (memory == nullptr) throw std::bad_alloc();
    given += malloc_usable_size(memory);
    most = std::max(most, given);
    return memory;
}

void take_back(void* memory) noexcept {
    if (memory != nullptr) given -= malloc_usable_size(memory);
    std::free(memory);
}

}  // namespace

void PeakMemory::begin() { given_at_first = most = given; }

std::size_t PeakMemory::bytes() { return most - given_at_first; }

}  // namespace sluice::testing

void* operator new(std::size_t size) { return sluice::testing::give(size); }
void* operator new[](std::size_t size) { return sluice::testing::give(size); }
void operator delete(void* memory) noexcept { sluice::testing::take_back(memory); }
void operator delete[](void* memory) noexcept { sluice::testing::take_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { sluice::testing::take_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { sluice::testing::take_back(memory); }
