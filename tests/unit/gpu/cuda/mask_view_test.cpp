#include "gpu/cuda/clusters/mask_view.hpp"

#include <catch2/catch.hpp>

using sluice::cuda::mask_at;

TEST_CASE("masks have places beyond 32 bits") {
    CHECK(mask_at(0, 64, 5) == 5);
    CHECK(mask_at(3, 64, 5) == 197);
    CHECK(mask_at(31, std::uint32_t{1} << 28, 7) == 8'321'499'143u);
    CHECK(mask_at(31, 0xffffffe0u, 0xffffffdfu) == 32 * std::size_t{0xffffffe0u} - 1);
}
