// Random choices that are the same for a seed on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "tests/support/seed.hpp"

namespace sluice {

class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(testing::seed(seed)) {}

    std::uint64_t next() { return engine_(); }
    std::size_t below(std::size_t n) { return engine_() % n; }
    std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }
    bool chance(std::size_t percent) { return below(100) < percent; }

    template <class Container>
    const auto& pick(const Container& choices) {
        return choices[below(std::size(choices))];
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace sluice
