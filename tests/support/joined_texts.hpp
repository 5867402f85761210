// Joins short texts, so that a filter processes many of them at once: starting and ending a text costs as much as a
// hundred bytes. A match that begins in one text and ends in another, or in the bytes between them, does not count.
// Used by one thread at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sluice::substrings {

class JoinedTexts {
public:
    static constexpr std::size_t text_bytes_max = 512;  // copying longer ones costs more than it saves

    struct Part {
        std::uint32_t index;  // given by the caller
        std::uint32_t begin, end;
    };

    bool takes(std::string_view text) const { return size_ + text.size() <= bytes_.size(); }
    // Adds a text, which must not be empty.
    void add(std::uint32_t index, std::string_view text) {
        std::memcpy(bytes_.data() + size_, text.data(), text.size());
        const std::size_t units = (text.size() + unit_bytes - 1) / unit_bytes;
        std::fill_n(part_of_.begin() + static_cast<std::ptrdiff_t>(size_ / unit_bytes), units, count_);
        parts_[count_++] = {index, size_, size_ + static_cast<std::uint32_t>(text.size())};
        size_ += static_cast<std::uint32_t>(units * unit_bytes);
    }
    void clear() { size_ = count_ = 0; }

    // All texts, with the bytes between them.
    std::string_view bytes() const { return {bytes_.data(), count_ == 0 ? 0 : parts_[count_ - 1].end}; }
    // The text that contains this place, or the last one before it.
    const Part& part_at(std::size_t place) const { return parts_[part_of_[place / unit_bytes]]; }

private:
    static constexpr std::size_t unit_bytes = 16, units_max = 256;  // a unit belongs to one text

    alignas(64) std::array<char, units_max * unit_bytes> bytes_{};
    std::array<std::uint32_t, units_max> part_of_{};
    std::array<Part, units_max> parts_{};
    std::uint32_t size_ = 0, count_ = 0;
};

}  // namespace sluice::substrings
