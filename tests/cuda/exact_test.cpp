#include <catch2/catch.hpp>

#include "gpu/operators/substrings/filter.hpp"
#include "gpu/operators/substrings/substrings_cuda.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/unit/gpu/operators/substrings/naive_occurrences.hpp"
#include "tests/unit/gpu/operators/substrings/random_exact.hpp"

using namespace sluice::substrings;
using sluice::testing::has_device;

namespace {

struct Engine {
    std::string name;
    std::unique_ptr<Searcher> searcher;
};

std::vector<Engine> engines_of(std::span<const Pattern> patterns, std::span<const std::string_view> texts) {
    std::vector<Engine> engines;
    engines.push_back({"filter", make_cuda_searcher(patterns)});
    engines.push_back({"filter with a sample", make_cuda_searcher(patterns, CudaKernel::filter, texts)});
    engines.push_back({"prefix sums", make_cuda_searcher(patterns, CudaKernel::prefix_sums)});
    engines.push_back({"plain", make_cuda_searcher(patterns, CudaKernel::plain)});
    if (patterns.size() <= 125) {
        engines.push_back({"prefix sums, colliding", make_colliding_cuda_searcher(patterns, CudaKernel::prefix_sums)});
        engines.push_back({"plain, colliding", make_colliding_cuda_searcher(patterns, CudaKernel::plain)});
    }
    return engines;
}

void check_all(const std::vector<std::string>& owned, const std::vector<std::string>& texts) {
    std::vector<Pattern> patterns;
    for (const std::string& p : owned) {
        for (const Place place : {Place::anywhere, Place::start, Place::end}) patterns.push_back({p, place});
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    const auto expected = hits_of(*make_naive_searcher(patterns), views);
    for (const Engine& engine : engines_of(patterns, views)) {
        INFO(engine.name);
        CHECK(hits_of(*engine.searcher, views) == expected);
        CHECK(hits_of(*engine.searcher, views) == expected);  // one search does not affect the next
        CHECK(hits_of(*engine.searcher, {}).empty());
    }
}

}  // namespace

TEST_CASE("exact on a device: every kernel finds what naive search finds, at the edges", "[cuda]") {
    if (!has_device()) return;
    const std::string long_text = std::string(500'000, 'a') + "needle" + std::string(500'000, 'b');
    check_all({}, {"", "a"});
    check_all({""}, {"", "a"});
    check_all({"a"}, {"", "", ""});
    check_all({"a", "aa", "aaa", "aaaa", std::string(64, 'a'), std::string(65, 'a')},
              {"", "a", std::string(64, 'a'), "", "baab", ""});
    check_all({"needle", "ab", "aneedleb", std::string(1000, 'a') + "n"}, {long_text, "needle", "needl", "eedle"});
    check_all({"xy", "yx", "xyx", "yxyx"}, std::vector<std::string>(3000, "xy"));  // no match crosses texts
    check_all({"caf\xc3\xa9", "\xc3\xa9", "\xa9", std::string("\0", 1), std::string("x\0y", 3), "\xff\xfe"},
              {"un caf\xc3\xa9 noir", std::string("ax\0yb", 5), "\xff", "a\xff\xfe", std::string(100, '\0')});
}

TEST_CASE("exact on a device: windows of one hash are told apart", "[cuda]") {
    if (!has_device()) return;
    const auto windows = windows_of_one_hash(90);
    std::vector<std::string> patterns, texts;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        if (i % 3 == 0) patterns.push_back(windows[i]);
        texts.push_back("a" + windows[i] + windows[(i * 7 + 1) % windows.size()]);
    }
    check_all(patterns, texts);
}

TEST_CASE("exact on a device: patterns of 64 KiB", "[cuda]") {
    if (!has_device()) return;
    std::string text;
    for (std::mt19937 random(1); text.size() < 3 * pattern_bytes_max;) text += static_cast<char>('a' + random() % 26);
    check_all({text.substr(1000, pattern_bytes_max), text.substr(0, pattern_bytes_max),
               text.substr(text.size() - pattern_bytes_max), text.substr(5, pattern_bytes_max - 1) + "!"},
              {text, text.substr(1), text.substr(1000, pattern_bytes_max), text.substr(0, pattern_bytes_max - 1)});
}

TEST_CASE("exact on a device: more pairs than there is room for at first", "[cuda]") {
    if (!has_device()) return;
    std::vector<std::string> owned;
    std::string all;
    for (int i = 0; i < 60; ++i) {
        owned.push_back("<" + std::to_string(i) + ">");
        all += owned.back();
    }
    check_all(owned, std::vector<std::string>(1000, all));
}

TEST_CASE("exact on a device: every kernel finds what naive search finds, at random", "[cuda]") {
    if (!has_device()) return;
    RandomExact random(11);
    const std::size_t texts = std::min<std::size_t>(2000, rounds(4000));
    for (std::size_t searched = 0; searched < rounds(4000); searched += texts) {
        const RandomCase c = random.next(texts, searched % 4000 == 0 ? 125 : 400);
        const auto expected = hits_of(*make_naive_searcher(c.patterns), c.views);
        for (const Engine& engine : engines_of(c.patterns, c.views)) {
            INFO(engine.name << ", before text " << searched);
            REQUIRE(hits_of(*engine.searcher, c.views) == expected);
        }
    }
}

TEST_CASE("exact on a device: many patterns, against the CPU's filter", "[cuda]") {
    if (!has_device()) return;
    RandomExact random(12);
    std::size_t found = 0;
    for (std::size_t round = 0; round < 1 + rounds(500) / 20'000; ++round) {
        const RandomCase c = random.next(200, 20'000);
        const auto expected = hits_of(*make_filter_searcher(c.patterns), c.views);
        CHECK(hits_of(*make_cuda_searcher(c.patterns), c.views) == expected);
        CHECK(hits_of(*make_cuda_searcher(c.patterns, CudaKernel::prefix_sums), c.views) == expected);
        found += expected.size();
    }
    CHECK(found > 0);
}

TEST_CASE("exact on a device: results count what was done", "[cuda]") {
    if (!has_device()) return;
    const std::vector<Pattern> patterns{{"needle", Place::anywhere}, {"haystack", Place::start}, {"", Place::end}};
    const std::vector<std::string_view> texts{"a needle and a needle", "a haystack"};
    for (const CudaKernel kernel : {CudaKernel::filter, CudaKernel::prefix_sums, CudaKernel::plain}) {
        Results results;
        make_cuda_searcher(patterns, kernel)->search(texts, results);
        CHECK(results.counters.texts == 2);
        CHECK(results.counters.bytes == texts[0].size() + texts[1].size());
        CHECK(results.counters.filter_hits >= 3);
        CHECK(results.counters.verified >= 3);
        CHECK(results.counters.hits == 3);
        CHECK(results.hits.size() == 3);
    }
}

namespace {

constexpr CudaKernel kernels[] = {CudaKernel::filter, CudaKernel::prefix_sums, CudaKernel::plain};

void check_occurrences(const std::vector<std::string>& owned, std::string_view text, std::size_t begins) {
    const auto patterns = as_patterns(owned);
    const auto expected = naive_occurrences(owned, text, begins);
    for (const CudaKernel kernel : kernels) {
        INFO("kernel " << static_cast<int>(kernel) << ", " << owned.size() << " patterns, " << text.size() << " bytes");
        CHECK(finds(*make_cuda_occurrence_finder(patterns, kernel), text, begins, expected));
        CHECK(finds(*make_cuda_occurrence_finder(patterns, kernel, text, 100), text, begins, expected));
        if (patterns.size() <= 125 && kernel != CudaKernel::filter)
            CHECK(finds(*make_colliding_cuda_occurrence_finder(patterns, kernel), text, begins, expected));
    }
}

}  // namespace

TEST_CASE("exact on a device: every kernel finds all occurrences, at the edges", "[cuda]") {
    if (!has_device()) return;
    for (const OccurrenceEdge& edge : occurrence_edges()) {
        for (const std::size_t begins : {edge.text.size(), edge.text.size() / 2, std::size_t{1}})
            check_occurrences(edge.patterns, edge.text, begins);
    }
}

TEST_CASE("exact on a device: every kernel finds all occurrences, at random", "[cuda]") {
    if (!has_device()) return;
    std::mt19937_64 random(sluice::testing::seed(13));
    for (std::size_t round = 0; round < rounds(60); ++round) {
        const RandomOccurrences c(random, round % 4 == 0 ? 100'000 : 3000, round % 3 == 0 ? 150 : 30);
        check_occurrences(c.patterns, c.text, round % 2 == 0 ? c.text.size() : 1 + random() % c.text.size());
    }
}

TEST_CASE("exact on a device: more occurrences than there is room for at first, and than fit into a list", "[cuda]") {
    if (!has_device()) return;
    std::vector<std::string> owned;
    for (std::size_t length = 1; length <= 180; ++length) owned.emplace_back(length, 'a');
    const std::string text(60'000, 'a');
    const std::uint64_t expected = owned.size() * (text.size() + 1) - owned.size() * (owned.size() + 1) / 2;
    for (const CudaKernel kernel : kernels) {
        INFO("kernel " << static_cast<int>(kernel));
        const auto finder = make_cuda_occurrence_finder(as_patterns(owned), kernel);
        FoundOccurrences found;
        CHECK(!finder->find(text, text.size(), Wanted::ascending, found));
        CHECK(finder->find(text, text.size(), Wanted::number, found));
        CHECK(found.number == expected);
        CHECK(finder->find(text, 20'000, Wanted::ascending, found));
        CHECK(found.list == naive_occurrences(owned, text, 20'000));
    }
}

TEST_CASE("exact on a device: a search in pieces finds all occurrences", "[cuda]") {
    if (!has_device()) return;
    std::mt19937_64 random(sluice::testing::seed(14));
    for (std::size_t round = 0; round < rounds(20); ++round) {
        const RandomOccurrences c(random, 20'000, 40);
        for (const CudaKernel kernel : kernels) {
            OccurrenceSearch search(as_patterns(c.patterns), {kernel, Processor::gpu});
            REQUIRE(search.on_gpu());
            const std::size_t piece_bytes = 1 + random() % 5000;
            std::vector<Occurrence> all;
            double kernel_seconds = 0;
            for (std::size_t begin = 0; begin < c.text.size(); begin += piece_bytes) {
                const auto piece = std::string_view(c.text).substr(begin, piece_bytes + search.overlap_bytes());
                const auto report = [&](const OccurrenceBlock& block) {
                    kernel_seconds += block.kernel_seconds;
                    for (const Occurrence& o : block.occurrences)
                        all.push_back({o.pattern, o.position + static_cast<std::uint32_t>(begin)});
                    return true;
                };
                REQUIRE(search.search(piece, std::min(piece_bytes, piece.size()), Wanted::ascending, report).empty());
            }
            REQUIRE(all == naive_occurrences(c.patterns, c.text, c.text.size()));
            CHECK(kernel_seconds > 0);
        }
    }
}

TEST_CASE("exact on a device: Rabin-Karp's table is limited by name", "[cuda]") {
    const std::vector<Pattern> patterns(rabin_karp_patterns_max + 1, Pattern{"x"});
    CHECK(cuda_refusal(patterns, CudaKernel::filter).empty());
    CHECK(cuda_refusal(patterns, CudaKernel::plain) ==
          "the number of patterns, 32769, is more than Rabin-Karp's limit of 32768");
}
