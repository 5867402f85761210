// The keys that substrings are found by: the first 8, 4, 2 or 1 bytes of a pattern, as many as it has. Pure functions,
// on the host and on the device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/tables/hash.hpp"

namespace sluice::cuda {

// The logarithm of the key's size; `bytes` is not 0.
constexpr unsigned key_log(std::size_t bytes) { return bytes >= 8 ? 3 : bytes >= 4 ? 2 : bytes >= 2 ? 1 : 0; }

// `key`: the bytes, padded with zeros.
constexpr std::uint64_t key_hash(std::uint32_t attribute, unsigned log, std::uint64_t key) {
    return engine::mix(key ^ engine::mix(std::uint64_t{attribute} << 2 | log));
}

}  // namespace sluice::cuda
