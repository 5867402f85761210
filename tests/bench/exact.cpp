// Exact search on one core: the filter searcher beside Vectorscan (HS_FLAG_SINGLEMATCH, the same result), alternating
// in the same run, the best of several by the process's processor time. One line of JSON for each combination; "ratio"
// is the best filter to Vectorscan.
//   bench_exact [megabytes of text, 8] [rounds, 5] [all: also the slower instruction sets and short patterns]
//   bench_exact megabytes rounds engine: 10 to a million patterns of 4 to 24 bytes in texts as long as titles and
//   descriptions, up to 10,000 of them also by Vectorscan
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <malloc.h>
#include <random>

#include "tests/support/exact_workload.hpp"
#include "tests/support/searchers.hpp"
#ifdef SLUICE_WITH_VECTORSCAN
#include "tests/support/vectorscan.hpp"
#endif

using namespace sluice::substrings;

namespace {

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Engine {
    const char* name;
    std::unique_ptr<Searcher> searcher;
    double compile_seconds = 0, heap_bytes = 0, best_seconds = 1e9;
    Results results;
};

struct Workload {
    Alphabet alphabet;
    std::size_t count, shortest, longest;
};

double heap_bytes() {
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
}

void compile(std::vector<Engine>& engines, const std::vector<Pattern>& patterns,
             const std::vector<std::string_view>& sample, bool every_kernel) {
    const auto add = [&](const char* name, auto make) {
        const double begin = processor_seconds(), heap = heap_bytes();
        auto searcher = make();
        if (searcher == nullptr) return;
        engines.push_back({name, std::move(searcher), processor_seconds() - begin, heap_bytes() - heap, 1e9, {}});
    };
#ifdef SLUICE_WITH_VECTORSCAN
    constexpr std::size_t vectorscan_patterns_max = 10'000;  // more take it seconds to compile
    if (patterns.size() <= vectorscan_patterns_max)
        add("vectorscan", [&] { return make_vectorscan_searcher(patterns); });
#endif
    for (const auto set : sluice::simd::instruction_sets())
        if (every_kernel || set == sluice::simd::best_instruction_set())
            add(sluice::simd::name_of(set),
                [&] { return make_filter_searcher(patterns, sample, filter_kernels(set)); });
}

// Cuts the text into pieces with lengths between these two.
std::vector<std::string_view> cut(std::string_view all, std::size_t shortest, std::size_t longest) {
    std::mt19937_64 random(5);
    std::vector<std::string_view> texts;
    for (std::size_t begin = 0; begin + longest <= all.size(); begin += texts.back().size())
        texts.push_back(all.substr(begin, shortest + random() % (longest - shortest + 1)));
    return texts;
}

void measure(const Workload& workload, const std::vector<std::string_view>& texts, const std::string& all, int rounds,
             bool every_kernel) {
    const auto owned = make_patterns(workload.alphabet, all, workload.count, workload.shortest, workload.longest, 3);
    std::vector<Pattern> patterns;
    for (const std::string& text : owned) patterns.push_back({text});
    // Sample texts for the searcher: like the measured ones, but different.
    const std::string seen = make_text(workload.alphabet, std::size_t{64} << 10, 99);
    std::vector<Engine> engines;
    compile(engines, patterns, {seen}, every_kernel);
    for (int round = 0; round < rounds; ++round) {
        for (Engine& engine : engines) {
            engine.results.clear();
            const double begin = processor_seconds();
            engine.searcher->search(texts, engine.results);
            engine.best_seconds = std::min(engine.best_seconds, processor_seconds() - begin);
        }
    }
    std::size_t bytes = 0;
    for (const std::string_view text : texts) bytes += text.size();
    const auto gigabytes = static_cast<double>(bytes) * 1e-9;
    std::printf("{\"alphabet\": \"%s\", \"patterns\": %zu, \"lengths\": \"%zu-%zu\", \"text_bytes\": %zu",
                name_of(workload.alphabet), workload.count, workload.shortest, workload.longest, bytes / texts.size());
    for (const Engine& engine : engines)
        std::printf(
            ", \"%s\": {\"GB/s\": %.3f, \"compile_ms\": %.2f, \"bytes_a_pattern\": %.0f, \"hits\": %zu, "
            "\"filter_hits\": %llu, \"verified\": "
            "%llu}",
            engine.name, gigabytes / engine.best_seconds, 1e3 * engine.compile_seconds,
            engine.heap_bytes / static_cast<double>(workload.count), engine.results.hits.size(),
            static_cast<unsigned long long>(engine.results.counters.filter_hits),
            static_cast<unsigned long long>(engine.results.counters.verified));
    std::printf(", \"ratio\": %.2f}\n", engines.front().best_seconds / engines.back().best_seconds);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t bytes = static_cast<std::size_t>(argc > 1 ? std::atoi(argv[1]) : 8) << 20;
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
    const bool every = argc > 3 && std::string_view(argv[3]) == "all";
    if (argc > 3 && !every) {
        for (const Alphabet alphabet : {Alphabet::english, Alphabet::letters}) {
            const std::string all = make_text(alphabet, bytes, 1);
            for (const std::size_t count : {10u, 1000u, 100'000u, 1'000'000u}) {
                for (const auto& [shortest, longest] : {std::pair{60u, 120u}, {1024u, 4096u}})
                    measure({alphabet, count, 4, 24}, cut(all, shortest, longest), all, rounds, every);
            }
        }
        return 0;
    }
    std::vector<std::pair<std::size_t, std::size_t>> lengths{{8, 32}, {4, 64}};
    if (every) lengths.emplace_back(2, 8);
    for (const Alphabet alphabet : {Alphabet::letters, Alphabet::dna, Alphabet::english}) {
        const std::string all = make_text(alphabet, bytes, 1);
        for (const auto& [shortest, longest] : lengths) {
            for (const std::size_t count : {1u, 32u, 256u, 10'000u}) {
                for (const std::size_t text_bytes : {64u, 200u, 1024u, 65536u})
                    measure({alphabet, count, shortest, longest}, cut(all, text_bytes, text_bytes), all, rounds, every);
            }
        }
    }
}
