// Doubles as integers of the same order, for host and device. Plain functions.
#pragma once

#include <bit>
#include <cstdint>

namespace sluice::bench {

// Not for NaN. Both zeros have the same key; -infinity's is above 0, infinity's below 2^64 - 1.
constexpr std::uint64_t order_key(double number) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);  // -0.0 becomes 0.0
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

}  // namespace sluice::bench
