// One group of patterns with the filter that finds their places in a text. Which kind of filter, and how many of a
// text's places it asks for, is chosen by what it lets through of a sample and by measured costs. Immutable; any
// thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/operators/exact/filter_kernel.hpp"
#include "gpu/operators/exact/window_group.hpp"

namespace sluice::exact {

class GroupFilter {
public:
    // `members`: indices of the pool's patterns, none of them empty.
    GroupFilter(const PatternPool& pool, std::vector<std::uint32_t> members, std::span<const std::string_view> sample,
                const GramCounts& counts, const FilterKernels& kernels);

    // What a byte of text is estimated to cost.
    double nanoseconds_per_byte() const { return cost_; }
    const std::vector<std::uint32_t>& members() const { return members_; }
    const WindowGroup& windows() const { return windows_; }

    // Adds to the results the patterns that occur in the text, as far as they have not been found in it yet.
    void search(const PatternPool& pool, std::string_view text, Results& results) const;

private:
    enum class Kind : std::uint8_t { grams, bytes };

    void choose(const PatternPool& pool, std::span<const std::string_view> sample);
    void use_bytes(const PatternPool& pool, std::uint32_t bytes);
    void use_grams(const PatternPool& pool, std::uint32_t stride);
    std::size_t chain_length(std::string_view text, std::size_t window) const;
    double estimate(std::span<const std::string_view> sample) const;

    std::uint32_t asked_bytes() const { return kind_ == Kind::grams ? grams_.gram.bytes : bytes_.bytes; }
    std::size_t scan(std::string_view text, std::size_t begin, std::size_t end, std::uint32_t* places) const;
    std::size_t compare(const PatternPool& pool, std::string_view text, std::size_t window, Results& results) const;

    const FilterKernels* kernels_;
    std::vector<std::uint32_t> members_;
    WindowGroup windows_;
    Kind kind_ = Kind::grams;
    GramFilter grams_;  // its bitmap is bitmap_'s
    ByteFilter bytes_;
    std::vector<std::uint32_t> bitmap_;
    double cost_ = 0;
};

}  // namespace sluice::exact
