#include "protocol/feed/model/tree_memory.hpp"

#include <cstdlib>
#include <malloc.h>
#include <pugixml.hpp>

namespace sluice::feed {

namespace {

thread_local std::size_t allocated_bytes = 0;  // modulo 2^64: a tree may be freed by another thread
thread_local std::size_t failures = 0;

void* allocate(std::size_t size) {
    void* const block = std::malloc(size);
    failures += block == nullptr ? 1u : 0u;
    allocated_bytes += malloc_usable_size(block);
    return block;
}

void deallocate(void* block) {
    allocated_bytes -= malloc_usable_size(block);
    std::free(block);
}

}  // namespace

// These functions are the standard ones, so they can also free memory allocated before the first meter was made.
TreeMemoryMeter::TreeMemoryMeter() {
    [[maybe_unused]] static const bool set = [] {
        pugi::set_memory_management_functions(allocate, deallocate);
        return true;
    }();
    begin_ = allocated_bytes;
    failures_before_ = failures;
}

bool TreeMemoryMeter::has_failed() const { return failures != failures_before_; }

std::size_t TreeMemoryMeter::bytes() const {
    const std::size_t bytes = allocated_bytes - begin_;
    return bytes > ~std::size_t{0} / 2 ? 0 : bytes;
}

}  // namespace sluice::feed
