// Random tests try the same on every run: each has a seed of its own, in its source. SLUICE_TEST_SEED=N makes all of
// them try something else, and is printed.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>

namespace sluice::testing {

inline std::uint64_t seed(std::uint64_t own) {
    static const std::uint64_t fresh = [] {
        const char* const text = std::getenv("SLUICE_TEST_SEED");
        if (text == nullptr) return std::uint64_t{0};
        std::cerr << "SLUICE_TEST_SEED=" << text << std::endl;
        return static_cast<std::uint64_t>(std::strtoull(text, nullptr, 10));
    }();
    return fresh == 0 ? own : own * 0x9E3779B97F4A7C15u + fresh;
}

}  // namespace sluice::testing
