// The first 128 bits of SHA-256: short, and not to be forged by a publisher. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice {

using Digest = std::array<std::uint64_t, 2>;

Digest digest(std::string_view bytes);

struct DigestHash {
    std::size_t operator()(const Digest& d) const { return d[0]; }
};

}  // namespace sluice
