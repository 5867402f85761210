#include "gpu/operators/exact/filter.hpp"

#include <algorithm>
#include <vector>

#include "gpu/operators/exact/group_filter.hpp"

namespace sluice::exact {

namespace {

constexpr std::size_t sample_bytes_max = std::size_t{64} << 10;  // of texts, and as many of patterns

// Least lengths of the classes of patterns of which groups are made.
constexpr std::size_t class_bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16};

void take(std::vector<std::string_view>& sample, std::string_view text, std::size_t& left) {
    sample.push_back(text.substr(0, left));
    left -= sample.back().size();
}

std::vector<std::string_view> sample_of(const PatternPool& pool, std::span<const std::string_view> texts) {
    std::vector<std::string_view> sample;
    std::size_t left = sample_bytes_max;
    for (std::size_t t = 0; t < texts.size() && left > 0; ++t) take(sample, texts[t], left);
    left = sample_bytes_max;
    const std::uint32_t step = 1 + pool.size() / 4096;
    for (std::uint32_t p = 0; p < pool.size() && left > 0; p += step) take(sample, pool.text(p), left);
    return sample;
}

class FilterSearcher : public Searcher {
public:
    FilterSearcher(std::span<const Pattern> patterns, std::span<const std::string_view> texts,
                   const FilterKernels& kernels)
        : pool_(patterns) {
        const std::vector<std::string_view> sample = sample_of(pool_, texts);
        make_groups(sample, GramCounts(sample), kernels);
    }

    void search(std::span<const std::string_view> texts, Results& results) const override {
        for (std::uint32_t t = 0; t < texts.size(); ++t) {
            results.begin_text(t, pool_.size());
            for (const std::uint32_t p : pool_.empty()) results.add(p);
            for (const GroupFilter& group : groups_) group.search(pool_, texts[t], results);
            results.counters += {1, texts[t].size(), 0, 0, 0};
        }
    }

private:
    // From the longest class down, each joins the group of those above it if one filter for both is cheaper than two.
    void make_groups(std::span<const std::string_view> sample, const GramCounts& counts, const FilterKernels& kernels) {
        for (std::size_t c = std::size(class_bytes); c-- > 0;) {
            const std::size_t end = c + 1 < std::size(class_bytes) ? class_bytes[c + 1] : pattern_bytes_max + 1;
            std::vector<std::uint32_t> members;
            for (std::uint32_t p = 0; p < pool_.size(); ++p) {
                if (pool_.text(p).size() >= class_bytes[c] && pool_.text(p).size() < end) members.push_back(p);
            }
            if (members.empty()) continue;
            GroupFilter alone(pool_, members, sample, counts, kernels);
            if (!groups_.empty()) {
                members.insert(members.end(), groups_.back().members().begin(), groups_.back().members().end());
                GroupFilter joined(pool_, std::move(members), sample, counts, kernels);
                const double apart = alone.nanoseconds_per_byte() + groups_.back().nanoseconds_per_byte();
                if (joined.nanoseconds_per_byte() <= apart) {
                    groups_.back() = std::move(joined);
                    continue;
                }
            }
            groups_.push_back(std::move(alone));
        }
    }

    PatternPool pool_;
    std::vector<GroupFilter> groups_;
};

}  // namespace

std::unique_ptr<Searcher> make_filter_searcher(std::span<const Pattern> patterns,
                                               std::span<const std::string_view> sample, const FilterKernels& kernels) {
    return std::make_unique<FilterSearcher>(patterns, sample, kernels);
}

}  // namespace sluice::exact
