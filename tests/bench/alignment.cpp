// Alignments on one core, beside parasail's best striped function on the same pairs in the same run. Prints
// tab-separated lines: name, letters per side, GCUPS of each instruction set, of align_on_core() (which also returns
// the end), of align_rows(), of align_tiles() with one thread, and of parasail. Then the savings of the k-mer filter.
// Processor time, the best of several runs, so that other programs matter little.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <parasail.h>
#include <parasail/matrices/blosum62.h>
#include <random>
#include <string>

#include "gpu/operators/alignment/kmer_filter.hpp"
#include "gpu/operators/alignment/many.hpp"
#include "gpu/operators/alignment/on_core.hpp"
#include "gpu/operators/alignment/rows.hpp"
#include "gpu/operators/alignment/tiles.hpp"
#include "tests/support/sequence_letters.hpp"

using namespace sluice::alignment;

namespace {

std::mt19937 random_bits(1);

struct Workload {
    Scheme scheme;
    const parasail_matrix_t* matrix;
    SequenceSet queries, texts;
    std::vector<Pair> pairs;
    double cells = 0;
};

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The GCUPS of the best of several runs, each long enough to be timed.
double gcups(double cells, const std::function<void()>& work) {
    const double begin = processor_seconds();
    work();
    const double once = std::max(processor_seconds() - begin, 1e-7);
    const int inner = static_cast<int>(std::clamp(0.005 / once, 1.0, 10'000.0));
    double best = 1e9;
    for (int run = 0; run < 7; ++run) {
        const double start = processor_seconds();
        for (int i = 0; i < inner; ++i) work();
        best = std::min(best, (processor_seconds() - start) / inner);
    }
    return cells / best / 1e9;
}

using sluice::simd::instruction_sets;

// `count` queries and one text; related ones differ in a tenth of their letters.
Workload make_workload(bool protein, bool related, std::size_t count, std::size_t length) {
    Workload work{protein ? Scheme::blosum62() : Scheme::dna(), nullptr, {}, {}, {}};
    work.matrix = protein ? &parasail_blosum62 : parasail_matrix_create("ACGT", 1, -3);
    const unsigned letters = protein ? 20 : 4;
    std::vector<Code> text(length);
    for (auto& code : text) code = static_cast<Code>(random_bits() % letters);
    work.texts.add(text);
    for (std::uint32_t q = 0; q < count; ++q) {
        auto query = text;
        for (auto& code : query) {
            if (!related || random_bits() % 10 == 0) code = static_cast<Code>(random_bits() % letters);
        }
        work.queries.add(query);
        work.pairs.push_back({q, 0});
        work.cells += static_cast<double>(length) * static_cast<double>(length);
    }
    return work;
}

double parasail_gcups(const Workload& work, std::span<const std::int32_t> scores) {
    const std::string text = letters_of(work.scheme, work.texts[0]);
    const std::size_t some = std::min<std::size_t>(work.queries.size(), 8);
    double best = 0;
    for (const auto function :
         {parasail_sw_striped_avx2_256_8, parasail_sw_striped_avx2_256_16, parasail_sw_striped_avx2_256_sat}) {
        bool right = true;
        const double speed =
            gcups(work.cells * static_cast<double>(some) / static_cast<double>(work.queries.size()), [&] {
                for (std::size_t q = 0; q < some; ++q) {
                    const std::string query = letters_of(work.scheme, work.queries[q]);
                    auto* result = function(query.c_str(), static_cast<int>(query.size()), text.c_str(),
                                            static_cast<int>(text.size()), work.scheme.gap_first,
                                            work.scheme.gap_further, work.matrix);
                    right = right && result->score == scores[q];
                    parasail_result_free(result);
                }
            });
        if (right) best = std::max(best, speed);  // lanes of 8 bits may have saturated
    }
    return best;
}

void measure(bool protein, bool related, std::size_t count, std::size_t length) {
    const Workload work = make_workload(protein, related, count, length);
    std::vector<std::int32_t> scores(count);
    std::printf("%zu %s pair%s, %s\t%zu", count, protein ? "protein" : "dna", count == 1 ? "" : "s",
                related ? "90 % alike" : "unrelated", length);
    for (const auto set : instruction_sets()) {
        std::printf("\t%.2f", gcups(work.cells, [&] {
                        align_many(work.scheme, Mode::local, work.queries, work.texts, work.pairs, scores, set);
                    }));
    }
    const auto print_pair = [&](const auto& align, InstructionSet set) {
        if (count != 1) return void(std::printf("\t-"));
        const double speed = gcups(
            work.cells, [&] { align(work.scheme, Mode::local, work.queries[0], work.texts[0], Progress{}, set); });
        std::printf("\t%.2f", speed);
    };
    for (const auto set : instruction_sets()) print_pair(align_on_core, set);
    print_pair(align_rows, best_instruction_set());
    const auto align_in_tiles = [](const Scheme& scheme, Mode mode, Codes query, Codes text, const Progress& progress,
                                   InstructionSet set) {
        return align_tiles(scheme, mode, query, text, true, 1, progress, set).end;
    };
    if (protein)
        std::printf("\t-");
    else
        print_pair(align_in_tiles, best_instruction_set());
    std::printf("\t%.2f\n", parasail_gcups(work, scores));
    std::fflush(stdout);
}

std::vector<Code> random_dna(std::size_t length) {
    std::vector<Code> sequence(length);
    for (auto& code : sequence) code = static_cast<Code>(random_bits() % 4);
    return sequence;
}

// 32 texts against 1,000 queries of 300 bases, a hundredth of the pairs 90 % alike.
void measure_filter(std::int32_t threshold) {
    const Scheme scheme = Scheme::dna();
    SequenceSet queries, texts;
    std::vector<Pair> pairs;
    for (int q = 0; q < 1000; ++q) queries.add(random_dna(300));
    for (std::uint32_t t = 0; t < 32; ++t) {
        std::vector<Code> text = random_dna(300);
        for (std::uint32_t q = 0; q < 1000; ++q) pairs.push_back({q, t});
        if (t % 3 == 0) {
            const Codes query = queries[t];
            text.assign(query.begin(), query.end());
            for (auto& code : text) code = random_bits() % 10 == 0 ? Code{0} : code;
        }
        texts.add(text);
    }
    const std::vector<std::int32_t> thresholds(pairs.size(), threshold);
    std::vector<std::uint8_t> hits(pairs.size());
    const double without =
        gcups(1, [&] { align_reaches(scheme, Mode::local, queries, texts, pairs, thresholds, hits); });
    const auto hits_without = std::count(hits.begin(), hits.end(), 1);
    const auto filter = KmerFilter::make(scheme, queries, std::vector(queries.size(), threshold));
    std::size_t left = pairs.size();
    std::ptrdiff_t hits_with = hits_without;
    double with = without;
    if (filter) {
        with = gcups(1, [&] {
            std::vector<std::uint8_t> possible(pairs.size(), 1);
            filter->skip(texts, pairs, thresholds, possible);
            std::vector<Pair> some;
            for (std::size_t i = 0; i < pairs.size(); ++i) {
                if (possible[i] != 0) some.push_back(pairs[i]);
            }
            left = some.size();
            align_reaches(scheme, Mode::local, queries, texts, some, std::span(thresholds).first(left), hits);
            hits_with = std::count(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(left), 1);
        });
    }
    std::printf("%d\t%zu\t%.4f\t%.2f\t%.2f\t%td\t%td\n", threshold, filter ? filter->k() : 0,
                static_cast<double>(left) / static_cast<double>(pairs.size()), 1e-3 / without / 32, 1e-3 / with / 32,
                hits_without, hits_with);
    std::fflush(stdout);
}

}  // namespace

int main() {
    std::printf("what\tletters");
    for (const char* how : {"", "ends "}) {
        for (const auto set : instruction_sets()) std::printf("\t%s%s", how, sluice::simd::name_of(set));
    }
    std::printf("\trows\ttiles\tparasail\n");
    for (const bool protein : {false, true}) {
        for (const bool related : {false, true}) {
            for (const std::size_t length : {50u, 100u, 300u, 1000u, 3000u}) measure(protein, related, 64, length);
            for (const std::size_t length : {50u, 100u, 200u, 300u, 1000u, 3000u, 10000u})
                measure(protein, related, 1, length);
        }
    }
    std::printf("\nthreshold\tk\tpairs left\tus a text without\twith the filter\thits without\twith\n");
    for (const std::int32_t threshold : {250, 200, 150, 130, 120, 100, 50}) measure_filter(threshold);
}
