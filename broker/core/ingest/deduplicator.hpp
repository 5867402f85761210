// Remembers the items of a stream, to distinguish new and changed items from those posted before. Bounded by number, by
// age and by the memory budget. Where there is no room, the older of two random items is forgotten: of a feed with a
// few items more than there is room for, a few are new again with each post. If the oldest were forgotten, all would
// be. The caller must serialise calls. Memory grows and shrinks with use.
//
// Where a store keeps all items, this is a cache of it: an item that is forgotten for lack of room is lost here only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
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
    // What is known of an item.
    struct Known {
        text::Digest content;
        feed::RecordTime seen_at;
    };
    // A moment, to know later whether anything has been lost since then.
    struct Mark {
        std::uint64_t losses = 0;
        feed::RecordTime time = 0;
    };

    // `memory` grows and shrinks with the remembered items. An empty charge is not counted.
    explicit Deduplicator(std::size_t entries_max, base::MemoryCharge memory = {});

    // Classifies the item and remembers it. If `previous` is not null, it receives the former content of an updated
    // item. If there is no room for another item, one is forgotten. Throws std::bad_alloc only if no items are
    // remembered. A time before that of an earlier call counts as that one. `stored`: what a store knows of the item,
    // which counts unless the item is remembered; null: nothing.
    Verdict see(const ItemKey& key, feed::RecordTime now = 0, text::Digest* previous = nullptr,
                const Known* stored = nullptr);
    // Undoes the see() that returned this verdict; items forgotten by that call stay forgotten.
    void undo(const ItemKey& key, Verdict verdict, const text::Digest& previous) noexcept;

    std::optional<Known> find(const text::Digest& identity) const;
    // Whether an item with this identity is remembered, and said this when it was last seen.
    bool remembers(const text::Digest& identity, const text::Digest& content) const;

    void forget_before(feed::RecordTime time) noexcept;
    void forget_oldest(std::size_t n) noexcept;  // and releases their memory
    void forget_all() noexcept;

    // An item that is held is not forgotten for lack of room, but room is found beyond the bound instead, until it has
    // been released as often as it was held. Without memory it may be forgotten all the same.
    void hold(const text::Digest& identity) { ++held_[identity]; }
    void release(const text::Digest& identity) noexcept;
    bool is_held(const text::Digest& identity) const { return !held_.empty() && held_.contains(identity); }

    std::uint64_t losses() const { return losses_; }  // items forgotten, except for their age
    Mark mark(feed::RecordTime now) const { return {losses_, std::max(newest_time_, now)}; }
    // Whether no item that was seen since then has been lost.
    bool has_lost_none_since(const Mark& mark) const { return losses_ == mark.losses || lost_time_ < mark.time; }

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

    std::uint32_t find_index(const text::Digest& identity) const;
    bool grow();
    void move_to(std::size_t capacity);
    void shrink() noexcept;
    void fill_table() noexcept;
    std::size_t slot_of(const text::Digest& identity) const;
    bool make_room() noexcept;
    void lose(std::uint32_t i) noexcept;
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
    std::uint64_t losses_ = 0;
    feed::RecordTime lost_time_ = 0;  // when the last of the lost items was seen
    std::unordered_map<text::Digest, std::uint32_t, text::DigestHash> held_;  // how often
};

}  // namespace sluice::broker
