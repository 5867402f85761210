// Copies of a Searcher's patterns, one after the other. Each begins at a multiple of 16 bytes and is followed by zeros
// up to the next, so that the device can read 16 bytes at a time. Immutable; usable from any thread.
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

    std::uint32_t size() const { return static_cast<std::uint32_t>(places_.size()); }
    PatternTexts texts() const { return {bytes_.data(), begins_.data(), ends_.data()}; }
    std::string_view text(std::uint32_t p) const { return texts()[p]; }
    Place place(std::uint32_t p) const { return places_[p]; }

    // Whether pattern p, if it occurs at text[begin], is at its required place.
    bool placed(std::uint32_t p, std::size_t begin, std::size_t text_size) const {
        return places_[p] == Place::anywhere || (places_[p] == Place::start && begin == 0) ||
               (places_[p] == Place::end && begin + text(p).size() == text_size);
    }
    // The empty patterns, which need no search.
    const std::vector<std::uint32_t>& empty() const { return empty_; }

    const std::vector<char>& bytes() const { return bytes_; }
    std::size_t begin(std::uint32_t p) const { return begins_[p]; }
    const std::vector<Place>& places() const { return places_; }

private:
    std::vector<char> bytes_;
    std::vector<std::size_t> begins_, ends_;
    std::vector<std::uint32_t> empty_;
    std::vector<Place> places_;
};

inline PatternPool::PatternPool(std::span<const Pattern> patterns) {
    for (std::uint32_t p = 0; p < patterns.size(); ++p) {
        const std::string_view text = patterns[p].text;
        begins_.push_back(bytes_.size());
        ends_.push_back(bytes_.size() + text.size());
        places_.push_back(patterns[p].place);
        if (text.empty()) empty_.push_back(p);
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment, 0);
    }
}

}  // namespace sluice::substrings
