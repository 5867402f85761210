// Exact search on a device: Rabin-Karp plain and with prefix sums (Nunes 2018, tables 5.1 and 5.5) beside the
// production filter; device time, medians of graph replays, with the output cleared in each. One line of JSON per
// figure.
//   bench_exact_gpu [log2 of the bytes of the one long text, 27] [log2 of the bytes of the many short texts, 30]
//   [quick]
// quick: only texts over {0,1}, and the first of the workloads with many texts.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include "gpu/tools/search/filter_cuda.cuh"
#include "gpu/tools/search/rabin_karp_cuda.cuh"
#include "tests/bench/gpu/graph_timer.hpp"
#include "tests/support/exact_workload.hpp"

using namespace sluice;
using namespace sluice::substrings;

namespace {

std::string make_long_text(Alphabet alphabet, std::size_t bytes) {
    constexpr std::size_t part_bytes = std::size_t{1} << 23;
    if (bytes <= part_bytes) return make_text(alphabet, bytes, 1);
    std::string text(bytes, '\0');
    const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> workers;
    for (unsigned w = 0; w < threads; ++w) {
        workers.emplace_back([&, w] {
            for (std::size_t part = w; part * part_bytes < bytes; part += threads)
                text.replace(part * part_bytes, part_bytes, make_text(alphabet, part_bytes, 100 + part));
        });
    }
    for (std::thread& worker : workers) worker.join();
    return text;
}

std::vector<Pattern> views_of(const std::vector<std::string>& texts) {
    std::vector<Pattern> patterns;
    for (const std::string& text : texts) patterns.push_back({text});
    return patterns;
}

Tally tally_of(const cuda::DeviceBuffer<Tally>& tally) {
    Tally t{};
    cuda::check(cudaMemcpy(&t, tally.data(), sizeof t, cudaMemcpyDeviceToHost), "copy tally");
    return t;
}

void clear(const Places& places, std::size_t words, cudaStream_t stream) {
    cuda::check(cudaMemsetAsync(places.bitmap, 0, words * 4, stream), "clear places");
    cuda::check(cudaMemsetAsync(places.tally, 0, sizeof(Tally), stream), "clear tally");
}

std::uint64_t bits_set(const cuda::DeviceBuffer<std::uint32_t>& bitmap) {
    std::vector<std::uint32_t> words(bitmap.size());
    cuda::check(cudaMemcpy(words.data(), bitmap.data(), bitmap.bytes(), cudaMemcpyDeviceToHost), "copy places");
    std::uint64_t bits = 0;
    for (const std::uint32_t word : words) bits += static_cast<std::uint64_t>(__builtin_popcount(word));
    return bits;
}

void copy_ceiling(std::size_t bytes) {
    const cuda::DeviceBuffer<char> from(bytes), to(bytes);
    const double time = bench::graph_microseconds(
        [&](cudaStream_t stream) {
            cuda::check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, stream), "copy");
        },
        5, 21);
    std::printf("{\"what\": \"device copy\", \"bytes\": %zu, \"us\": %.1f, \"read_and_written_GB/s\": %.0f}\n", bytes,
                time, 2e-3 * static_cast<double>(bytes) / time);
}

// Table 5.5's workload: one text, patterns of one length; the result is a bit for each position at which a pattern
// begins, and the number of occurrences.
void measure_long_text(Alphabet alphabet, const DeviceBatch& batch, const std::string& text, std::size_t count,
                       std::size_t length) {
    const auto owned = make_patterns(alphabet, text, count, length, length, 5);
    const PatternPool pool(views_of(owned));
    const CudaFilter filter(pool, {});
    CudaRabinKarp rabin_karp(pool);
    const BatchView view = batch.view();
    rabin_karp.reserve(view.bytes);
    cuda::DeviceBuffer<std::uint32_t> bitmap(view.bytes / 32 + 1);
    cuda::DeviceBuffer<Tally> tally(1);
    const Places places{bitmap.data(), tally.data()};
    const auto print = [&](const char* kernel, double time, bool found) {
        const Tally t = found ? tally_of(tally) : Tally{};
        std::printf(
            "{\"what\": \"one text\", \"alphabet\": \"%s\", \"bytes\": %u, \"patterns\": %zu, \"length\": %zu, "
            "\"kernel\": \"%s\", \"ms\": %.4f, \"GB/s\": %.0f, \"passed\": %llu, \"verified\": %llu, "
            "\"occurrences\": %llu, \"places\": %llu}\n",
            name_of(alphabet), view.bytes, count, length, kernel, 1e-3 * time, 1e-3 * view.bytes / time, t.filter_hits,
            t.verified, t.occurrences, found ? static_cast<unsigned long long>(bits_set(bitmap)) : 0ull);
        std::fflush(stdout);
    };
    const auto timed = [&](auto enqueue, int replays, int samples) {
        return bench::graph_microseconds(
            [&](cudaStream_t stream) {
                clear(places, bitmap.size(), stream);
                enqueue(stream);
            },
            replays, samples);
    };
    print("filter", timed([&](cudaStream_t s) { filter.enqueue(view, places, s); }, 5, 21), true);
    print("table (step 2)", bench::graph_microseconds([&](cudaStream_t s) { rabin_karp.enqueue_table(s); }, 5, 21),
          false);
    print("sums (steps 3, 4)",
          bench::graph_microseconds([&](cudaStream_t s) { rabin_karp.enqueue_prefix_sums(view, s); }, 5, 21), false);
    print("windows (step 5)", timed([&](cudaStream_t s) { rabin_karp.enqueue_matches(view, places, s); }, 5, 21), true);
    print("prefix sums (steps 2 to 5)",
          timed(
              [&](cudaStream_t s) {
                  rabin_karp.enqueue_table(s);
                  rabin_karp.enqueue(view, places, s);
              },
              5, 21),
          true);
    print("plain", timed([&](cudaStream_t s) { rabin_karp.enqueue_plain(view, places, s); }, 1, 5), true);
}

// Many short texts: every occurrence is listed.
void measure_texts(Alphabet alphabet, const DeviceBatch& batch, const std::string& text, std::size_t text_bytes,
                   std::size_t count, std::size_t shortest, std::size_t longest, std::uint32_t room) {
    const auto owned = make_patterns(alphabet, text, count, shortest, longest, 6);
    const PatternPool pool(views_of(owned));
    const std::string seen = make_text(alphabet, std::size_t{64} << 10, 99);
    const CudaFilter filter(pool, std::vector<std::string_view>{seen});
    cuda::DeviceBuffer<unsigned long long> list(room);
    cuda::DeviceBuffer<Tally> tally(1);
    const Occurrences occurrences{list.data(), room, batch.view().bytes, tally.data()};
    const double time = bench::graph_microseconds(
        [&](cudaStream_t s) {
            cuda::check(cudaMemsetAsync(tally.data(), 0, sizeof(Tally), s), "clear tally");
            filter.enqueue(batch.view(), occurrences, s);
        },
        5, 21);
    const Tally t = tally_of(tally);
    std::printf(
        "{\"what\": \"texts\", \"alphabet\": \"%s\", \"bytes\": %u, \"text_bytes\": %zu, \"patterns\": %zu, "
        "\"lengths\": \"%zu-%zu\", \"kernel\": \"filter\", \"us\": %.1f, \"GB/s\": %.0f, "
        "\"passed\": %llu, \"verified\": %llu, \"occurrences\": %llu, \"room\": %u}\n",
        name_of(alphabet), batch.view().bytes, text_bytes, count, shortest, longest, time,
        1e-3 * batch.view().bytes / time, t.filter_hits, t.verified, t.occurrences, room);
    std::fflush(stdout);
}

DeviceBatch batch_of(const std::string& text, std::size_t text_bytes) {
    std::vector<std::string_view> texts;
    for (std::size_t begin = 0; begin < text.size(); begin += text_bytes)
        texts.push_back(std::string_view(text).substr(begin, text_bytes));
    DeviceBatch batch;
    const cuda::Stream stream;
    batch.upload(texts, stream);
    stream.wait();
    return batch;
}

}  // namespace

int main(int argc, char** argv) {
    const int log2_long = argc > 1 ? std::atoi(argv[1]) : 27, log2_texts = argc > 2 ? std::atoi(argv[2]) : 30;
    const bool quick = argc > 3;
    copy_ceiling(std::size_t{1} << log2_long);
    for (const Alphabet alphabet : {Alphabet::binary, Alphabet::dna, Alphabet::letters, Alphabet::english}) {
        const std::string text = make_long_text(alphabet, std::size_t{1} << log2_long);
        const DeviceBatch batch = batch_of(text, text.size());
        for (const std::size_t length : {10u, 20u, 30u}) {
            for (const std::size_t count :
                 alphabet == Alphabet::binary ? std::vector<std::size_t>{1, 256} : std::vector<std::size_t>{256})
                measure_long_text(alphabet, batch, text, count, length);
        }
        if (quick) break;
    }
    // Patterns of less than 12 letters of DNA are in nearly every text: the pairs would be most of the work.
    struct Texts {
        Alphabet alphabet;
        std::size_t patterns, shortest, longest;
        std::uint32_t room;
    };
    const Texts sets[] = {{Alphabet::letters, 10'000, 4, 64, 1 << 20},
                          {Alphabet::letters, 10'000, 8, 32, 1 << 20},
                          {Alphabet::letters, 100'000, 8, 64, 1 << 20},
                          {Alphabet::dna, 10'000, 12, 64, 1 << 20},
                          {Alphabet::english, 10'000, 12, 64, 1 << 24}};
    std::string text;
    std::optional<Alphabet> of;
    DeviceBatch batch;
    for (const Texts& set : sets) {
        if (of != set.alphabet) {
            of = set.alphabet;
            text = make_long_text(set.alphabet, std::size_t{1} << log2_texts);
            batch = batch_of(text, 1024);
        }
        measure_texts(set.alphabet, batch, text, 1024, set.patterns, set.shortest, set.longest, set.room);
        if (quick) break;
        if (&set != sets) continue;
        for (const std::size_t texts : {32u, 1024u})
            measure_texts(set.alphabet, batch_of(text.substr(0, texts * 1024), 1024), text, 1024, set.patterns,
                          set.shortest, set.longest, 1 << 14);
    }
}
