// The hash that the filters of both processors use: of a window of 1 to 16 bytes, as up to four little-endian words,
// the last of them masked. The hash is multilinear (Carter and Wegman), so its top bits depend on every byte; code that
// needs few bits must take those. Pure functions for host and device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#ifdef __CUDACC__
#define SLUICE_HOST_DEVICE __host__ __device__
#else
#define SLUICE_HOST_DEVICE
#endif

namespace sluice::substrings {

constexpr std::uint32_t window_bytes_max = 16;

// The multiplier of word i. A switch rather than a table, so that device code gets immediates.
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

template <class Word>
Word load_word(const char* at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// The hash of the window at `at`. Overlapping loads have fixed sizes and read no byte past the window.
inline std::uint32_t window_hash(const WindowShape& shape, const char* at) {
    const std::size_t bytes = shape.bytes;
    std::uint64_t half[2] = {};
    if (bytes >= 8) {
        half[0] = load_word<std::uint64_t>(at);
        if (bytes > 8) half[1] = load_word<std::uint64_t>(at + bytes - 8) >> (128 - 8 * bytes);
    } else if (bytes >= 4) {
        const std::uint64_t last = load_word<std::uint32_t>(at + bytes - 4);
        half[0] = load_word<std::uint32_t>(at) | (last << (8 * bytes - 32));
    } else {
        for (const std::size_t i : {std::size_t{0}, bytes / 2, bytes - 1})
            half[0] |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
    }
    std::uint32_t hash = 0;
    for (int i = 0; i < 4; ++i) {
        const auto word = static_cast<std::uint32_t>(half[i / 2] >> (32 * (i % 2)));
        hash += word * window_multiplier(i);
    }
    return hash;
}

}  // namespace sluice::substrings
