#include "gpu/cpu/segment/cluster_kernel.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <tuple>
#include <vector>

using namespace sluice;
using namespace sluice::cpu;

namespace {

std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> hits(simd::InstructionSet set,
                                                                          const ClusterBlock& block,
                                                                          const std::vector<std::uint16_t>& columns,
                                                                          const std::vector<std::uint32_t>& masks,
                                                                          std::size_t words) {
    std::vector<ClusterHit> room(block.rows * words);
    const std::size_t n = cluster_kernel<std::uint16_t>(set)(block, columns.data(), masks.data(), words, room.data());
    const std::vector<std::uint32_t> wide(columns.begin(), columns.end());
    std::vector<ClusterHit> other(room.size());
    CHECK(cluster_kernel<std::uint32_t>(set)(block, wide.data(), masks.data(), words, other.data()) == n);
    std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> result;
    for (std::size_t i = 0; i < n; ++i) result.emplace_back(room[i].row, room[i].word, room[i].events);
    std::sort(result.begin(), result.end());
    return result;
}

}  // namespace

TEST_CASE("cluster kernel: every instruction set ANDs what the rows say") {
    constexpr std::size_t literals = 40;
    std::mt19937 random(1);
    for (const auto set : simd::instruction_sets()) {
        for (const std::size_t words : {1u, 2u, 4u, 8u, 16u}) {
            for (const std::uint16_t rows : std::vector<std::uint16_t>{1, 2, 15, 16, 17, 64, 255, 256}) {
                for (const std::uint16_t size : std::vector<std::uint16_t>{0, 1, 3, 9}) {
                    CAPTURE(simd::name_of(set), words, rows, size);
                    std::vector<std::uint32_t> masks(literals * words);
                    for (auto& mask : masks) mask = static_cast<std::uint32_t>(random() | random());
                    const ClusterBlock block{5, 1000, 7, rows, size, false};
                    std::vector<std::uint16_t> columns(std::size_t{5} + rows * size);
                    for (auto& c : columns) c = static_cast<std::uint16_t>(random() % literals);

                    std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> expected;
                    for (std::uint32_t r = 0; r < rows; ++r) {
                        for (std::uint32_t w = 0; w < words; ++w) {
                            std::uint32_t events = masks[words * block.access + w];
                            for (std::size_t j = 0; j < size; ++j)
                                events &= masks[words * columns[5 + j * rows + r] + w];
                            if (events != 0) expected.emplace_back(1000 + r, w, events);
                        }
                    }
                    REQUIRE(hits(set, block, columns, masks, words) == expected);
                }
            }
        }
    }
}
