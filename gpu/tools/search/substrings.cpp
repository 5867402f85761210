#include "gpu/tools/search/substrings.hpp"

#include <algorithm>
#include <limits>

namespace sluice::substrings {

namespace {

std::string too_many(const char* what, std::size_t size, std::size_t most) {
    return std::string(what) + " " + std::to_string(size) + " is more than the limit of " + std::to_string(most);
}

class NaiveSearcher : public Searcher {
public:
    explicit NaiveSearcher(std::span<const Pattern> patterns) {
        for (const Pattern& p : patterns) patterns_.push_back({std::string(p.text), p.place});
    }

    void search(std::span<const std::string_view> texts, Results& results) const override {
        results.begin(texts.size(), patterns_.size());
        for (std::uint32_t t = 0; t < texts.size(); ++t) {
            for (std::uint32_t p = 0; p < patterns_.size(); ++p) {
                if (occurs(patterns_[p], texts[t])) results.add(t, p);
            }
            results.counters += {1, texts[t].size(), 0, patterns_.size(), 0};
        }
    }

private:
    struct Copy {
        std::string text;
        Place place;
    };

    static bool occurs(const Copy& pattern, std::string_view text) {
        switch (pattern.place) {
            case Place::anywhere:
                return text.find(pattern.text) != text.npos;
            case Place::start:
                return text.starts_with(pattern.text);
            case Place::end:
                return text.ends_with(pattern.text);
        }
        return false;
    }

    std::vector<Copy> patterns_;
};

}  // namespace

std::string refusal(std::span<const Pattern> patterns) {
    if (patterns.size() > patterns_max) return too_many("the number of patterns,", patterns.size(), patterns_max);
    std::size_t bytes = 0;
    for (std::size_t p = 0; p < patterns.size(); ++p) {
        bytes += patterns[p].text.size();
        if (patterns[p].text.size() > pattern_bytes_max)
            return too_many(("the length in bytes of pattern " + std::to_string(p) + ",").c_str(),
                            patterns[p].text.size(), pattern_bytes_max);
    }
    if (bytes > all_patterns_bytes_max)
        return too_many("the length in bytes of all patterns,", bytes, all_patterns_bytes_max);
    return {};
}

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

}  // namespace sluice::substrings
