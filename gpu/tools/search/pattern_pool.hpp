// Copies of patterns, one after the other. Each begins at a multiple of 16 bytes and is followed by zeros up to the
// next, so that the device can read 16 bytes at a time. Immutable; usable from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/operators/substrings/pattern_texts.hpp"
#include "gpu/tools/search/substrings.hpp"

namespace sluice::substrings {

class PatternPool {
public:
    static constexpr std::size_t alignment = 16;

    explicit PatternPool(std::span<const Pattern> patterns);

    std::uint32_t size() const { return static_cast<std::uint32_t>(begins_.size()); }
    PatternTexts texts() const { return {bytes_.data(), begins_.data(), ends_.data()}; }
    std::string_view text(std::uint32_t p) const { return texts()[p]; }

    const std::vector<char>& bytes() const { return bytes_; }
    std::size_t begin(std::uint32_t p) const { return begins_[p]; }

private:
    std::vector<char> bytes_;
    std::vector<std::size_t> begins_, ends_;
};

inline PatternPool::PatternPool(std::span<const Pattern> patterns) {
    for (const auto& [text] : patterns) {
        begins_.push_back(bytes_.size());
        ends_.push_back(bytes_.size() + text.size());
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment, 0);
    }
}

}  // namespace sluice::substrings
