#include "gpu/tools/align/slices.hpp"

#include <catch2/catch.hpp>

using namespace sluice::alignment;

namespace {

std::vector<Slice> deal(std::uint32_t blocks, std::vector<unsigned> capacities) {
    return deal_slices(blocks, capacities);
}

}  // namespace

TEST_CASE("slices take turns, none more than its device holds") {
    CHECK(deal(0, {4}).empty());
    CHECK(deal(3, {}).empty());
    CHECK(deal(3, {4}) == std::vector<Slice>{{0, 0, 3}});
    CHECK(deal(8, {4, 4}) == std::vector<Slice>{{0, 0, 4}, {1, 4, 4}});
    CHECK(deal(10, {2, 2}) == std::vector<Slice>{{0, 0, 1}, {1, 1, 2}, {0, 3, 2}, {1, 5, 1}, {0, 6, 2}, {1, 8, 2}});
    CHECK(deal(9, {6, 3}) == std::vector<Slice>{{0, 0, 6}, {1, 6, 3}});
    CHECK(deal(1, {5, 5, 5}) == std::vector<Slice>{{2, 0, 1}});
}

TEST_CASE("slices cover every block once, in order, evenly") {
    for (const std::vector<unsigned>& capacities :
         {std::vector<unsigned>{1}, {1, 1, 1}, {264, 264}, {132, 264, 7}, {3, 1, 2, 5}}) {
        for (const std::uint32_t blocks : {1u, 2u, 5u, 6u, 7u, 100u, 977u, 9766u, 131'072u}) {
            CAPTURE(capacities, blocks);
            std::vector<std::uint32_t> held(capacities.size());
            std::uint32_t next = 0;
            unsigned all = 0;
            for (const unsigned capacity : capacities) all += capacity;
            bool fits = true, ordered = true;
            for (const Slice& slice : deal(blocks, capacities)) {
                ordered = ordered && slice.first_block == next && slice.blocks > 0;
                fits = fits && slice.blocks <= capacities[slice.device];
                next += slice.blocks;
                held[slice.device] += slice.blocks;
            }
            CHECK(next == blocks);
            CHECK(ordered);
            CHECK(fits);
            const std::uint32_t rounds = (blocks + all - 1) / all;
            for (std::size_t d = 0; d < held.size(); ++d)
                CHECK(std::abs(held[d] - double(blocks) * capacities[d] / all) <= rounds);
        }
    }
}
