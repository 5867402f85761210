#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "gpu/tools/search/occurrences.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/unit/gpu/operators/substrings/naive_occurrences.hpp"
#include "tests/unit/gpu/operators/substrings/random_exact.hpp"

using namespace sluice::substrings;
using sluice::testing::has_device;

namespace {

constexpr Algorithm kernels[] = {Algorithm::filter, Algorithm::prefix_sums, Algorithm::plain};

void check_occurrences(const std::vector<std::string>& owned, std::string_view text, std::size_t begins) {
    const auto patterns = as_patterns(owned);
    const auto expected = naive_occurrences(owned, text, begins);
    for (const Algorithm kernel : kernels) {
        INFO("kernel " << static_cast<int>(kernel) << ", " << owned.size() << " patterns, " << text.size() << " bytes");
        CHECK(finds(*make_cuda_occurrence_finder(patterns, kernel), text, begins, expected));
        CHECK(finds(*make_cuda_occurrence_finder(patterns, kernel, text, 100), text, begins, expected));
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

TEST_CASE("exact on a device: patterns of one hash are told apart", "[cuda]") {
    if (!has_device()) return;
    // Rabin-Karp's hash is a sum of the letters, each with twice the weight of the next one. So few hashes are many
    // patterns' here, and those of the other set take the last slot of the table and the first ones.
    std::mt19937_64 random(sluice::testing::seed(15));
    std::string text(20'000, 'a');
    for (char& letter : text) letter = static_cast<char>('a' + random() % 3);
    std::set<std::string> distinct;
    while (distinct.size() < 500) distinct.insert(text.substr(random() % 19'000, 8));
    check_occurrences({distinct.begin(), distinct.end()}, text, text.size());

    std::vector<std::string> last;  // 128 * 511 + 112 = 65520
    for (int i = 0; i < 40; ++i)
        last.push_back(std::string(7, '\x80') + static_cast<char>(128 + i) + static_cast<char>(240 - 2 * i));
    std::string joined;
    for (const std::string& pattern : last) joined += pattern + last.front() + pattern;
    check_occurrences(last, joined, joined.size());
}

TEST_CASE("exact on a device: more occurrences than there is room for at first, and than fit into a list", "[cuda]") {
    if (!has_device()) return;
    std::vector<std::string> owned;
    for (std::size_t length = 1; length <= 180; ++length) owned.emplace_back(length, 'a');
    const std::string text(60'000, 'a');
    const std::uint64_t expected = owned.size() * (text.size() + 1) - owned.size() * (owned.size() + 1) / 2;
    for (const Algorithm kernel : kernels) {
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
        for (const Algorithm kernel : kernels) {
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
    CHECK(cuda_refusal(patterns, Algorithm::filter).empty());
    CHECK(cuda_refusal(patterns, Algorithm::plain) ==
          "the number of patterns, 32769, is more than Rabin-Karp's limit of 32768");
}
