// Alignments on a device: many pairs (thousands of queries, 32 texts; beside them one core of this machine on a part of
// the same work), pairs of thousands of letters and long ones, with and without pruning. Prints tab-separated lines:
// name, cells, microseconds, GCUPS, remarks.
//   bench_alignment [--shapes | --many | --middle] [FASTA FASTA]… also times these pairs. --shapes: all but many pairs,
//   long ones with every shape of tiles; --many: many pairs only; --middle: pairs of thousands of letters only.
//   bench_alignment --slices DEVICES LETTERS [FASTA FASTA]…: these pairs, and unless LETTERS is 0 a random pair of that
//   length whose text differs in 3 of 100 letters: on the first device alone, on all of DEVICES ("0,1"; "0,0" are
//   halves of one), and the same with the edges between them going through the host's memory.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>

#include "gpu/operators/alignment/cuda/lane_group_aligner.hpp"
#include "gpu/operators/alignment/cuda/two_way_aligner.hpp"
#include "gpu/operators/alignment/cuda/wavefront_aligner.hpp"
#include "gpu/operators/alignment/many.hpp"
#include "gpu/tools/align/multi_device_aligner.hpp"
#include "tests/bench/gpu/graph_timer.hpp"

using namespace sluice;
using namespace sluice::alignment;

namespace {

std::mt19937 random_bits(1);

std::vector<Code> random_sequence(std::size_t length, unsigned letters) {
    std::vector<Code> sequence(length);
    for (auto& code : sequence) code = static_cast<Code>(random_bits() % letters);
    return sequence;
}

std::string name_of(TileShape shape) {
    return shape == TileShape{} ? ""
                                : ", tiles of " + std::to_string(shape.rows) + " x " + std::to_string(shape.columns);
}

void print(const std::string& what, double cells, double microseconds, const std::string& remarks) {
    std::printf("%s\t%.4g\t%.1f\t%.1f\t%s\n", what.c_str(), cells, microseconds, cells / microseconds / 1000,
                remarks.c_str());
    std::fflush(stdout);
}

double core_gcups(const Scheme& scheme, const SequenceSet& queries, const SequenceSet& texts) {
    std::vector<Pair> pairs;
    double cells = 0;
    for (std::uint32_t q = 0; q < std::min<std::size_t>(queries.size(), 256); ++q) {
        pairs.push_back({q, 0});
        cells += static_cast<double>(queries.length(q)) * static_cast<double>(texts.length(0));
    }
    std::vector<std::int32_t> scores(pairs.size());
    const auto begin = std::chrono::steady_clock::now();
    align_many(scheme, Mode::local, queries, texts, pairs, scores);
    return cells / std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / 1e9;
}

void many_pairs(const char* name, const Scheme& scheme, std::size_t count, std::size_t shortest, std::size_t longest,
                std::size_t text_length, Mode mode = Mode::local) {
    const unsigned letters = scheme.alphabet == Scheme::Alphabet::dna ? 4 : 20;
    SequenceSet queries, texts;
    for (std::size_t i = 0; i < count; ++i)
        queries.add(random_sequence(shortest + random_bits() % (longest - shortest + 1), letters));
    for (int i = 0; i < 32; ++i) texts.add(random_sequence(text_length, letters));
    std::vector<Pair> pairs;
    for (std::uint32_t t = 0; t < 32; ++t) {
        for (std::uint32_t q = 0; q < count; ++q) pairs.push_back({q, t});
    }
    LaneGroupAligner device(scheme);
    device.set_queries(queries);
    const auto begin = std::chrono::steady_clock::now();
    device.prepare(mode, texts, pairs, false);
    const double host = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    const double microseconds = bench::graph_microseconds([&](cudaStream_t stream) { device.enqueue(stream); }, 3, 7);
    std::string what = std::string(name) + ", " + std::to_string(count) + " queries of " + std::to_string(shortest) +
                       "-" + std::to_string(longest) + " x 32 texts of " + std::to_string(text_length);
    if (mode == Mode::global) what += ", global";
    char remarks[100];
    std::snprintf(remarks, sizeof remarks, "host plan and copies %.0f us; one core %.1f GCUPS", host,
                  core_gcups(scheme, queries, texts));
    print(what, static_cast<double>(device.cells()), microseconds, remarks);
}

template <class Device>
double device_microseconds(Device& device, EndPoint& end) {
    const cuda::Stream stream;
    const cuda::Event begin(cudaEventDefault), finished(cudaEventDefault);
    begin.record(stream);
    device.enqueue(stream);
    finished.record(stream);
    end = device.finish(stream).front();
    float milliseconds = 0;
    cuda::check(cudaEventElapsedTime(&milliseconds, begin, finished), "cudaEventElapsedTime");
    return 1000.0 * milliseconds;
}

void long_pair(const std::string& name, const Scheme& scheme, Mode mode, Codes query, Codes text,
               const WavefrontOptions& options, int repeats) {
    WavefrontAligner device(scheme);
    const SequencePair pair{query, text, options.known_below, options.stop_at};
    device.prepare(mode, std::span(&pair, 1), options.prune, options.shape);
    EndPoint end;
    std::vector<double> times;
    for (int i = 0; i <= repeats; ++i) times.push_back(device_microseconds(device, end));
    if (repeats > 0) times.erase(times.begin());
    std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
    char remarks[200];
    std::snprintf(remarks, sizeof remarks, "score %d at (%u, %u), pruned %.1f %%, device memory %zu bytes", end.score,
                  end.query_end, end.text_end, 100 * device.statistics().pruned_share(), device.device_bytes());
    print(name, static_cast<double>(query.size()) * static_cast<double>(text.size()),
          times[static_cast<std::size_t>(repeats / 2)], remarks);
}

// On several devices; wall time, since no device clock covers all of them.
void sliced_pair(const std::string& name, const Scheme& scheme, std::span<const int> numbers, Codes query, Codes text,
                 const WavefrontOptions& options, SliceOptions slices, int repeats) {
    MultiDeviceAligner devices(scheme, numbers);
    const SequencePair pair{query, text, options.known_below, options.stop_at};
    devices.prepare(Mode::local, pair, options.prune, options.shape, slices);
    EndPoint end;
    double best = 0;
    for (int i = 0; i <= repeats; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        devices.enqueue();
        end = devices.finish();
        const double time = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
        best = best == 0 ? time : std::min(best, time);
    }
    char remarks[200];
    std::snprintf(remarks, sizeof remarks, "score %d at (%u, %u), pruned %.1f %%, %zu slices, device memory %zu bytes",
                  end.score, end.query_end, end.text_end, 100 * devices.statistics().pruned_share(), devices.slices(),
                  devices.device_bytes(0));
    print(name, static_cast<double>(query.size()) * static_cast<double>(text.size()), best, remarks);
}

void on_one_and_several(const std::string& name, const Scheme& scheme, std::span<const int> numbers, Codes query,
                        Codes text) {
    const std::string several = ", " + std::to_string(numbers.size()) + " devices";
    for (const bool prune : {true, false}) {
        const std::string what = name + (prune ? ", pruning on" : ", pruning off");
        const int repeats = query.size() < 2'000'000 ? 2 : 0;
        long_pair(what + ", 1 device", scheme, Mode::local, query, text, {.prune = prune}, repeats);
        sliced_pair(what + several, scheme, numbers, query, text, {.prune = prune}, {}, repeats);
        if (repeats > 0)
            sliced_pair(what + several + ", through the host", scheme, numbers, query, text, {.prune = prune},
                        {.through_host = true}, repeats);
    }
}

// `count` pairs side by side, one cluster each.
void middle_pairs(const Scheme& scheme, std::size_t count, std::size_t length, std::size_t every,
                  unsigned way_blocks = TwoWayAligner::way_blocks_max) {
    std::vector<std::vector<Code>> sequences;
    std::vector<SequencePair> pairs;
    for (std::size_t i = 0; i < count; ++i) {
        sequences.push_back(random_sequence(length, 4));
        sequences.push_back(every == 0 ? random_sequence(length, 4) : sequences.back());
        for (std::size_t k = 0; every != 0 && k < length; k += every)
            sequences.back()[k] = (sequences.back()[k] + 1) & 3;
    }
    for (std::size_t i = 0; i < 2 * count; i += 2) pairs.push_back({sequences[i], sequences[i + 1]});
    TwoWayAligner device(scheme, way_blocks);
    device.prepare(pairs);
    EndPoint end;
    std::vector<double> times;
    for (int i = 0; i < 42; ++i) times.push_back(device_microseconds(device, end));
    std::nth_element(times.begin(), times.begin() + 21, times.end());
    const std::string name = std::to_string(count) + (every == 0 ? " random" : " related") + " pairs of " +
                             std::to_string(length) + ", a cluster of " + std::to_string(2 * device.way_blocks()) +
                             " each";
    print(name, static_cast<double>(count * length) * static_cast<double>(length), times[21],
          "score " + std::to_string(end.score) + ", least " +
              std::to_string(*std::min_element(times.begin(), times.end())));
}

double median_microseconds(const std::function<void()>& work) {
    std::vector<double> times;
    for (int i = 0; i < 10; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    std::nth_element(times.begin() + 1, times.begin() + 5, times.end());  // the first one allocates
    return times[5];
}

// A call as the broker makes it, from the call to the answer: the scores of a few pairs, by each available method.
void few_pairs(const Scheme& scheme, std::size_t count, std::size_t m, std::size_t n) {
    SequenceSet queries, texts;
    std::vector<Pair> pairs;
    std::vector<SequencePair> spans;
    for (std::uint32_t i = 0; i < count; ++i) {
        queries.add(random_sequence(m, 4));
        texts.add(random_sequence(n, 4));
        pairs.push_back({i, i});
    }
    for (std::uint32_t i = 0; i < count; ++i) spans.push_back({queries[i], texts[i]});
    LaneGroupAligner many(scheme);
    many.set_queries(queries);
    WavefrontAligner strips(scheme);
    TwoWayAligner clusters(scheme);
    std::vector<std::int32_t> scores(count);
    const double cells = static_cast<double>(count * m) * static_cast<double>(n);
    const std::string name = std::to_string(count) + " pairs of " + std::to_string(m) + " x " + std::to_string(n);
    const bool fits =
        TwoWayAligner::available() && TwoWayAligner::fits(scheme, Mode::local, spans[0].query, spans[0].text);
    if (fits) print(name + ", whole call, clusters", cells, median_microseconds([&] { clusters.scores(spans); }), "");
    print(name + ", whole call, strips", cells, median_microseconds([&] { strips.align(Mode::local, spans); }), "");
    print(name + ", whole call, many", cells,
          median_microseconds([&] { many.align(Mode::local, texts, pairs, scores); }), "");
}

// Pairs of random sequences side by side.
void side_by_side(const Scheme& scheme, std::size_t count, std::size_t length, TileShape shape) {
    std::vector<std::vector<Code>> sequences;
    for (std::size_t i = 0; i < 2 * count; ++i) sequences.push_back(random_sequence(length, 4));
    std::vector<SequencePair> pairs;
    for (std::size_t i = 0; i < 2 * count; i += 2) pairs.push_back({sequences[i], sequences[i + 1]});
    WavefrontAligner device(scheme);
    device.prepare(Mode::local, pairs, true, shape);
    const double microseconds = bench::graph_microseconds([&](cudaStream_t stream) { device.enqueue(stream); }, 2, 7);
    print(std::to_string(count) + " random pairs of " + std::to_string(length) + name_of(shape),
          static_cast<double>(count) * static_cast<double>(length) * static_cast<double>(length), microseconds, "");
}

std::vector<Code> read_fasta(const Scheme& scheme, const char* path) {
    std::ifstream file(path);
    std::string header;
    std::getline(file, header);
    return scheme.encode(std::string(std::istreambuf_iterator<char>(file), {}));
}

void all_many_pairs(const Scheme& dna, const Scheme& protein) {
    many_pairs("dna", dna, 2048, 100, 2000, 1000);
    many_pairs("dna", dna, 2048, 1000, 1000, 1000);
    many_pairs("dna", dna, 1000, 300, 300, 300);
    many_pairs("dna", dna, 4096, 300, 300, 300);
    many_pairs("dna", dna, 4096, 50, 200, 100);
    many_pairs("dna", dna, 512, 1000, 5000, 5000);
    many_pairs("dna", dna, 2048, 100, 2000, 1000, Mode::global);
    many_pairs("blosum62 11/1", protein, 2048, 100, 2000, 1000);
    many_pairs("blosum62 11/1", protein, 2048, 300, 300, 400);
    many_pairs("blosum62 11/1", protein, 4096, 100, 500, 250);
}

int slices_main(const Scheme& scheme, int argc, char** argv) {
    std::vector<int> numbers;
    for (const char* at = argv[2]; *at != '\0'; at += *at == ',' ? 1 : 0)
        numbers.push_back(static_cast<int>(std::strtol(at, const_cast<char**>(&at), 10)));
    for (int i = 4; i + 1 < argc; i += 2) {
        on_one_and_several(argv[i], scheme, numbers, read_fasta(scheme, argv[i]), read_fasta(scheme, argv[i + 1]));
    }
    const auto letters = static_cast<std::size_t>(std::strtoul(argv[3], nullptr, 10));
    if (letters == 0) return 0;
    const auto query = random_sequence(letters, 4);
    auto text = query;
    for (auto& code : text) {
        if (random_bits() % 100 < 3) code = (code + 1 + random_bits() % 3) & 3;
    }
    on_one_and_several("97 % alike, " + std::to_string(letters), scheme, numbers, query, text);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (cuda::device_count() == 0) {
        std::fprintf(stderr, "no CUDA device\n");
        return 1;
    }
    const Scheme dna = Scheme::dna(), protein = Scheme::blosum62();
    std::printf("what\tcells\tmicroseconds\tGCUPS\tremarks\n");
    if (argc > 3 && std::string_view(argv[1]) == "--slices") return slices_main(dna, argc, argv);
    std::vector<TileShape> shapes = {{}};
    if (argc > 1 && std::string_view(argv[1]) == "--shapes") {
        shapes = {{2, 4}, {4, 8}};
        --argc, ++argv;
    } else if (argc > 1 && std::string_view(argv[1]) == "--many") {
        all_many_pairs(dna, protein);
        return 0;
    }
    if (TwoWayAligner::available()) {
        for (const std::size_t n : {128u, 1024u, 2048u, 4096u, 8192u}) middle_pairs(dna, 1, n, 0);
        middle_pairs(dna, 1, 4096, 33);
        for (const unsigned way_blocks : {8u, 4u, 2u, 1u}) {
            for (const std::size_t count : {4u, 16u, 64u}) middle_pairs(dna, count, 4096, 0, way_blocks);
        }
    }
    if (argc > 1 && std::string_view(argv[1]) == "--middle") {
        for (const std::size_t n : {512u, 1024u, 2048u, 4096u}) {
            for (const std::size_t count : {1u, 8u, 64u}) few_pairs(dna, count, n, n);
        }
        for (const std::size_t count : {1u, 8u, 64u}) few_pairs(dna, count, 4096, 32'000);
        return 0;
    }
    for (const TileShape shape : shapes) {
        for (const std::size_t n : {1024u, 4096u, 16384u, 65536u}) {
            const auto query = random_sequence(n, 4), text = random_sequence(n, 4);
            long_pair("random pair of " + std::to_string(n) + name_of(shape), dna, Mode::local, query, text,
                      {.shape = shape}, n < 60'000 ? 21 : 5);
        }
        const auto a = random_sequence(4096, 20), b = random_sequence(4096, 20);
        long_pair("random proteins of 4096" + name_of(shape), protein, Mode::local, a, b, {.shape = shape}, 21);
        for (const std::size_t count : {4u, 16u, 64u}) side_by_side(dna, count, 4096, shape);
        for (int i = 1; i + 1 < argc; i += 2) {
            const auto query = read_fasta(dna, argv[i]), text = read_fasta(dna, argv[i + 1]);
            const std::string name = std::string(argv[i]).substr(std::string(argv[i]).rfind('/') + 1) + " x " +
                                     std::string(argv[i + 1]).substr(std::string(argv[i + 1]).rfind('/') + 1) +
                                     name_of(shape);
            const int repeats = query.size() < 200'000 ? 5 : 1;
            long_pair(name + ", pruning off", dna, Mode::local, query, text, {.prune = false, .shape = shape}, repeats);
            long_pair(name + ", pruning on", dna, Mode::local, query, text, {.shape = shape}, repeats);
            if (shape == TileShape{}) long_pair(name + ", global", dna, Mode::global, query, text, {}, repeats);
        }
    }
    if (shapes.size() == 1) all_many_pairs(dna, protein);
}
