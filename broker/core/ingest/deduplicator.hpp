// Remembers the items of a stream, to distinguish new and changed items from those posted before. Bounded by number, by
// age and by the memory budget. Where there is no room, the older of two random items is forgotten: of a feed with a
// few items more than there is room for, a few are new again with each post. If the oldest were forgotten, all would
// be. The caller must serialise calls. Memory grows and shrinks with use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "protocol/feed/model/record.hpp"
#include "protocol/text/digest.hpp"

namespace sluice::broker {

// The key by which an item is remembered.
struct ItemKey {
    text::Digest identity;  // which item it is
    text::Digest content;   // its source text
};

class Deduplicator {
public:
    enum class Verdict : std::uint8_t { added, updated, unchanged };

    // `memory` grows and shrinks with the remembered items. An empty charge is not counted.
    explicit Deduplicator(std::size_t entries_max, base::MemoryCharge memory = {});

    // Classifies the item and remembers it. If `previous` is not null, it receives the former content of an updated
    // item. If there is no room for another item, one is forgotten. Throws std::bad_alloc only if no items are
    // remembered. A time before that of an earlier call counts as that one.
    Verdict see(const ItemKey& key, feed::RecordTime now = 0, text::Digest* previous = nullptr);
    // Undoes the see() that returned this verdict; items forgotten by that call stay forgotten.
    void undo(const ItemKey& key, Verdict verdict, const text::Digest& previous) noexcept;

    // Whether an item with this identity is remembered, and said this when it was last seen.
    bool remembers(const text::Digest& identity, const text::Digest& content) const;

    void forget_before(feed::RecordTime time) noexcept;
    void forget_oldest(std::size_t n) noexcept;  // and releases their memory

    std::size_t size() const { return entries_.size(); }
    std::uint64_t forgotten() const { return forgotten_; }  // by see(), for lack of room
    std::size_t memory_bytes() const { return bytes_of(entries_.capacity(), table_.size()); }

private:
    static constexpr std::uint32_t none = 0xffff'ffff;

    // A doubly linked list in a vector, from the most to the least recently seen.
    struct Entry {
        ItemKey key;
        feed::RecordTime seen_at;
        std::uint32_t newer = none;
        std::uint32_t older = none;
    };
    static std::size_t bytes_of(std::size_t entries, std::size_t slots) {
        return entries * sizeof(Entry) + slots * sizeof(std::uint32_t);
    }

    bool grow();
    void move_to(std::size_t capacity);
    void shrink() noexcept;
    void fill_table() noexcept;
    std::size_t slot_of(const text::Digest& identity) const;
    void make_room() noexcept;
    void erase(std::uint32_t i) noexcept;
    void erase_slot(std::size_t slot) noexcept;
    void unlink(std::uint32_t i) noexcept;
    void link_newest(std::uint32_t i) noexcept;

    const std::size_t entries_max_;
    base::MemoryCharge memory_;
    std::size_t base_bytes_;  // of the initial charge, which always remain charged
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> table_;  // entry index by identity, linear probing; size a power of two, or empty
    std::uint32_t newest_ = none;
    std::uint32_t oldest_ = none;
    std::uint64_t forgotten_ = 0;
    std::uint64_t random_ = 1;
    feed::RecordTime newest_time_ = 0;
};

}  // namespace sluice::broker
