#include <algorithm>
#include <atomic>
#include <numeric>

#include "gpu/operators/substrings/filter.hpp"
#include "gpu/simd/on_threads.hpp"
#include "gpu/tools/search/occurrences.hpp"
#include "gpu/tools/search/part_occurrences.hpp"
#include "gpu/tools/search/pattern_pool.hpp"
#include "gpu/tools/search/plain_rabin_karp.hpp"
#include "gpu/tools/search/rabin_karp.hpp"

namespace sluice::substrings {

namespace {

bool is_before(const Occurrence& a, const Occurrence& b) {
    return a.position != b.position ? a.position < b.position : a.pattern < b.pattern;
}

void sort_list(std::vector<Occurrence>& list) {
    if (!std::is_sorted(list.begin(), list.end(), is_before)) std::sort(list.begin(), list.end(), is_before);
}

// Joins the parts, each of which begins where the previous one ends. Returns whether none of them overflowed.
bool join_parts(std::span<PartOccurrences> parts, Wanted wanted, FoundOccurrences& found) {
    found.list.clear();
    found.number = 0;
    found.kernel_seconds = 0;
    if (std::any_of(parts.begin(), parts.end(), [](const PartOccurrences& part) { return part.overflow; }))
        return false;
    if (wanted == Wanted::ascending)
        simd::run_tasks(parts.size(), parts.size(), {},
                        [&](std::size_t part, const std::atomic<bool>&) { sort_list(parts[part].list); });
    for (const PartOccurrences& part : parts) found.number += part.number;
    if (wanted != Wanted::number) found.list.reserve(found.number);
    for (const PartOccurrences& part : parts) found.list.insert(found.list.end(), part.list.begin(), part.list.end());
    return true;
}

class PrefixSumsFinder : public OccurrenceFinder {
public:
    PrefixSumsFinder(std::span<const Pattern> patterns, unsigned threads)
        : rabin_karp_(patterns, {.threads = threads}) {}

    bool find(std::string_view text, std::size_t begins, Wanted wanted, FoundOccurrences& found) override {
        Counters counters;
        auto parts = rabin_karp_.occurrences(text, begins, wanted == Wanted::number ? 0 : occurrences_max, counters);
        return join_parts(parts, wanted, found);
    }

private:
    RabinKarp rabin_karp_;
};

// Cuts a text into a part for each thread. Parts overlap by the longest pattern minus one byte.
class PartedFinder : public OccurrenceFinder {
public:
    PartedFinder(std::span<const Pattern> patterns, unsigned threads) : threads_(threads) {
        for (const Pattern& pattern : patterns) longest_ = std::max(longest_, pattern.text.size());
    }

    bool find(std::string_view text, std::size_t begins, Wanted wanted, FoundOccurrences& found) override {
        constexpr std::size_t part_bytes_min = 4096;
        const std::size_t count = part_count(begins, threads_, std::max(part_bytes_min, longest_));
        std::vector<PartOccurrences> parts(count);
        simd::run_tasks(count, count, {}, [&](std::size_t p, const std::atomic<bool>&) {
            PartOccurrences& part = parts[p];
            part.offset = begins * p / count;
            part.begins = begins * (p + 1) / count - part.offset;
            part.most = wanted == Wanted::number ? 0 : occurrences_max / count;
            search_part(text.substr(part.offset, part.begins + longest_ - 1), part);
        });
        return join_parts(parts, wanted, found);
    }

protected:
    virtual void search_part(std::string_view text, PartOccurrences& found) const = 0;

private:
    unsigned threads_;
    std::size_t longest_ = 1;
};

class FilterFinder : public PartedFinder {
public:
    FilterFinder(std::span<const Pattern> patterns, unsigned threads, std::string_view sample)
        : PartedFinder(patterns, threads), pool_(patterns) {
        std::vector<std::uint32_t> all(pool_.size());
        std::iota(all.begin(), all.end(), 0);
        filter_ = PatternFilter(pool_.texts(), all, std::span(&sample, 1));
    }

protected:
    void search_part(std::string_view text, PartOccurrences& part) const override {
        struct Sink {
            PartOccurrences& part;
            Counters counters;

            bool found(std::uint32_t, std::size_t) const { return part.overflow; }
            bool add(std::uint32_t pattern, std::size_t begin) {
                part.add(pattern, begin);
                return false;  // the next occurrence counts, too
            }
        };
        Sink sink{part, {}};
        filter_.search(pool_.texts(), text, sink);
    }

private:
    PatternPool pool_;
    PatternFilter filter_;
};

class PlainFinder : public PartedFinder {
public:
    PlainFinder(std::span<const Pattern> patterns, unsigned threads)
        : PartedFinder(patterns, threads), rabin_karp_(patterns) {}

protected:
    void search_part(std::string_view text, PartOccurrences& part) const override { rabin_karp_.search(text, part); }

private:
    PlainRabinKarp rabin_karp_;
};

}  // namespace

std::unique_ptr<OccurrenceFinder> make_occurrence_finder(std::span<const Pattern> patterns, Algorithm algorithm,
                                                         unsigned threads, std::string_view sample) {
    switch (algorithm) {
        case Algorithm::filter:
            return std::make_unique<FilterFinder>(patterns, threads, sample);
        case Algorithm::prefix_sums:
            return std::make_unique<PrefixSumsFinder>(patterns, threads);
        case Algorithm::plain:
            return std::make_unique<PlainFinder>(patterns, threads);
    }
    return nullptr;
}

}  // namespace sluice::substrings
