#include "broker/base/memory/memory_reserve.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>

using sluice::base::MemoryReserve;

TEST_CASE("the reserve is used up piece by piece, and filled again", "[memory]") {
    while (MemoryReserve::use()) continue;
    CHECK_FALSE(MemoryReserve::is_full());
    MemoryReserve::fill();
    CHECK(MemoryReserve::is_full());
    CHECK(MemoryReserve::use());
    CHECK_FALSE(MemoryReserve::is_full());
    MemoryReserve::fill();
    int pieces = 0;
    while (MemoryReserve::use()) ++pieces;
    CHECK(pieces > 8);
    void* const memory = sluice::base::allocate_or_null(10);
    CHECK(memory != nullptr);
    std::free(memory);
}
