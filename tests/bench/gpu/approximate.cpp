// bench_approximate_gpu: approximate matching on the device, device time of graphs, medians. Three tables,
// tab-separated:
//   asm    one pattern of m characters, |Y| = 2^22: the papers' algorithms and the bit-parallel kernel, best of D parts
//   long   the bit-parallel kernel by D, m = 1024
//   many   texts of 200 and 60 bytes against 10,000 patterns: distances, and hits within k = 2
//   bench_approximate_gpu [--brief: fewer lengths] [--many: only the third table]
// Every answer is checked against the CPU's (for `many`, those of some texts).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "gpu/operators/edits/cuda/device_groups.hpp"
#include "gpu/operators/edits/cuda/myers_long.hpp"
#include "gpu/operators/edits/edits.hpp"
#include "gpu/operators/edits/parts.hpp"
#include "gpu/tools/distance/asm_kernels.hpp"
#include "tests/bench/approximate_texts.hpp"
#include "tests/bench/gpu/graph_timer.hpp"

using namespace sluice;
using namespace sluice::edits;

namespace {

constexpr std::size_t n = std::size_t{1} << 22;

// The median of replays that take about a tenth of a second in all.
template <class Enqueue>
double microseconds(Enqueue enqueue) {
    const double once = bench::graph_microseconds(enqueue, 1, 3);
    const int replays = once > 1000 ? 1 : once > 100 ? 5 : 20;
    const int samples = std::max(7, std::min(51, static_cast<int>(1e5 / (once * replays))));
    return bench::graph_microseconds(enqueue, replays, samples);
}

std::uint32_t cpu_distance(const std::string& text, const std::string& pattern) {
    const std::vector<Pattern> patterns{{pattern, 0}};
    const std::vector<std::string_view> texts{text};
    std::uint32_t distance = 0;
    Counters counters;
    const std::vector<Pair> pair{{0, 0}};
    PatternSet(patterns, Extent::substring).distances(texts, pair, std::span(&distance, 1), counters);
    return distance;
}

void check(const char* what, std::uint32_t distance, std::uint32_t expected) {
    if (distance == expected) return;
    std::fprintf(stderr, "%s: the distance is %u, and should be %u\n", what, distance, expected);
    std::exit(1);
}

std::uint32_t read(const cuda::DeviceBuffer<std::uint32_t>& buffer) {
    std::uint32_t value = 0;
    cuda::check(cudaMemcpy(&value, buffer.data(), sizeof value, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return value;
}

struct Timed {
    double microseconds = 1e30;
    std::uint64_t parts = 0;

    void take(double us, std::uint64_t d) {
        if (us < microseconds) *this = {us, d};
    }
};

void print_asm(const char* kind, std::size_t m, const char* algorithm, const char* costs, Timed best) {
    std::printf("asm\t%s\t%zu\t%s\t%s\t%llu\t%.1f\t%.3f\n", kind, m, algorithm, costs,
                static_cast<unsigned long long>(best.parts), best.microseconds,
                static_cast<double>(m * n) / best.microseconds / 1e6);
    std::fflush(stdout);
}

void measure_papers(const char* kind, const std::string& text, const std::string& pattern, CostTable table,
                    std::uint32_t expected) {
    const std::uint32_t m = static_cast<std::uint32_t>(pattern.size());
    const auto bytes = [](const std::string& s) {
        return cuda::to_device(std::span(reinterpret_cast<const std::uint8_t*>(s.data()), s.size()));
    };
    const auto xs = bytes(pattern), ys = bytes(text);
    const DeviceCosts costs(table);
    const cuda::DeviceBuffer<std::uint32_t> result(1);
    constexpr const char* names[] = {"O-ASM", "w-SCAN", "w-Shuffle"};
    constexpr const char* table_names[] = {"unit", "typing", "vowels"};
    for (const AsmAlgorithm algorithm : {AsmAlgorithm::o_asm, AsmAlgorithm::w_scan, AsmAlgorithm::w_shuffle}) {
        Timed best;
        for (const std::uint64_t parts : {132u, 264u, 528u, 1056u, 2112u, 4224u, 8448u, 16896u}) {
            // Below, the chip is not full; above, most of the work is overlap.
            if (parts * m > 1'100'000 || parts * m < 60'000) continue;
            std::vector<AsmTask> tasks;
            std::uint32_t n_max = 0;
            for (const Part& part : cut_text(n, Costs(table).longest_substring(m), parts)) {
                tasks.push_back({0, part.begin, m, static_cast<std::uint32_t>(part.length), 0});
                n_max = std::max(n_max, tasks.back().n);
            }
            const auto on_device = cuda::to_device(std::span<const AsmTask>(tasks));
            const double us = microseconds([&](cudaStream_t stream) {
                cuda::check(cudaMemsetAsync(result.data(), 0xFF, result.bytes(), stream), "memset");
                enqueue_asm(algorithm, std::span<const AsmTask>(on_device.data(), on_device.size()), m, n_max,
                            xs.data(), ys.data(), costs, result.data(), stream);
            });
            if (table == CostTable::unit) check(names[static_cast<int>(algorithm)], read(result), expected);
            best.take(us, parts);
        }
        print_asm(kind, m, names[static_cast<int>(algorithm)], table_names[static_cast<std::size_t>(table)], best);
    }
}

void measure_long(const char* kind, const std::string& text, const std::string& pattern, std::uint32_t expected,
                  bool by_parts) {
    const std::uint32_t m = static_cast<std::uint32_t>(pattern.size());
    const std::vector<std::uint32_t> classes(pattern.begin(), pattern.end());
    const LongTable host = long_table(classes, 128);
    const auto row_of = cuda::to_device(std::span<const std::uint32_t>(host.row_of));
    const auto table = cuda::to_device(std::span<const std::uint32_t>(host.table));
    const DeviceLongPattern device{host.layout, m, host.rows, row_of.data(), table.data(), 0};
    std::vector<std::uint8_t> symbols(long_margin, 0);
    symbols.insert(symbols.end(), text.begin(), text.end());
    symbols.resize(symbols.size() + long_margin, 0);
    const auto on_device = cuda::to_device(std::span<const std::uint8_t>(symbols));
    const cuda::DeviceBuffer<std::uint16_t> rows(symbols.size());
    const cuda::DeviceBuffer<std::uint32_t> result(1);
    const std::uint64_t per_warp = 32 / host.layout.lanes;
    Timed best;
    for (const std::uint64_t warps : {528u, 792u, 1056u, 1584u, 2112u, 3168u, 4224u}) {
        const std::uint64_t parts = warps * per_warp;
        std::vector<TextPiece> pieces;
        for (const Part& part : cut_text(n, 2 * m, parts))
            pieces.push_back({part.begin + long_margin, static_cast<std::uint32_t>(part.length), 0});
        const auto device_pieces = cuda::to_device(std::span<const TextPiece>(pieces));
        const double us = microseconds([&](cudaStream_t stream) {
            cuda::check(cudaMemsetAsync(result.data(), 0xFF, result.bytes(), stream), "memset");
            enqueue_rows(device, on_device.data(), symbols.size(), rows.data(), stream);
            enqueue_myers_long(device, rows.data(), device_pieces.data(), static_cast<std::uint32_t>(pieces.size()),
                               result.data(), 1, stream);
        });
        check("bit-parallel", read(result), expected);
        if (by_parts) std::printf("long\t%s\t%u\t%llu\t%.1f\n", kind, m, static_cast<unsigned long long>(parts), us);
        best.take(us, parts);
    }
    print_asm(kind, m, "bit-parallel", "unit", best);
}

void measure_many(const char* kind, std::size_t m_min, std::size_t m_max, std::size_t patterns, std::size_t texts,
                  std::size_t text_bytes) {
    std::mt19937_64 random(m_max);
    std::vector<std::string> strings;
    std::vector<std::vector<std::uint32_t>> classes;
    for (std::size_t p = 0; p < patterns; ++p)
        strings.push_back(bench::random_text(kind, m_min + random() % (m_max - m_min + 1), random));
    std::ranges::sort(strings, {}, &std::string::size);
    // As GpuPatternSet: symbols are the characters that occur.
    std::vector<std::uint32_t> symbol_of(128, 0);
    std::uint32_t symbols = 1;
    std::size_t characters = 0;
    for (const auto& pattern : strings) {
        classes.emplace_back();
        characters += pattern.size();
        for (const char c : pattern) {
            auto& symbol = symbol_of[static_cast<unsigned char>(c)];
            if (symbol == 0) symbol = symbols++;
            classes.back().push_back(symbol);
        }
    }
    const std::vector<std::span<const std::uint32_t>> views(classes.begin(), classes.end());
    const std::vector<std::uint32_t> k(patterns, 2);
    // Patterns of exactly 32 characters take a word, the rest two.
    std::uint32_t words = 1;
    while (words * 32 < m_max) words *= 2;
    const auto short_end =
        words == 2 ? static_cast<std::size_t>(
                         std::ranges::upper_bound(strings, std::size_t{32}, {}, &std::string::size) - strings.begin())
                   : 0;
    std::vector<GroupsOnDevice> groups;
    const std::span all(views);
    if (short_end > 0)
        groups.emplace_back(1, all.first(short_end), std::span(k).first(short_end), symbols, Extent::substring);
    groups.emplace_back(words, all.subspan(short_end), std::span(k).subspan(short_end), symbols, Extent::substring);
    std::uint32_t stride = 0;
    for (const auto& group : groups) stride += group.slots();
    std::vector<std::string> texts_of_bench;
    std::vector<std::uint8_t> bytes;
    std::vector<TextPiece> pieces;
    for (std::uint32_t t = 0; t < texts; ++t) {
        texts_of_bench.push_back(bench::random_text(kind, text_bytes, random));
        pieces.push_back({bytes.size(), static_cast<std::uint32_t>(text_bytes), t});
        for (const char c : texts_of_bench.back())
            bytes.push_back(static_cast<std::uint8_t>(symbol_of[static_cast<unsigned char>(c)]));
        bytes.resize((bytes.size() + 15) / 16 * 16, 0);
    }
    const auto on_device = cuda::to_device(std::span<const std::uint8_t>(bytes));
    const auto device_pieces = cuda::to_device(std::span<const TextPiece>(pieces));
    const cuda::DeviceBuffer<std::uint32_t> least(texts * stride), hits(texts * stride / 32);
    for (const bool decide : {false, true}) {
        const double us = microseconds([&](cudaStream_t stream) {
            const auto& results = decide ? hits : least;
            cuda::check(cudaMemsetAsync(results.data(), decide ? 0 : 0xFF, results.bytes(), stream), "memset");
            std::uint32_t first = 0;
            for (const auto& group : groups) {
                enqueue_myers_many(group.view(decide), Extent::substring, on_device.data(), device_pieces.data(),
                                   static_cast<std::uint32_t>(texts), decide ? nullptr : least.data() + first,
                                   decide ? hits.data() + first / 32 : nullptr, stride, stream);
                first += group.slots();
            }
        });
        const double cells = static_cast<double>(characters) * static_cast<double>(texts * text_bytes);
        std::printf("many\t%s\t%zu-%zu\t%zu\t%zu\t%s\t%.1f\t%.2f\n", kind, m_min, m_max, patterns, texts,
                    decide ? "k=2" : "distance", us, cells / us / 1e6);
        std::fflush(stdout);
    }
    std::vector<std::uint32_t> distances(texts * stride);
    cuda::check(cudaMemcpy(distances.data(), least.data(), least.bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    const std::uint32_t gap = groups.size() == 2 ? groups[0].slots() - static_cast<std::uint32_t>(short_end) : 0;
    for (std::size_t p = 0; p < patterns; p += patterns / 50)
        check("many", distances[7 * stride + p + (p < short_end ? 0 : gap)],
              cpu_distance(texts_of_bench[7], strings[p]));
}

}  // namespace

int main(int count, char** arguments) {
    if (cuda::device_count() == 0) {
        std::fprintf(stderr, "bench_approximate_gpu: there is no CUDA device\n");
        return 1;
    }
    const auto asked = [&](const char* option) { return count > 1 && std::strcmp(arguments[1], option) == 0; };
    const bool brief = asked("--brief"), only_many = asked("--many");
    std::printf("asm\ttext\tm\talgorithm\tcosts\tD\tmicroseconds\tTCUPS\n");
    std::printf("long\ttext\tm\tD\tmicroseconds\n");
    std::printf("many\ttext\tm\tpatterns\ttexts\tanswer\tmicroseconds\tTCUPS\n");
    for (const auto kind : bench::text_kinds) {
        measure_many(kind.data(), 32, 64, 10'000, 1024, 200);
        measure_many(kind.data(), 20, 40, 10'000, 1024, 60);
        std::mt19937_64 random(22);
        const std::string text = bench::random_text(kind, n, random);
        for (const std::size_t m : {32u, 64u, 128u, 256u, 512u, 1024u}) {
            const std::string pattern = bench::random_text(kind, m, random);
            if (only_many || (brief && m != 1024)) continue;
            const std::uint32_t expected = cpu_distance(text, pattern);
            measure_long(kind.data(), text, pattern, expected, m == 1024 && kind == "01");
            if (kind == "01" || m == 1024) measure_papers(kind.data(), text, pattern, CostTable::unit, expected);
            if (kind == "a-z" && m == 1024) {
                measure_papers(kind.data(), text, pattern, CostTable::typing, 0);
                measure_papers(kind.data(), text, pattern, CostTable::vowels, 0);
            }
        }
        if (kind != "ACGT" || brief) continue;
        for (const std::size_t m : {16u, 32u, 64u, 128u, 256u, 512u, 1024u})
            measure_many(kind.data(), m, m, 4096, 256, 1024);
    }
}
