// The first 128 bits of SHA-256: short, yet publishers cannot forge collisions. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice::text {

using Digest = std::array<std::uint64_t, 2>;

// Of the bytes of both, one after the other.
Digest digest(std::string_view bytes, std::string_view more = {});

struct DigestHash {
    std::size_t operator()(const Digest& d) const { return d[0]; }
};

}  // namespace sluice::text
