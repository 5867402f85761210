// Needs no device.
#include "gpu/cuda/clusters/bank_order.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

using namespace sluice::cuda;

namespace {

constexpr std::uint32_t banks = 32;

// The most of 32 numbers that share a bank.
template <class Number>
std::uint32_t most_in_a_bank(Number number) {
    std::array<std::uint32_t, banks> count{};
    for (std::uint32_t i = 0; i < 32; ++i) ++count[number(i) % banks];
    return *std::max_element(count.begin(), count.end());
}

}  // namespace

TEST_CASE("a unit's numbers change places in their row and lane only, and share fewer banks") {
    std::mt19937 random(1);
    for (const std::uint32_t log_size : {1u, 2u, 3u, 5u, 8u}) {
        double before = 0, after = 0;
        for (int round = 0; round < 50; ++round) {
            std::vector<std::uint16_t> unit(256);
            for (auto& id : unit) id = static_cast<std::uint16_t>(random());
            std::vector<std::uint16_t> ordered = unit;
            order_by_bank(std::span(ordered), log_size);
            const std::size_t group = std::min(std::size_t{1} << log_size, std::size_t{8});
            for (std::size_t i = 0; i < unit.size(); i += group) {
                const auto at = static_cast<std::ptrdiff_t>(i), size = static_cast<std::ptrdiff_t>(group);
                CHECK(std::is_permutation(unit.begin() + at, unit.begin() + at + size, ordered.begin() + at));
            }
            for (std::uint32_t step = 0; step < 8; ++step) {
                before += most_in_a_bank([&](std::uint32_t lane) { return unit[lane * 8 + step]; });
                after += most_in_a_bank([&](std::uint32_t lane) { return ordered[lane * 8 + step]; });
            }
        }
        CAPTURE(log_size, before, after);
        CHECK(after < 0.9 * before);
    }
}

TEST_CASE("rows stand so that neighbours' first numbers are in different banks") {
    std::mt19937 random(2);
    for (const std::uint32_t count : {0u, 1u, 31u, 32u, 33u, 1000u, 100000u}) {
        CAPTURE(count);
        std::vector<FirstIds> rows(count);
        for (FirstIds& row : rows) {
            const FirstIds drawn{static_cast<std::uint32_t>(random() % 30000),
                                 static_cast<std::uint32_t>(random() % 30000)};
            row = in_bank_order(drawn);
            CHECK(std::is_permutation(row.begin(), row.end(), drawn.begin()));
        }
        auto order = order_rows_by_bank(rows);
        if (count == 100000) {
            std::uint32_t most = 0;
            for (std::uint32_t line = 0; line < count / 32; ++line) {
                for (const std::size_t which : {0u, 1u})
                    most += most_in_a_bank([&](std::uint32_t i) { return rows[order[32 * line + i]][which]; });
            }
            CHECK(most < 1.5 * 2 * (count / 32));  // in the original order: 3.5
        }
        std::sort(order.begin(), order.end());
        std::vector<std::uint32_t> all(count);
        std::iota(all.begin(), all.end(), 0u);
        CHECK(order == all);
    }
}
