#include "tests/support/filter_searcher.hpp"

#include "gpu/tools/search/pattern_pool.hpp"
#include "tests/support/joined_texts.hpp"

namespace sluice::substrings {

namespace {

class FilterSearcher : public Searcher {
public:
    FilterSearcher(std::span<const Pattern> patterns, std::span<const std::string_view> sample,
                   const FilterKernels& kernels)
        : pool_(patterns) {
        std::vector<std::uint32_t> searched;
        for (std::uint32_t p = 0; p < pool_.size(); ++p) {
            if (!pool_.text(p).empty()) searched.push_back(p);
        }
        filter_ = PatternFilter(pool_.texts(), searched, sample, kernels);
    }

    void search(std::span<const std::string_view> texts, Results& results) const override {
        results.begin(texts.size(), pool_.size());
        JoinedTexts joined;
        for (std::uint32_t t = 0; t < texts.size(); ++t) {
            results.counters += {1, texts[t].size(), 0, 0, 0};
            for (const std::uint32_t p : pool_.empty()) results.add(t, p);
            if (texts[t].size() > JoinedTexts::text_bytes_max) {
                Sink sink{pool_, results, {t, 0, static_cast<std::uint32_t>(texts[t].size())}, results.counters};
                filter_.search(pool_.texts(), texts[t], sink);
            } else if (!texts[t].empty()) {
                if (!joined.takes(texts[t])) search(joined, results);
                joined.add(t, texts[t]);
            }
        }
        search(joined, results);
    }

private:
    void search(JoinedTexts& joined, Results& results) const {
        JoinedSink sink{pool_, results, joined, results.counters};
        filter_.search(pool_.texts(), joined.bytes(), sink);
        joined.clear();
    }

    struct Sink {
        const PatternPool& pool;
        Results& results;
        JoinedTexts::Part text;
        Counters& counters;

        bool found(std::uint32_t pattern, std::size_t) const { return results.found(text.index, pattern); }
        bool add(std::uint32_t pattern, std::size_t begin) {
            const bool placed = pool.placed(pattern, begin - text.begin, text.end - text.begin);
            if (placed) results.add(text.index, pattern);
            return placed;
        }
    };

    struct JoinedSink {
        const PatternPool& pool;
        Results& results;
        const JoinedTexts& joined;
        Counters& counters;

        bool found(std::uint32_t pattern, std::size_t begin) const {
            return results.found(joined.part_at(begin).index, pattern);
        }
        bool add(std::uint32_t pattern, std::size_t begin) {
            const JoinedTexts::Part& text = joined.part_at(begin);
            if (begin + pool.text(pattern).size() <= text.end) Sink{pool, results, text, counters}.add(pattern, begin);
            return false;  // other texts may contain the pattern, too
        }
    };

    PatternPool pool_;
    PatternFilter filter_;
};

}  // namespace

std::unique_ptr<Searcher> make_filter_searcher(std::span<const Pattern> patterns,
                                               std::span<const std::string_view> sample, const FilterKernels& kernels) {
    return std::make_unique<FilterSearcher>(patterns, sample, kernels);
}

}  // namespace sluice::substrings
