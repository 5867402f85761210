// What a ScannedDocument keeps of each condition: small, since a document may be asked about thousands of them. Plain
// containers; one thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace sluice::feed {

// The answers of a condition by item, as far as known.
class ItemAnswers {
public:
    std::optional<bool> of(std::size_t item) const {
        const std::uint64_t word = item < per_word ? first_ : item / per_word <= others_.size() ? other(item) : 0;
        const std::uint64_t answer = word >> 2 * (item % per_word) & 3;
        if (answer == 0) return std::nullopt;
        return answer == yes;
    }
    void set(std::size_t item, bool answer) {
        if (item / per_word > others_.size()) others_.resize(item / per_word);
        (item < per_word ? first_ : other(item)) |= (answer ? yes : no) << 2 * (item % per_word);
    }
    std::size_t bytes() const { return others_.capacity() * sizeof others_[0]; }

private:
    static constexpr std::size_t per_word = 32;
    static constexpr std::uint64_t no = 2, yes = 3;

    std::uint64_t& other(std::size_t item) { return others_[item / per_word - 1]; }
    std::uint64_t other(std::size_t item) const { return others_[item / per_word - 1]; }

    std::uint64_t first_ = 0;
    std::vector<std::uint64_t> others_;  // of items beyond the first word's
};

// Finds numbers by address.
class AddressTable {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::uint32_t find(const void* address) const { return entries_.empty() ? none : entries_[place(address)].second; }
    void insert(const void* address, std::uint32_t number) {
        if (2 * ++used_ > entries_.size()) grow();
        entries_[place(address)] = {address, number};
    }
    std::size_t bytes() const { return entries_.capacity() * sizeof entries_[0]; }

private:
    using Entry = std::pair<const void*, std::uint32_t>;
    static constexpr std::size_t entries_min = 16;

    // Of the address, or the free place for it.
    std::size_t place(const void* address) const {
        const std::size_t mask = entries_.size() - 1;
        const std::uint64_t hash = reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15u;
        std::size_t at = hash >> (64 - std::countr_zero(entries_.size()));
        while (entries_[at].first != address && entries_[at].first != nullptr) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Entry> old(std::max(entries_min, 2 * entries_.size()), Entry(nullptr, none));
        old.swap(entries_);
        for (const Entry& entry : old)
            if (entry.first != nullptr) entries_[place(entry.first)] = entry;
    }

    std::vector<Entry> entries_;  // a power of two, at most half of them used
    std::size_t used_ = 0;
};

}  // namespace sluice::feed
