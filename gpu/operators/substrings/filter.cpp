#include "gpu/operators/substrings/filter.hpp"

#include <algorithm>
#include <array>

namespace sluice::substrings {

namespace {

// Limits of the sample in which grams are counted, and of the one on which filters are tried, which takes longer: of
// texts, and of patterns.
constexpr std::size_t counted_bytes_max = std::size_t{64} << 10;
constexpr std::size_t seen_bytes_max = std::size_t{16} << 10, own_bytes_max = std::size_t{8} << 10;

// Minimum lengths of the classes of patterns from which groups are made.
constexpr std::size_t class_bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16};
constexpr std::size_t classes = std::size(class_bytes);

void take(std::vector<std::string_view>& sample, std::string_view text, std::size_t& left) {
    sample.push_back(text.substr(0, left));
    left -= sample.back().size();
}

std::vector<std::string_view> sample_of(const PatternTexts& texts, std::span<const std::uint32_t> patterns,
                                        std::span<const std::string_view> seen, std::size_t seen_bytes,
                                        std::size_t own_bytes) {
    std::vector<std::string_view> sample;
    for (std::size_t t = 0; t < seen.size() && seen_bytes > 0; ++t) take(sample, seen[t], seen_bytes);
    const std::size_t step = 1 + patterns.size() * 16 / own_bytes;
    for (std::size_t i = 0; i < patterns.size() && own_bytes > 0; i += step)
        take(sample, texts[patterns[i]], own_bytes);
    return sample;
}

std::array<std::vector<std::uint32_t>, classes> by_length(const PatternTexts& texts,
                                                          std::span<const std::uint32_t> patterns) {
    std::array<std::vector<std::uint32_t>, classes> members;
    for (const std::uint32_t p : patterns) {
        const auto* const after = std::upper_bound(std::begin(class_bytes), std::end(class_bytes), texts[p].size());
        members[static_cast<std::size_t>(after - std::begin(class_bytes)) - 1].push_back(p);
    }
    return members;
}

}  // namespace

// From the longest class down, each class joins the group of the previous ones if a joint filter is cheaper.
PatternFilter::PatternFilter(const PatternTexts& texts, std::span<const std::uint32_t> patterns,
                             std::span<const std::string_view> seen, const FilterKernels& kernels) {
    const auto sample = sample_of(texts, patterns, seen, seen_bytes_max, own_bytes_max);
    const GramCounts counts(sample_of(texts, patterns, seen, counted_bytes_max, counted_bytes_max));
    auto members = by_length(texts, patterns);
    std::vector<std::uint32_t> last;  // members of the last group
    for (std::size_t c = classes; c-- > 0;) {
        if (members[c].empty()) continue;
        GroupFilter alone(texts, members[c], sample, counts, kernels);
        if (!groups_.empty()) {
            last.insert(last.end(), members[c].begin(), members[c].end());
            GroupFilter joined(texts, last, sample, counts, kernels);
            const double apart = alone.nanoseconds_per_byte() + groups_.back().nanoseconds_per_byte();
            if (joined.nanoseconds_per_byte() <= apart) {
                groups_.back() = std::move(joined);
                continue;
            }
        }
        groups_.push_back(std::move(alone));
        last = std::move(members[c]);
    }
    groups_.shrink_to_fit();
}

}  // namespace sluice::substrings
