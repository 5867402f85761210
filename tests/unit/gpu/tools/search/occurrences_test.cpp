#include "gpu/tools/search/occurrences.hpp"

#include <catch2/catch.hpp>

#include "gpu/tools/search/plain_rabin_karp.hpp"
#include "tests/unit/gpu/operators/substrings/naive_occurrences.hpp"

using namespace sluice::substrings;

namespace {

constexpr Algorithm algorithms[] = {Algorithm::filter, Algorithm::prefix_sums, Algorithm::plain};

// All occurrences that a search finds in a text that it gets in pieces of this size.
std::vector<Occurrence> found_in_pieces(OccurrenceSearch& search, std::string_view text, std::size_t piece_bytes) {
    std::vector<Occurrence> all;
    std::uint64_t number = 0;
    for (std::size_t begin = 0; begin < text.size(); begin += piece_bytes) {
        const auto piece = text.substr(begin, piece_bytes + search.overlap_bytes());
        std::size_t expected_begin = 0;
        const auto report = [&](const OccurrenceBlock& block) {
            CHECK(block.begin == expected_begin);
            expected_begin = block.end;
            number += block.number;
            for (const Occurrence& o : block.occurrences) {
                CHECK((o.position >= block.begin && o.position < block.end));
                all.push_back({o.pattern, o.position + static_cast<std::uint32_t>(begin)});
            }
            return true;
        };
        const std::size_t begins = std::min(piece_bytes, piece.size());
        CHECK(search.search(piece, begins, Wanted::ascending, report).empty());
        CHECK(expected_begin == begins);
    }
    CHECK(number == all.size());
    return all;
}

}  // namespace

TEST_CASE("Occurrences: every algorithm finds what naive search finds, at the edges") {
    for (const OccurrenceEdge& edge : occurrence_edges()) {
        for (const Algorithm algorithm : algorithms) {
            for (const unsigned threads : {1u, 2u, 3u}) {
                const auto finder = make_occurrence_finder(as_patterns(edge.patterns), algorithm, threads);
                for (const std::size_t begins : {edge.text.size(), edge.text.size() / 2, std::size_t{1}}) {
                    INFO(static_cast<int>(algorithm) << ", " << threads << " threads, " << edge.patterns.front());
                    CHECK(finds(*finder, edge.text, begins, naive_occurrences(edge.patterns, edge.text, begins)));
                }
            }
        }
    }
}

TEST_CASE("Occurrences: every algorithm finds what naive search finds, at random") {
    std::mt19937_64 random(sluice::testing::seed(21));
    for (int round = 0; round < 24; ++round) {
        const RandomOccurrences c(random, round % 4 == 0 ? 13'000 : 600, round % 3 == 0 ? 100 : 30);
        const std::size_t begins = round % 2 == 0 ? c.text.size() : 1 + random() % c.text.size();
        const auto expected = naive_occurrences(c.patterns, c.text, begins);
        for (const Algorithm algorithm : algorithms) {
            for (const unsigned threads : {1u, 2u, 3u}) {
                INFO("round " << round << ", algorithm " << static_cast<int>(algorithm) << ", " << threads);
                const auto finder = make_occurrence_finder(as_patterns(c.patterns), algorithm, threads, c.text);
                REQUIRE(finds(*finder, c.text, begins, expected));
            }
        }
    }
}

TEST_CASE("Occurrences: those in pieces that overlap are found once") {
    std::mt19937_64 random(sluice::testing::seed(22));
    for (int round = 0; round < 30; ++round) {
        const RandomOccurrences c(random, 3000, 40);
        const auto expected = naive_occurrences(c.patterns, c.text, c.text.size());
        for (const Algorithm algorithm : algorithms) {
            OccurrenceSearch search(as_patterns(c.patterns), {algorithm, Processor::cpu, 2});
            REQUIRE(found_in_pieces(search, c.text, 1 + random() % 1000) == expected);
            REQUIRE(found_in_pieces(search, c.text, 1 + random() % 50) == expected);
        }
    }
}

TEST_CASE("Occurrences: more than fit into a list are found block by block") {
    std::vector<std::string> patterns;  // all begin at each byte of the text but the last few
    for (std::size_t length = 1; length <= 180; ++length) patterns.emplace_back(length, 'a');
    const std::string text(47'000, 'a');
    const std::uint64_t expected = patterns.size() * (text.size() + 1) - patterns.size() * (patterns.size() + 1) / 2;
    REQUIRE(expected > occurrences_max);
    for (const Algorithm algorithm : algorithms) {
        const auto finder = make_occurrence_finder(as_patterns(patterns), algorithm, 2);
        FoundOccurrences found;
        CHECK(!finder->find(text, text.size(), Wanted::any_order, found));
        CHECK(finder->find(text, 100, Wanted::ascending, found));
        CHECK(found.list.size() == 100 * patterns.size());
    }
    OccurrenceSearch search(as_patterns(patterns), {Algorithm::filter, Processor::cpu, 2});
    std::uint64_t number = 0, listed = 0;
    std::uint32_t last = 0;
    bool ascending = true;
    const auto report = [&](const OccurrenceBlock& block) {
        number += block.number;
        listed += block.occurrences.size();
        for (const Occurrence& o : block.occurrences) {
            ascending = ascending && o.position >= last;
            last = o.position;
        }
        return true;
    };
    CHECK(search.search(text, text.size(), Wanted::ascending, report).empty());
    CHECK(number == expected);
    CHECK(listed == expected);
    CHECK(ascending);
}

TEST_CASE("Occurrences: patterns with the same hash are told apart") {
    const std::vector<std::string> patterns{"a", "n", "{", "ab", "nb"};  // modulo 13, 'a', 'n' and '{' are equal
    const std::string text = "{abnb{a";
    const PlainRabinKarp plain(as_patterns(patterns), {2, 13, 1});
    PartOccurrences found;
    found.begins = text.size();
    found.most = 100;
    plain.search(text, found);
    std::sort(found.list.begin(), found.list.end());
    auto expected = naive_occurrences(patterns, text, text.size());
    std::sort(expected.begin(), expected.end());
    CHECK(found.list == expected);
}

TEST_CASE("Occurrences: the caller can end a search") {
    OccurrenceSearch search(as_patterns({"a"}), {Algorithm::filter, Processor::cpu, 1});
    int blocks = 0;
    const auto report = [&](const OccurrenceBlock&) { return ++blocks < 1; };
    CHECK(search.search(std::string(100, 'a'), 100, Wanted::number, report).empty());
    CHECK(blocks == 1);
    CHECK(search.overlap_bytes() == 0);
    CHECK(!search.on_gpu());
}

TEST_CASE("Occurrences: limits and missing GPUs are refused") {
    std::vector<std::string> texts;
    for (int i = 0; i < 65'521; ++i) texts.push_back(std::to_string(i));
    const auto patterns = as_patterns(texts);
    CHECK(OccurrenceSearch::refusal(patterns, {Algorithm::filter}).empty());
    CHECK(OccurrenceSearch::refusal(patterns, {Algorithm::plain, Processor::cpu}).empty());
    CHECK(OccurrenceSearch::refusal(patterns, {Algorithm::prefix_sums}) ==
          "the number of patterns, 65521, is not less than the modulus 65521");
    if (!occurrence_device_available()) {
        const auto reason = OccurrenceSearch::refusal(as_patterns({"a"}), {Algorithm::filter, Processor::gpu});
        CHECK((reason == "this build has no CUDA" || reason == "there is no GPU that CUDA can use"));
        const OccurrenceSearch large(as_patterns({"a"}),
                                     {Algorithm::filter, Processor::automatic, 1, ~std::uint64_t{0}});
        CHECK(!large.on_gpu());
    }
}
