// The first 128 bits of SHA-256: short, yet publishers cannot forge collisions. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice::base {

using Digest = std::array<std::uint64_t, 2>;

Digest digest(std::string_view bytes);

struct DigestHash {
    std::size_t operator()(const Digest& d) const { return d[0]; }
};

}  // namespace sluice::base
