// One pair on several devices, or on shares of one: on any machine, slices of one device test everything but the
// transfer between two.
#include "gpu/tools/align/multi_device_aligner.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "gpu/operators/alignment/rows.hpp"
#include "tests/cuda/fault_plan.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/source_folder.hpp"
#include "tests/unit/gpu/operators/alignment/random_sequences.hpp"

using namespace sluice;
using namespace sluice::alignment;
using sluice::testing::has_device;

namespace {

// `count` shares, alternating among all devices.
std::vector<int> shares(unsigned count) {
    std::vector<int> devices;
    for (unsigned i = 0; i < count; ++i) devices.push_back(static_cast<int>(i) % cuda::device_count());
    return devices;
}

std::vector<Code> read_fasta(const Scheme& scheme, const char* name) {
    std::ifstream file(testing::shared_folder("sequences") / name);
    std::string header;
    std::getline(file, header);
    return scheme.encode(std::string(std::istreambuf_iterator<char>(file), {}));
}

// Whether an alignment of the two sequences up to this point has this score.
bool ends_at(const Scheme& scheme, Codes query, Codes text, const EndPoint& end) {
    return end.query_end <= query.size() && end.text_end <= text.size() &&
           align_rows(scheme, Mode::local, query.first(end.query_end), text.first(end.text_end)).score == end.score;
}

// In all modes: pruned or not, seeded, and as a predicate that holds or doesn't.
void check(MultiDeviceAligner& devices, const Scheme& scheme, Codes query, Codes text, TileShape shape,
           SliceOptions slices, Random& random) {
    const EndPoint best = align_rows(scheme, Mode::local, query, text);
    const auto less = static_cast<std::int32_t>(below(random, static_cast<std::size_t>(std::max(best.score, 1))));
    CAPTURE(query.size(), text.size(), scheme.highest, scheme.lowest, scheme.gap_first, scheme.gap_further, shape.rows,
            slices.blocks_max, slices.through_host, best.score, less);
    const auto align = [&](const WavefrontOptions& options) {
        return devices.align(Mode::local, query, text, options, slices);
    };
    for (const bool prune : {false, true}) {
        const EndPoint end = align({.prune = prune, .shape = shape});
        CHECK(end.score == best.score);
        CHECK(ends_at(scheme, query, text, end));
        CHECK((prune || devices.statistics().pruned_share() == 0));
    }
    CHECK(align({.known_below = less, .shape = shape}).score == best.score);
    CHECK(align({.known_below = best.score, .shape = shape}).score <= best.score);
    const std::int32_t reached = align({.known_below = less, .stop_at = less + 1, .shape = shape}).score;
    CHECK((reached > less) == (best.score > 0));
    CHECK(reached <= best.score);
    CHECK(align({.known_below = best.score, .stop_at = best.score + 1, .shape = shape}).score <= best.score);
    const EndPoint whole = devices.align(Mode::global, query, text, {.shape = shape}, slices);
    CHECK(whole.score == align_rows(scheme, Mode::global, query, text).score);
    CHECK(whole.text_end == text.size());
}

constexpr TileShape shapes[] = {{2, 4}, {4, 8}};

}  // namespace

TEST_CASE("slices score random pairs of odd and tiny sizes as the definition says", "[cuda][slices]") {
    if (!has_device()) return;
    Random random(21);
    std::size_t pairs = test_rounds(48);
    while (pairs > 0) {
        const Scheme scheme = random_scheme(random);
        const auto count = static_cast<unsigned>(1 + pairs % 4);
        MultiDeviceAligner devices(scheme, shares(count));
        for (int i = 0; i < 4 && pairs > 0; ++i, --pairs) {
            const TileShape shape = shapes[below(random, 2)];
            const auto text = random_sequence(random, scheme, random_length(random, 12 * block_columns(shape)));
            const auto query = below(random, 3) > 0 ? mutated(random, scheme, text, 20 + below(random, 60))
                                                    : random_sequence(random, scheme, random_length(random, 700));
            const SliceOptions slices{.blocks_max = static_cast<unsigned>(1 + below(random, 4)),
                                      .through_host = below(random, 2) == 0};
            CAPTURE(count);
            check(devices, scheme, query, text, shape, slices, random);
        }
    }
}

TEST_CASE("slices of a pair with many rows hand all of them over", "[cuda][slices]") {
    if (!has_device()) return;
    Random random(22);
    const Scheme scheme = Scheme::dna();
    for (const unsigned count : {2u, 3u}) {
        MultiDeviceAligner devices(scheme, shares(count));
        const auto text = random_sequence(random, scheme, 9'000 + below(random, 2'000));
        const auto query = mutated(random, scheme, text, 30);
        const EndPoint best = align_rows(scheme, Mode::local, query, text);
        for (const unsigned blocks_max : {1u, 2u, 0u}) {
            for (const bool through_host : {false, true}) {
                const SliceOptions slices{blocks_max, through_host};
                CAPTURE(count, blocks_max, through_host);
                CHECK(devices.align(Mode::local, query, text, {.prune = false}, slices).score == best.score);
                CHECK((blocks_max == 0 || devices.slices() > count));
                const EndPoint end = devices.align(Mode::local, query, text, {}, slices);
                CHECK(end.score == best.score);
                CHECK(ends_at(scheme, query, text, end));
            }
        }
        // Linear: 8 bytes per row for the edges (twice if through the host), one per letter, 128 per block.
        for (std::size_t i = 0; i < count; ++i)
            CHECK(devices.device_bytes(i) < 18 * query.size() + 2 * text.size() + 20'000);
    }
}

TEST_CASE("slices prune a phage and its mutant, with the score that parasail has", "[cuda][slices]") {
    if (!has_device()) return;
    const Scheme scheme = Scheme::dna();
    const auto phage = read_fasta(scheme, "enterobacteria_phage_1.fasta");
    const auto mutant = read_fasta(scheme, "enterobacteria_phage_1_mutated_97.fasta");
    if (phage.empty()) {
        sluice::testing::skip("no sequences in ../shared");
        return;
    }
    for (const unsigned count : {1u, 2u, 4u}) {
        MultiDeviceAligner devices(scheme, shares(count));
        CAPTURE(count);
        for (const unsigned blocks_max : {0u, 20u}) {
            const SliceOptions slices{.blocks_max = blocks_max};
            CHECK(devices.align(Mode::local, phage, mutant, {.prune = false}, slices).score == 81314);
            CHECK(devices.align(Mode::local, phage, mutant, {}, slices).score == 81314);
            CHECK(devices.statistics().pruned_share() > 0.2);
            CHECK(devices.align(Mode::global, phage, mutant, {}, slices).score == 81314);
        }
        CHECK(devices.align(Mode::local, phage, mutant, {.known_below = 81314}).score <= 81314);
        CHECK(devices.statistics().pruned_share() > 0.5);
        CHECK(devices.align(Mode::local, phage, mutant, {.known_below = 9'999, .stop_at = 10'000}).score >= 10'000);
    }
}

TEST_CASE("a device that fails ends the work, with its name", "[cuda][slices]") {
    if (!has_device()) return;
    Random random(23);
    const Scheme scheme = Scheme::dna();
    const auto query = random_sequence(random, scheme, 30'000), text = random_sequence(random, scheme, 30'000);
    MultiDeviceAligner devices(scheme, shares(2));
    for (const Mode mode : {Mode::local, Mode::global}) {
        const auto align = [&] { return devices.align(mode, query, text, {}, {.blocks_max = 8}); };
        const std::int32_t score = align().score;
        for (const char* call : {"cudaMalloc", "cudaMallocHost", "cudaMemsetAsync", "alignment of long pairs",
                                 "alignment of a slice", "copy to host"}) {
            CAPTURE(call);
            MultiDeviceAligner fresh(scheme, shares(2));
            const testing::FaultPlan plan(call, cudaErrorLaunchFailure, 1);
            CHECK_THROWS_WITH(fresh.align(mode, query, text, {}, {.blocks_max = 8, .through_host = true}),
                              Catch::StartsWith("GPU 0: ") && Catch::Contains("cudaErrorLaunchFailure"));
            CHECK(plan.done());
            CHECK(fresh.align(mode, query, text, {}, {.blocks_max = 8}).score == score);
        }
        CHECK(align().score == score);
    }
}

TEST_CASE("devices that there are not are refused", "[cuda][slices]") {
    if (!has_device()) return;
    const std::vector<int> none, beyond = {0, cuda::device_count()}, negative = {-1}, many(40, 0);
    CHECK_THROWS_WITH(MultiDeviceAligner(Scheme::dna(), none), Catch::Contains("can use 1 to 32 GPUs, not 0"));
    CHECK_THROWS_WITH(MultiDeviceAligner(Scheme::dna(), beyond), Catch::StartsWith("there is no GPU "));
    CHECK_THROWS_WITH(MultiDeviceAligner(Scheme::dna(), negative), Catch::StartsWith("there is no GPU -1"));
    CHECK_THROWS_WITH(MultiDeviceAligner(Scheme::dna(), many), Catch::Contains("not 40"));
}
