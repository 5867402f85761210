// Hashing for the engine's tables, and the open-addressing index that they share. A hash only narrows the candidates:
// every look-up also compares the keys themselves. One thread inserts; after the last insertion any thread may look up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace sluice::engine {

constexpr std::uint32_t none = 0xffffffffu;

// A bijection whose every output bit depends on every input bit.
constexpr std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

inline std::uint64_t hash_bytes(std::string_view text, std::uint64_t seed) {
    std::uint64_t h = seed ^ (text.size() * 0x9e3779b97f4a7c15u);
    const char* at = text.data();
    std::size_t left = text.size();
    for (std::uint64_t block = 0; left >= 8; at += 8, left -= 8) {
        std::memcpy(&block, at, 8);
        h = (h ^ block) * 0x9fb21c651e98df25u;
        h ^= h >> 35;
    }
    std::uint64_t tail = 0;
    if (left > 0) std::memcpy(&tail, at, left);
    return mix(h ^ tail);
}

// Ids by hash, linear probing at a load of at most one half.
class HashIndex {
public:
    // The first id inserted with this hash for which equal(id) holds, or none.
    template <class Equal>
    std::uint32_t find(std::uint64_t hash, Equal equal) const {
        if (slots_.empty()) return none;
        const std::size_t last = slots_.size() - 1;
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        for (std::size_t at = hash & last; slots_[at].id != none; at = (at + 1) & last) {
            if (slots_[at].tag == tag && equal(slots_[at].id)) return slots_[at].id;
        }
        return none;
    }

    // Makes room for one more id. hash_of(id) must return the hash that the id was inserted with. If it throws, nothing
    // has changed.
    template <class HashOf>
    void make_room(HashOf hash_of) {
        if (2 * (size_ + 1) <= slots_.size()) return;
        std::vector<Slot> grown(slots_.empty() ? 4 : 2 * slots_.size());
        for (const Slot& slot : slots_) {
            if (slot.id != none) place(grown, hash_of(slot.id), slot.id);
        }
        slots_.swap(grown);
    }
    // There must be room. So a table makes room first, then stores what the id stands for, and nothing is half done.
    void insert(std::uint64_t hash, std::uint32_t id) noexcept {
        place(slots_, hash, id);
        ++size_;
    }

    // The slots: a power of two, or none. An entry is stored at the low bits of its hash or, if that slot is taken, in
    // the next free one. The tag is the high half of the hash.
    struct Slot {
        std::uint32_t tag = 0;
        std::uint32_t id = none;
    };
    std::span<const Slot> slots() const { return slots_; }

private:
    static void place(std::vector<Slot>& slots, std::uint64_t hash, std::uint32_t id) noexcept {
        const std::size_t last = slots.size() - 1;
        std::size_t at = hash & last;
        while (slots[at].id != none) at = (at + 1) & last;
        slots[at] = {static_cast<std::uint32_t>(hash >> 32), id};
    }

    std::vector<Slot> slots_;
    std::size_t size_ = 0;
};

}  // namespace sluice::engine
