// Patterns that are searched for together, each by one of its windows. All windows of a group are as long as its
// shortest pattern (at most 16 bytes). For a longer pattern, the window that is rarest in the sample is chosen. A hash
// table maps the window's hash to its patterns, which are then compared. Immutable; usable from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/operators/substrings/pattern_texts.hpp"
#include "gpu/operators/substrings/window.hpp"

namespace sluice::substrings {

// How often each hashed 4-gram occurs in a sample of texts.
class GramCounts {
public:
    static constexpr std::uint32_t gram_bytes = 4;

    explicit GramCounts(std::span<const std::string_view> sample);

    std::uint32_t operator[](const char* gram) const { return counts_[slot(gram)]; }

private:
    std::uint32_t slot(const char* gram) const { return window_hash(window_shape(gram_bytes), gram) >> shift_; }

    std::uint32_t shift_ = 0;
    std::vector<std::uint32_t> counts_;  // their number is a power of two
};

struct WindowGroup {
    static constexpr std::uint32_t free_slot = 0xffffffffu;
    static constexpr std::uint32_t last_flag = 0x80000000u;

    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t first = free_slot;  // index in `entries`
    };
    struct Entry {
        std::uint32_t pattern = 0;
        std::uint32_t offset = 0;  // of the window in the pattern; last_flag marks the last entry of a hash
    };

    WindowShape window;
    std::uint32_t bit_shift = 0;        // shifts a hash to its bit in `hashes`
    std::vector<std::uint32_t> hashes;  // a bit for each hash in the group, few of them set: most windows end here
    std::uint32_t slot_shift = 0;       // shifts a hash to the index of its first possible slot; then linear probing
    std::vector<Slot> slots;            // a power of two, at most half of them used
    std::vector<Entry> entries;

    WindowGroup() = default;
    // `members`: indices of non-empty patterns.
    WindowGroup(const PatternTexts& texts, std::span<const std::uint32_t> members, const GramCounts& counts);

    bool may_have(std::uint32_t hash) const {
        const std::uint32_t bit = hash >> bit_shift;
        return ((hashes[bit >> 5] >> (bit & 31)) & 1) != 0;
    }
    // The index of the first entry with this hash, or free_slot.
    std::uint32_t find(std::uint32_t hash) const {
        const std::size_t last = slots.size() - 1;
        for (std::size_t at = hash >> slot_shift;; at = (at + 1) & last) {
            if (slots[at].first == free_slot || slots[at].hash == hash) return slots[at].first;
        }
    }
    static const char* window_of(const PatternTexts& texts, const Entry& entry) {
        return texts[entry.pattern].data() + (entry.offset & ~last_flag);
    }
};

}  // namespace sluice::substrings
