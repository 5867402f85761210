#include "gpu/operators/edits/parts.hpp"

#include <catch2/catch.hpp>

using namespace sluice::edits;

TEST_CASE("a text is cut as the papers say", "[approximate]") {
    const std::vector<Part> expected{{0, 304}, {240, 304}, {480, 304}, {720, 304}};
    CHECK(cut_text(1024, 64, 4) == expected);
}

TEST_CASE("every short substring lies in a part, and no part is too many", "[approximate]") {
    for (const std::uint64_t n : {0u, 1u, 63u, 64u, 65u, 100u, 1000u, 1024u}) {
        for (const std::uint64_t parts : {1u, 2u, 3u, 7u, 64u, 2000u}) {
            for (const std::uint64_t alignment : {1u, 16u}) {
                constexpr std::uint64_t overlap = 64;
                const auto cut = cut_text(n, overlap, parts, alignment);
                CHECK(cut.size() <= parts);
                CHECK(cut.front().begin == 0);
                CHECK(cut.back().begin + cut.back().length == n);
                for (std::size_t i = 0; i + 1 < cut.size(); ++i) {
                    CHECK(cut[i + 1].begin > cut[i].begin);
                    CHECK(cut[i + 1].begin % alignment == 0);
                    CHECK(cut[i + 1].begin + overlap <= cut[i].begin + cut[i].length);
                }
            }
        }
    }
}
