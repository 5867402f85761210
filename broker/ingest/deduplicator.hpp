// Remembers the items of a stream, to tell new and changed ones from those posted before. Bounded: the item that was
// seen least recently is forgotten first. The caller serialises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "broker/ingest/digest.hpp"

namespace sluice {

// What an item is remembered by.
struct ItemKey {
    Digest identity;  // which item it is
    Digest content;   // what it says
};

class Deduplicator {
public:
    enum class Verdict : std::uint8_t { added, updated, unchanged };

    explicit Deduplicator(std::size_t entries_max) : entries_max_(entries_max) {}

    Verdict see(const ItemKey& key);
    std::size_t size() const { return entries_.size(); }

private:
    static constexpr std::uint32_t none = 0xffff'ffff;

    // A doubly linked list in a vector, from the most to the least recently seen.
    struct Entry {
        ItemKey key;
        std::uint32_t newer = none;
        std::uint32_t older = none;
    };

    void unlink(std::uint32_t i);
    void link_newest(std::uint32_t i);

    const std::size_t entries_max_;
    std::vector<Entry> entries_;
    std::unordered_map<Digest, std::uint32_t, DigestHash> by_identity_;
    std::uint32_t newest_ = none;
    std::uint32_t oldest_ = none;
};

}  // namespace sluice
