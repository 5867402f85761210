#include "tests/support/failing_allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

extern "C" void* __real_malloc(std::size_t size);

namespace sluice::testing {

namespace {

std::atomic<std::uint64_t> interval{0};  // 0: none fails for its number
std::atomic<std::size_t> bytes_max{SIZE_MAX};
std::atomic<std::uint64_t> counted{0}, failures{0};
std::atomic<bool> only_once{false}, only_here{false};
thread_local bool exempt = false, here = false;

bool fails(std::size_t size) {
    if (size > bytes_max.load(std::memory_order_relaxed) && !exempt) {
        failures.fetch_add(1, std::memory_order_relaxed);
        return true;
    }
    const std::uint64_t n = interval.load(std::memory_order_relaxed);
    if (n == 0 || (only_here ? !here : exempt) || (counted.fetch_add(1, std::memory_order_relaxed) + 1) % n != 0)
        return false;
    if (only_once) interval.store(0, std::memory_order_relaxed);
    failures.fetch_add(1, std::memory_order_relaxed);
    return true;
}

void* allocate(std::size_t size) noexcept { return fails(size) ? nullptr : __real_malloc(size); }

}  // namespace

void FailingAllocations::fail_every(std::uint64_t n, bool once) {
    counted = failures = 0;
    only_once = once;
    only_here = false;
    interval = n;
}
void FailingAllocations::fail_here(std::uint64_t n) {
    fail_every(0, true);
    only_here = true;
    interval = n;
}
void FailingAllocations::count_here() { fail_here(UINT64_MAX); }
FailingAllocations::Here::Here() { here = true; }
FailingAllocations::Here::~Here() { here = false; }
void FailingAllocations::fail_above(std::size_t bytes) {
    failures = 0;
    bytes_max = bytes;
}
void FailingAllocations::stop() {
    interval = 0;
    bytes_max = SIZE_MAX;
}
std::uint64_t FailingAllocations::failed() { return failures; }
std::uint64_t FailingAllocations::made() { return counted; }
void FailingAllocations::exempt_this_thread(bool now) { exempt = now; }

}  // namespace sluice::testing

extern "C" void* __wrap_malloc(std::size_t size) { return sluice::testing::allocate(size); }

void* operator new(std::size_t size) {
    if (void* const memory = sluice::testing::allocate(size)) return memory;
    throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return sluice::testing::allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return sluice::testing::allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
