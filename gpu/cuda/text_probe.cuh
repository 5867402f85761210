// Texts as the access kernel reads them, eight bytes at a time, and look-ups in a hash index. Device functions; each
// thread works alone.
#pragma once

#include <cstdint>

#include "gpu/cuda/access_tables.hpp"

namespace sluice::cuda {

__device__ inline std::uint64_t golden(std::uint64_t x) { return x * 0x9e3779b97f4a7c15u; }

// Eight bytes from any place of a text; bytes behind its last word are read but undefined.
__device__ inline std::uint64_t bytes_at(const std::uint64_t* words, std::uint32_t at) {
    const std::uint32_t shift = at % 8 * 8;
    const std::uint64_t low = words[at / 8];
    return shift == 0 ? low : low >> shift | words[at / 8 + 1] << (64 - shift);
}
__device__ inline std::uint64_t first_bytes(std::uint64_t word, std::uint32_t n) {
    return n >= 8 ? word : word & ((std::uint64_t{1} << 8 * n) - 1);
}

// A part of a text: bytes begin … begin + size - 1.
struct Slice {
    const std::uint64_t* words;
    std::uint32_t begin, size;

    __device__ std::uint64_t word(std::uint32_t at) const {  // bytes at … at + 7, zeros behind the end
        return first_bytes(begin % 8 == 0 ? words[(begin + at) / 8] : bytes_at(words, begin + at), size - at);
    }
};

// As hash_bytes of gpu/tables/hash.hpp.
__device__ inline std::uint64_t hash_of(const Slice& text, std::uint32_t attribute) {
    std::uint64_t h = attribute ^ golden(text.size);
    std::uint32_t at = 0;
    for (; at + 8 <= text.size; at += 8) {
        h = (h ^ text.word(at)) * 0x9fb21c651e98df25u;
        h ^= h >> 35;
    }
    return engine::mix(h ^ (at < text.size ? text.word(at) : 0));
}

__device__ inline bool equal(const TextTableView& table, const TextEntry& entry, const Slice& text) {
    for (std::uint32_t at = 0; at < text.size; at += 8) {
        if (table.words[entry.begin + at / 8] != text.word(at)) return false;
    }
    return true;
}

__device__ inline TextEntry load(const TextEntry* entry) {
    const uint4 e = __ldg(reinterpret_cast<const uint4*>(entry));
    return {e.x, e.y, std::uint64_t{e.w} << 32 | e.z};
}

__device__ inline engine::HashIndex::Slot load(const engine::HashIndex::Slot* slot) {
    const uint2 s = __ldg(reinterpret_cast<const uint2*>(slot));
    engine::HashIndex::Slot result;
    result.tag = s.x;
    result.id = s.y;
    return result;
}

// Calls visit(id) for each slot that may have this hash, until it returns true.
template <class Visit>
__device__ void probe(const engine::HashIndex::Slot* slots, std::uint32_t last, std::uint64_t hash, Visit visit) {
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    for (auto at = static_cast<std::uint32_t>(hash) & last;; at = (at + 1) & last) {
        const engine::HashIndex::Slot slot = load(&slots[at]);
        if (slot.id == engine::none || (slot.tag == tag && visit(slot.id))) return;
    }
}

}  // namespace sluice::cuda
