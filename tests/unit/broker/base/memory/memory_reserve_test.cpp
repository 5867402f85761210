#include "broker/base/memory/memory_reserve.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <vector>

using sluice::base::MemoryReserve;

namespace {

std::vector<void*> all_blocks(std::size_t size) {
    std::vector<void*> blocks;
    while (void* const block = MemoryReserve::allocate(size)) {
        REQUIRE(MemoryReserve::has(block));
        REQUIRE(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t) == 0);
        std::memset(block, 0xa5, size);
        blocks.push_back(block);
    }
    return blocks;
}

}  // namespace

TEST_CASE("the reserve gives out most of its bytes in blocks, and again once all are back", "[memory]") {
    MemoryReserve::fill();
    for (const std::size_t size : {std::size_t{100}, MemoryReserve::small_bytes, std::size_t{1}, std::size_t{1'000}}) {
        const std::vector<void*> blocks = all_blocks(size);
        CAPTURE(size);
        CHECK(blocks.size() * (size + 31) > MemoryReserve::bytes / 2);
        CHECK(MemoryReserve::allocate(size) == nullptr);
        MemoryReserve::deallocate(blocks.back());
        CHECK(MemoryReserve::allocate(size) == blocks.back());
        for (void* const block : blocks) MemoryReserve::deallocate(block);
    }
}

TEST_CASE("the reserve has no large blocks", "[memory]") {
    CHECK(MemoryReserve::allocate(MemoryReserve::small_bytes + 1) == nullptr);
    CHECK(MemoryReserve::allocate(SIZE_MAX) == nullptr);
}
