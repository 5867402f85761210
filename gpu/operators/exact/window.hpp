// What the filters of both processors hash: a window of 1 to 16 bytes, as up to four little-endian words of which the
// last is masked. The hash is multilinear (Carter and Wegman), so that its top bits depend on every byte: whoever needs
// few bits takes those. Pure functions of host and device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define SLUICE_HOST_DEVICE __host__ __device__
#else
#define SLUICE_HOST_DEVICE
#endif

namespace sluice::exact {

constexpr std::uint32_t window_bytes_max = 16;

// The multiplier of word i. A switch, not a table, so that device code gets immediates.
SLUICE_HOST_DEVICE constexpr std::uint32_t window_multiplier(int word) {
    return word == 0 ? 0x9e3779b1u : word == 1 ? 0x85ebca77u : word == 2 ? 0xc2b2ae3du : 0x27d4eb2fu;
}

struct WindowShape {
    std::uint32_t bytes = 0;
    std::uint32_t last_mask = 0;  // of the last word

    SLUICE_HOST_DEVICE constexpr int words() const { return static_cast<int>(bytes + 3) / 4; }
};

constexpr WindowShape window_shape(std::uint32_t bytes) {
    return {bytes, bytes % 4 == 0 ? 0xffffffffu : (1u << (8 * (bytes % 4))) - 1};
}

// The hash of the window at `at`, of which `readable` >= shape.bytes bytes may be read.
inline std::uint32_t window_hash(const WindowShape& shape, const char* at, std::size_t readable) {
    std::uint64_t half[2] = {};
    std::memcpy(half, at, readable >= 16 ? 16 : shape.bytes);
    // Shifts are of at most 63 bits, and nobody has a window of 0 bytes.
    half[0] &= ~std::uint64_t{0} >> (shape.bytes < 8 ? 64 - 8 * shape.bytes : 0);
    half[1] &= shape.bytes > 8 ? ~std::uint64_t{0} >> (128 - 8 * shape.bytes) : 0;
    std::uint32_t hash = 0;
    for (int i = 0; i < 4; ++i) {
        const auto word = static_cast<std::uint32_t>(half[i / 2] >> (32 * (i % 2)));
        hash += word * window_multiplier(i);
    }
    return hash;
}

}  // namespace sluice::exact
