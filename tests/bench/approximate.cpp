// bench_approximate: approximate matching on one core beside edlib, in the same run. Prints a line of tab-separated
// figures for each kind of text, length of pattern m and length of text n: the processor time of 32 patterns (or one)
// that share the texts, in GCUPS (10^9 cells of the matrices a second, all of them, computed or not), and edlib's of
// the same patterns and texts. Samples of both alternate; of each the fastest counts.
#include "gpu/operators/approximate/approximate.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <edlib.h>
#include <functional>
#include <vector>

#include "tests/bench/approximate_texts.hpp"

using namespace sluice;
using namespace sluice::approximate;

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
    std::vector<Pair> found;
    // edlib needs no more of the same patterns to be timed.
    const std::size_t edlib_patterns = std::min<std::size_t>(patterns, n > 100000 ? 1 : 4);
    std::vector<int> expected;
    double own = 1e9, edlib = 1e9;
    for (int sample = 0; sample < 5; ++sample) {
        own = std::min(own, seconds([&] {
                           found.clear();
                           if (k < 0)
                               set.distances(texts, distances, counters);
                           else
                               set.find(texts, found, counters);
                       }));
        edlib = std::min(edlib, seconds([&] { edlib_all(load, edlib_patterns, expected); }));
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto t = static_cast<std::uint32_t>(i / edlib_patterns),
                   p = static_cast<std::uint32_t>(i % edlib_patterns);
        const bool same = k < 0 ? static_cast<int>(distances[t * patterns + p]) == expected[i]
                                : std::ranges::binary_search(found, Pair{t, p}) == (expected[i] >= 0);
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

}  // namespace

int main() {
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
