#include "tests/support/searchers.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "gpu/tools/search/pattern_pool.hpp"
#include "tests/support/joined_texts.hpp"

namespace sluice::substrings {

namespace {

class NaiveSearcher : public Searcher {
public:
    explicit NaiveSearcher(std::span<const Pattern> patterns) {
        for (const Pattern& pattern : patterns) patterns_.emplace_back(pattern.text);
    }

    void search(std::span<const std::string_view> texts, Results& results) const override {
        results.begin(texts.size(), patterns_.size());
        for (std::uint32_t t = 0; t < texts.size(); ++t) {
            for (std::uint32_t p = 0; p < patterns_.size(); ++p) {
                if (texts[t].find(patterns_[p]) != std::string_view::npos) results.add(t, p);
            }
            results.counters += {1, texts[t].size(), 0, patterns_.size(), 0};
        }
    }

private:
    std::vector<std::string> patterns_;
};

class FilterSearcher : public Searcher {
public:
    FilterSearcher(std::span<const Pattern> patterns, std::span<const std::string_view> sample,
                   const FilterKernels& kernels)
        : pool_(patterns) {
        std::vector<std::uint32_t> searched;
        for (std::uint32_t p = 0; p < pool_.size(); ++p) (pool_.text(p).empty() ? empty_ : searched).push_back(p);
        filter_ = PatternFilter(pool_.texts(), searched, sample, kernels);
    }

    void search(std::span<const std::string_view> texts, Results& results) const override {
        results.begin(texts.size(), pool_.size());
        JoinedTexts joined;
        for (std::uint32_t t = 0; t < texts.size(); ++t) {
            results.counters += {1, texts[t].size(), 0, 0, 0};
            for (const std::uint32_t p : empty_) results.add(t, p);
            if (texts[t].size() > JoinedTexts::text_bytes_max) {
                Sink sink{results, t, results.counters};
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
        Results& results;
        std::uint32_t text;
        Counters& counters;

        bool found(std::uint32_t pattern, std::size_t) const { return results.found(text, pattern); }
        bool add(std::uint32_t pattern, std::size_t) {
            results.add(text, pattern);
            return true;
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
            if (begin + pool.text(pattern).size() <= text.end) results.add(text.index, pattern);
            return false;  // other texts may contain the pattern, too
        }
    };

    PatternPool pool_;
    std::vector<std::uint32_t> empty_;  // they occur in every text
    PatternFilter filter_;
};

class RabinKarpSearcher : public Searcher {
public:
    RabinKarpSearcher(std::span<const Pattern> patterns, const RabinKarpParameters& parameters)
        : rabin_karp_(patterns, parameters), patterns_(patterns.size()) {
        for (std::uint32_t p = 0; p < patterns_; ++p) {
            if (patterns[p].text.empty()) empty_.push_back(p);
        }
    }

    void search(std::span<const std::string_view> texts, Results& results) const override {
        results.begin(texts.size(), patterns_);
        for (std::uint32_t t = 0; t < texts.size(); ++t) {
            for (const std::uint32_t p : empty_) results.add(t, p);
            for (const Occurrence& o : occurrences_of(rabin_karp_, texts[t], results.counters)) {
                if (!results.found(t, o.pattern)) results.add(t, o.pattern);
            }
            results.counters += {1, texts[t].size(), 0, 0, 0};
        }
    }

private:
    RabinKarp rabin_karp_;
    std::size_t patterns_;
    std::vector<std::uint32_t> empty_;
};

}  // namespace

void Results::begin(std::size_t texts, std::size_t patterns) {
    if (found_in_.size() < patterns) found_in_.resize(patterns, 0);
    if (texts > std::numeric_limits<std::uint32_t>::max() - next_stamp_) {
        std::fill(found_in_.begin(), found_in_.end(), 0);
        next_stamp_ = 1;
    }
    first_stamp_ = next_stamp_;
    next_stamp_ += static_cast<std::uint32_t>(texts);
}

std::unique_ptr<Searcher> make_naive_searcher(std::span<const Pattern> patterns) {
    return std::make_unique<NaiveSearcher>(patterns);
}

std::unique_ptr<Searcher> make_filter_searcher(std::span<const Pattern> patterns,
                                               std::span<const std::string_view> sample, const FilterKernels& kernels) {
    return std::make_unique<FilterSearcher>(patterns, sample, kernels);
}

std::unique_ptr<Searcher> make_rabin_karp_searcher(std::span<const Pattern> patterns,
                                                   const RabinKarpParameters& parameters) {
    return std::make_unique<RabinKarpSearcher>(patterns, parameters);
}

std::vector<Occurrence> occurrences_of(const RabinKarp& rabin_karp, std::string_view text, Counters& counters) {
    std::vector<Occurrence> all;
    for (const PartOccurrences& part :
         rabin_karp.occurrences(text, text.size(), std::numeric_limits<std::size_t>::max(), counters))
        all.insert(all.end(), part.list.begin(), part.list.end());
    return all;
}

}  // namespace sluice::substrings
