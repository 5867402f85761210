// bench_approximate: approximate matching on one core beside edlib, in the same run. Prints a line of tab-separated
// figures for each kind of text, pattern length m and text length n: the processor time of 32 patterns (or one) that
// share the texts, in GCUPS (10^9 matrix cells per second, counting cells that need not be computed), and edlib's for
// the same patterns and texts. Samples of the two alternate; the fastest of each counts.
//   bench_approximate pairs: each text with some of 10,000 patterns, as an engine asks; microseconds per text
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <edlib.h>
#include <functional>
#include <vector>

#include "gpu/operators/edits/edits.hpp"
#include "tests/bench/approximate_texts.hpp"
#include "tests/support/exact_workload.hpp"

using namespace sluice;
using namespace sluice::edits;

namespace {

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double seconds(const std::function<void()>& work) {
    int rounds = 0;
    const double begin = processor_seconds();
    double end = begin;
    for (; end - begin < 0.02; end = processor_seconds(), ++rounds) work();
    return (end - begin) / rounds;
}

struct Workload {
    std::vector<std::string> texts, patterns;
    int k;  // -1: distances
};

void edlib_all(const Workload& load, std::size_t patterns, std::vector<int>& distances) {
    distances.clear();
    const EdlibAlignConfig config = edlibNewAlignConfig(load.k, EDLIB_MODE_HW, EDLIB_TASK_DISTANCE, nullptr, 0);
    for (const auto& text : load.texts) {
        for (std::size_t p = 0; p < patterns; ++p) {
            const auto& pattern = load.patterns[p];
            const EdlibAlignResult result = edlibAlign(pattern.data(), static_cast<int>(pattern.size()), text.data(),
                                                       static_cast<int>(text.size()), config);
            distances.push_back(result.editDistance);
            edlibFreeAlignResult(result);
        }
    }
}

void measure(std::string_view kind, std::size_t m, std::size_t n, std::size_t patterns, int k) {
    std::mt19937_64 random(m * 1000003 + n);
    Workload load{{}, {}, k};
    for (std::size_t i = 0; i < std::max<std::size_t>(1, 20000 / n); ++i)
        load.texts.push_back(bench::random_text(kind, n, random));
    std::vector<Pattern> searched;
    for (std::size_t p = 0; p < patterns; ++p) load.patterns.push_back(bench::random_text(kind, m, random));
    for (const auto& pattern : load.patterns) searched.push_back({pattern, static_cast<std::uint32_t>(std::max(k, 0))});
    const std::vector<std::string_view> texts(load.texts.begin(), load.texts.end());
    const PatternSet set(searched, Extent::substring);
    Counters counters;
    std::vector<std::uint32_t> distances(texts.size() * patterns);
    std::vector<std::uint8_t> within(texts.size() * patterns);
    std::vector<Pair> pairs;
    for (std::uint32_t t = 0; t < texts.size(); ++t) {
        for (std::uint32_t p = 0; p < patterns; ++p) pairs.push_back({t, p});
    }
    // Timing edlib needs only a few of the same patterns.
    const std::size_t edlib_patterns = std::min<std::size_t>(patterns, n > 100000 ? 1 : 4);
    std::vector<int> expected;
    double own = 1e9, edlib = 1e9;
    for (int sample = 0; sample < 5; ++sample) {
        own = std::min(own, seconds([&] {
                           if (k < 0)
                               set.distances(texts, pairs, distances, counters);
                           else
                               set.decide(texts, pairs, within, counters);
                       }));
        edlib = std::min(edlib, seconds([&] { edlib_all(load, edlib_patterns, expected); }));
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto t = static_cast<std::uint32_t>(i / edlib_patterns),
                   p = static_cast<std::uint32_t>(i % edlib_patterns);
        const bool same = k < 0 ? static_cast<int>(distances[t * patterns + p]) == expected[i]
                                : (within[t * patterns + p] != 0) == (expected[i] >= 0);
        if (!same) {
            std::fprintf(stderr, "not edlib's answer: text %u, pattern %u\n", t, p);
            std::exit(1);
        }
    }
    const double cells = static_cast<double>(m * n * texts.size());
    const double own_gcups = cells * static_cast<double>(patterns) / own / 1e9;
    const double edlib_gcups = cells * static_cast<double>(edlib_patterns) / edlib / 1e9;
    std::printf("%.*s\t%zu\t%zu\t%zu\t%d\t%.1f\t%.1f\t%.1f\n", static_cast<int>(kind.size()), kind.data(), m, n,
                patterns, k, own_gcups, edlib_gcups, own_gcups / edlib_gcups);
    std::fflush(stdout);
}

// `asked` consecutive patterns with each text of 60 bytes, within k edits of a part of it or of the whole.
void measure_pairs(Extent extent, std::size_t shortest, std::size_t longest, std::uint32_t asked) {
    constexpr std::uint32_t patterns = 10'000, texts_asked = 512, k = 2;
    constexpr std::size_t text_bytes = 60;
    std::mt19937_64 random(5);
    const std::string all = substrings::make_text(substrings::Alphabet::english, std::size_t{2} << 20, 1);
    std::vector<std::string> owned;
    while (owned.size() < patterns) {
        owned.push_back(all.substr(random() % (all.size() - longest), shortest + random() % (longest - shortest + 1)));
        for (std::size_t changes = random() % 4; changes > 0; --changes)
            owned.back()[random() % owned.back().size()] = static_cast<char>('a' + random() % 26);
    }
    std::vector<Pattern> searched;
    for (const auto& pattern : owned) searched.push_back({pattern, k});
    const PatternSet set(searched, extent);
    std::vector<std::string_view> texts;
    std::vector<Pair> pairs;
    for (std::uint32_t t = 0; t < texts_asked; ++t) {
        texts.push_back(std::string_view(all).substr(random() % (all.size() - text_bytes), text_bytes));
        const auto first = static_cast<std::uint32_t>(random() % (patterns - asked));
        for (std::uint32_t i = 0; i < asked; ++i) pairs.push_back({t, first + i});
    }
    std::vector<std::uint8_t> within(pairs.size()), expected(pairs.size());
    const EdlibAlignMode mode = extent == Extent::whole ? EDLIB_MODE_NW : EDLIB_MODE_HW;
    const EdlibAlignConfig config = edlibNewAlignConfig(k, mode, EDLIB_TASK_DISTANCE, nullptr, 0);
    const auto ask_edlib = [&] {
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const std::string_view pattern = owned[pairs[i].pattern], text = texts[pairs[i].text];
            const EdlibAlignResult result = edlibAlign(pattern.data(), static_cast<int>(pattern.size()), text.data(),
                                                       static_cast<int>(text.size()), config);
            expected[i] = result.editDistance >= 0 ? 1 : 0;
            edlibFreeAlignResult(result);
        }
    };
    Counters counters;
    double own = 1e9, edlib = 1e9;
    for (int sample = 0; sample < 5; ++sample) {
        own = std::min(own, seconds([&] { set.decide(texts, pairs, within, counters); }));
        edlib = std::min(edlib, seconds(ask_edlib));
    }
    if (within != expected) {
        std::fprintf(stderr, "not edlib's answers\n");
        std::exit(1);
    }
    std::printf("%s\t%zu-%zu\t%u\t%.2f\t%.2f\t%.1f\n", extent == Extent::whole ? "whole" : "part", shortest, longest,
                asked, own / texts_asked * 1e6, edlib / texts_asked * 1e6, edlib / own);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "pairs") {
        std::printf("of\tlengths\tpatterns_asked\tmicroseconds\tedlib_microseconds\tratio\n");
        constexpr std::uint32_t numbers[] = {1, 4, 8, 16, 50, 200, 1000};
        for (const auto& [shortest, longest] : {std::pair<std::size_t, std::size_t>{8, 24}, {12, 30}, {20, 40}}) {
            for (const std::uint32_t asked : numbers) measure_pairs(Extent::substring, shortest, longest, asked);
        }
        for (const std::uint32_t asked : numbers) measure_pairs(Extent::whole, 40, 80, asked);
        return 0;
    }
    std::printf("text\tm\tn\tpatterns\tk\tgcups\tedlib_gcups\tratio\n");
    for (const auto kind : bench::text_kinds) {
        for (const std::size_t patterns : {32u, 1u}) {
            for (const std::size_t m : {32u, 64u, 128u, 256u, 1024u}) {
                for (const std::size_t n : {200u, 20'000u, 1'000'000u}) {
                    measure(kind, m, n, patterns, -1);
                    measure(kind, m, n, patterns, static_cast<int>(m / 16));
                }
            }
        }
    }
}
