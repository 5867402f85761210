// Needs no device.
#include "tests/bench/baselines/order_key.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include <vector>

using sluice::bench::order_key;

TEST_CASE("order keys compare as their numbers do") {
    using limits = std::numeric_limits<double>;
    std::vector<double> numbers{0.0,
                                -0.0,
                                1,
                                -1,
                                1 + limits::epsilon(),
                                limits::min(),
                                limits::max(),
                                limits::lowest(),
                                limits::denorm_min(),
                                -limits::denorm_min(),
                                limits::infinity(),
                                -limits::infinity()};
    std::mt19937 random(1);
    std::uniform_real_distribution<double> some(-10, 10);
    for (int i = 0; i < 100; ++i) numbers.push_back(some(random));
    for (const double a : numbers) {
        for (const double b : numbers) {
            CAPTURE(a, b);
            CHECK((a < b) == (order_key(a) < order_key(b)));
            CHECK((a == b) == (order_key(a) == order_key(b)));
        }
    }
    CHECK(order_key(-limits::infinity()) > 0);
    CHECK(order_key(limits::infinity()) < ~std::uint64_t{0});
}
