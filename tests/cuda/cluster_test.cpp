#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "gpu/cuda/clusters/cluster_match.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/cuda/random_rows.hpp"

using namespace sluice::cuda;
using namespace sluice::testing;

namespace {

Hits matched(const ClusterRows& rows, const Masks& masks, std::uint32_t capacity, const MatchTuning& tuning = {}) {
    const List list(capacity);
    const Stream stream;
    match_clusters(rows.view(), masks.view(), masks.words, list.view(), stream, tuning);
    stream.wait();
    CHECK(list.count() <= capacity);
    return list.hits();
}

void check_rows(std::uint32_t seed, std::uint32_t row_count, std::uint32_t literals, std::uint32_t words) {
    CAPTURE(seed, row_count, literals, words);
    Random random(seed);
    const Masks masks(random, literals, words);
    std::vector<Row> rows;
    for (std::uint32_t i = 0; i < row_count; ++i) rows.push_back(random_row(random, literals, i));
    const ClusterRows clusters(views(rows), literals);
    const Hits expected = expected_hits(rows, masks);
    const std::uint32_t room = row_count * words + 1;
    CHECK(matched(clusters, masks, room) == expected);
    MatchTuning tuning;
    tuning.overlap_masks = random.chance(0.5);
    tuning.blocks = static_cast<int>(1 + random.below(132));
    CHECK(matched(clusters, masks, room, tuning) == expected);  // again: the first run leaves no trace

    const auto few = static_cast<std::uint32_t>(expected.size() / 2);
    const List list(few);
    const Stream stream;
    match_clusters(clusters.view(), masks.view(), words, list.view(), stream);
    stream.wait();
    CHECK(list.count() == expected.size());
    CHECK(matched(clusters, masks, room) == expected);
}

}  // namespace

TEST_CASE("hits are the rows whose literals all hold", "[cuda]") {
    if (!sluice::testing::has_device()) return;
    std::uint32_t seed = 1;
    for (const std::uint32_t row_count :
         {1u, 2u, 3u, 31u, 32u, 33u, 63u, 64u, 65u, 127u, 128u, 129u, 255u, 256u, 257u, 1023u, 1024u, 1025u, 3000u})
        check_rows(seed++, row_count, 2 + row_count % 300, 1 + row_count % 3);
    for (const std::uint32_t words : {1u, 2u, 3u, 31u, 32u}) check_rows(seed++, 400, 200, words);
}

TEST_CASE("literal numbers of 16 and 32 bits, masks in and out of shared memory", "[cuda]") {
    if (!sluice::testing::has_device()) return;
    std::uint32_t seed = 100;
    for (const std::uint32_t literals : {2u, 3u, 50u, 30002u, 53000u, 54000u, 65536u, 65537u, 100000u}) {
        check_rows(seed++, 2000, literals, 1);
        check_rows(seed++, 500, literals, 3);
    }
}

TEST_CASE("random rows", "[cuda]") {
    if (!sluice::testing::has_device()) return;
    for (std::uint32_t round = 0; round < sluice::testing::rounds(20); ++round) {
        Random random(5000 + round);
        check_rows(10000 + round, 1 + random.below(random.chance(0.2) ? 30000 : 500), 2 + random.below(2000),
                   1 + random.below(random.chance(0.2) ? 32 : 2));
    }
}

TEST_CASE("no rows, no words, no events: no hits", "[cuda]") {
    if (!sluice::testing::has_device()) return;
    Random random(1);
    const ClusterRows nothing({}, 0);
    CHECK(matched(nothing, Masks(random, 10, 1), 1).empty());
    const std::vector<Row> rows{{7, {}}, {8, {2, 3}}};
    const ClusterRows some(views(rows), 5);
    Masks masks(random, 5, 1);
    const List list(5);
    const Stream stream;
    match_clusters(some.view(), masks.view(), 0, list.view(), stream);
    stream.wait();
    CHECK(list.count() == 0);
    check(cudaMemset(masks.device.data(), 0, masks.device.bytes()), "cudaMemset");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    CHECK(matched(some, masks, 5).empty());
}

TEST_CASE("rows that name what is not there are refused", "[cuda]") {
    const std::vector<Row> literal{{0, {5}}}, access{{0, {4}, 5}}, target{{Hit::targets_max, {4}}};
    for (const auto& rows : {literal, access, target})
        CHECK_THROWS_AS(ClusterRows(views(rows), 5), std::invalid_argument);
}
