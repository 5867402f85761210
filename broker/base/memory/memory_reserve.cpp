#include "broker/base/memory/memory_reserve.hpp"

#include <cstring>
#include <memory_resource>
#include <mutex>
#include <new>

namespace sluice::base {

namespace {

constexpr std::size_t alignment = alignof(std::max_align_t);
constexpr std::size_t header_bytes = alignment;  // before each block: its size

// A block with its header, in whole units: of 24 bytes, the standard library's pools make unaligned ones.
constexpr std::size_t with_header(std::size_t size) {
    return header_bytes + (size + alignment - 1) / alignment * alignment;
}

class Blocks {
public:
    explicit Blocks(std::byte* region) : region_(region, MemoryReserve::bytes, std::pmr::null_memory_resource()) {}

    void* allocate(std::size_t size) {
        void* const place = pools_.allocate(with_header(size));
        ++in_use_;
        std::memcpy(place, &size, sizeof size);
        return static_cast<std::byte*>(place) + header_bytes;
    }

    void deallocate(void* block) {
        void* const place = static_cast<std::byte*>(block) - header_bytes;
        std::size_t size = 0;
        std::memcpy(&size, place, sizeof size);
        pools_.deallocate(place, with_header(size));
        if (--in_use_ != 0) return;
        pools_.release();  // pools keep what they have had, for blocks of the same size
        region_.release();
    }

private:
    std::pmr::monotonic_buffer_resource region_;
    std::pmr::unsynchronized_pool_resource pools_{
        {.max_blocks_per_chunk = 16, .largest_required_pool_block = header_bytes + MemoryReserve::small_bytes},
        &region_};
    std::size_t in_use_ = 0;
};

std::mutex mutex;

// Never destroyed: memory may be freed until the process ends.
Blocks& blocks(std::byte* region) {
    alignas(Blocks) static std::byte place[sizeof(Blocks)];
    static Blocks* const made = [region] {
        std::memset(region, 0, MemoryReserve::bytes);
        return new (place) Blocks(region);
    }();
    return *made;
}

}  // namespace

alignas(std::max_align_t) std::byte MemoryReserve::region[bytes];

void MemoryReserve::fill() noexcept {
    const std::lock_guard lock(mutex);
    blocks(region);
}

void* MemoryReserve::allocate(std::size_t size) noexcept {
    if (size > small_bytes) return nullptr;
    const std::lock_guard lock(mutex);
    try {
        return blocks(region).allocate(size);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void MemoryReserve::deallocate(void* block) noexcept {
    const std::lock_guard lock(mutex);
    blocks(region).deallocate(block);
}

}  // namespace sluice::base
