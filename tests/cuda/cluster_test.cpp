#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

#include "gpu/cuda/cluster_match.hpp"
#include "gpu/cuda/version_gate.hpp"
#include "tests/cuda/on_device.hpp"

using namespace sluice::cuda;

namespace {

struct Row {
    std::uint32_t target = 0;
    std::vector<std::uint32_t> literals;
    std::uint32_t access = literal_true;
    bool disjunction = false;

    ClusterRow view() const { return {target, literals, access, disjunction}; }
};

using Hits = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>;  // (target, word): events

class Random {
public:
    explicit Random(std::uint32_t seed) : engine_(seed) {}
    std::uint32_t below(std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(engine_); }
    std::uint32_t bits() { return static_cast<std::uint32_t>(engine_()); }
    bool chance(double p) { return std::bernoulli_distribution(p)(engine_); }

private:
    std::mt19937 engine_;
};

// Masks of literals that seldom, sometimes, nearly always and always hold, so that rows of any length may.
struct Masks {
    std::uint32_t literals, stride, words;
    std::vector<std::uint32_t> host;
    DeviceBuffer<std::uint32_t> device;

    Masks(Random& random, std::uint32_t literal_count, std::uint32_t word_count)
        : literals(literal_count), stride((literal_count + 31) / 32 * 32), words(word_count), host(stride * words) {
        for (std::uint32_t w = 0; w < words; ++w) {
            const std::uint32_t valid = w + 1 < words ? ~0u : ~0u >> random.below(32);
            host[w * stride + literal_true] = valid;
            for (std::uint32_t i = 2; i < literals; ++i) {
                const std::uint32_t kind = i * 2654435761u >> 29;
                std::uint32_t mask = random.bits();
                if (kind == 0) mask &= random.bits() & random.bits() & random.bits() & random.bits();
                if (kind == 2) mask |= random.bits() | random.bits() | random.bits() | random.bits();
                if (kind > 2) mask = ~0u;
                host[w * stride + i] = mask & valid;
            }
        }
        device = to_device(std::span<const std::uint32_t>(host));
    }
    MaskView view() const { return {device.data(), stride}; }
};

Row random_row(Random& random, std::uint32_t literals, std::uint32_t target) {
    static const std::vector<std::uint32_t> sizes{0,  1,  2,  3,  4,  5,   6,   7,   8,   9,   15,  16,  17, 31,
                                                  32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513};
    Row row{target, std::vector<std::uint32_t>(sizes[random.below(random.chance(0.9) ? 15 : 27)])};
    const bool likely = random.chance(0.7);
    for (std::uint32_t& literal : row.literals) {
        do literal = random.below(literals);
        while (likely && literal > 1 && literal * 2654435761u >> 29 < 3 && random.chance(0.95));
    }
    if (literals > 2 && random.chance(0.3)) row.access = 2 + random.below(std::min(literals - 2, 20u));
    return row;
}

Hits expected_hits(const std::vector<Row>& rows, const Masks& masks, const std::vector<std::uint32_t>& disjunctions) {
    Hits hits;
    for (const Row& row : rows) {
        for (std::uint32_t w = 0; w < masks.words; ++w) {
            const std::uint32_t* word = &masks.host[w * masks.stride];
            std::uint32_t events = word[literal_true] & word[row.access];
            for (const std::uint32_t literal : row.literals) events &= word[literal];
            if (events != 0) hits[{row.disjunction ? disjunctions[row.target] : row.target, w}] |= events;
        }
    }
    return hits;
}

// The list on the device, and back.
class List {
public:
    explicit List(std::uint32_t capacity) : hits_(capacity), count_(1) {
        check(cudaMemset(count_.data(), 0, 4), "cudaMemset");
        check(cudaMemset(hits_.data(), 0xee, hits_.bytes()), "cudaMemset");
        check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");  // streams that don't block would not wait
    }
    HitList view() const { return {hits_.data(), static_cast<std::uint32_t>(hits_.size()), count_.data()}; }
    std::uint32_t count() const {
        std::uint32_t n = 0;
        check(cudaMemcpy(&n, count_.data(), 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
        return n;
    }
    // Each (target, word) once.
    Hits hits() const {
        std::vector<Hit> all(std::min<std::size_t>(count(), hits_.size()));
        if (!all.empty())
            check(cudaMemcpy(all.data(), hits_.data(), all.size() * sizeof(Hit), cudaMemcpyDeviceToHost), "cudaMemcpy");
        Hits hits;
        for (const Hit& hit : all) {
            REQUIRE(hit.events != 0);
            REQUIRE(hits.emplace(std::pair(hit.target(), hit.word()), hit.events).second);
        }
        return hits;
    }

private:
    DeviceBuffer<Hit> hits_;
    DeviceBuffer<std::uint32_t> count_;
};

Hits matched(const ClusterRows& rows, const Masks& masks, std::uint32_t capacity, const MatchTuning& tuning = {}) {
    const List list(capacity);
    const Stream stream;
    match_clusters(rows.view(), masks.view(), masks.words, list.view(), stream, tuning);
    stream.wait();
    CHECK(list.count() <= capacity);
    return list.hits();
}

std::vector<ClusterRow> views(const std::vector<Row>& rows) {
    std::vector<ClusterRow> all;
    for (const Row& row : rows) all.push_back(row.view());
    return all;
}

void check_rows(std::uint32_t seed, std::uint32_t row_count, std::uint32_t literals, std::uint32_t words) {
    CAPTURE(seed, row_count, literals, words);
    Random random(seed);
    const Masks masks(random, literals, words);
    std::vector<std::uint32_t> disjunctions;
    if (random.chance(0.5)) {
        for (std::uint32_t d = 0; d < 1 + row_count / 5; ++d) disjunctions.push_back(1000000 + d);
    }
    std::vector<Row> rows;
    for (std::uint32_t i = 0; i < row_count; ++i) {
        rows.push_back(random_row(random, literals, i));
        if (disjunctions.empty() || random.chance(0.5)) continue;
        rows.back().disjunction = true;
        rows.back().target = random.below(static_cast<std::uint32_t>(disjunctions.size()));
    }
    ClusterRows::Options options;
    options.literals = literals;
    options.spare_rows = random.below(3);
    const ClusterRows clusters(views(rows), options, disjunctions);
    const Hits expected = expected_hits(rows, masks, disjunctions);
    const std::uint32_t room = row_count * words + 1;
    CHECK(matched(clusters, masks, room) == expected);
    MatchTuning tuning;
    tuning.overlap_masks = random.chance(0.5);
    tuning.blocks = static_cast<int>(1 + random.below(132));
    CHECK(matched(clusters, masks, room, tuning) == expected);  // again: nothing is left of the first time

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
    const ClusterRows nothing({}, {});
    CHECK(matched(nothing, Masks(random, 10, 1), 1).empty());
    const std::vector<Row> rows{{7, {}}, {8, {2, 3}}};
    ClusterRows::Options options;
    options.literals = 5;
    const ClusterRows some(views(rows), options);
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
    ClusterRows::Options options;
    options.literals = 5;
    const std::vector<Row> literal{{0, {5}}}, access{{0, {4}, 5}}, target{{Hit::targets_max, {4}}},
        disjunction{{0, {4}, literal_true, true}};
    for (const auto& rows : {literal, access, target, disjunction})
        CHECK_THROWS_AS(ClusterRows(views(rows), options), std::invalid_argument);
}

TEST_CASE("rows are inserted and removed in place, and a batch sees one version", "[cuda]") {
    if (!sluice::testing::has_device()) return;
    for (std::uint32_t round = 0; round < sluice::testing::rounds(3); ++round) {
        CAPTURE(round);
        Random random(300 + round);
        const std::uint32_t literals = round % 2 == 0 ? 300 : 70000;
        const Masks masks(random, literals, 2);
        std::vector<Row> rows;
        for (std::uint32_t i = 0; i < 3000; ++i) rows.push_back(random_row(random, literals, i));
        ClusterRows::Options options;
        options.literals = literals;
        options.spare_rows = 5;
        ClusterRows clusters(views(rows), options);
        std::vector<std::uint32_t> slots;
        for (std::size_t i = 0; i < rows.size(); ++i) slots.push_back(clusters.slot(i));

        constexpr std::size_t readers = 3, versions = 30;
        VersionGate gate(readers);
        std::vector<Stream> streams(readers);
        const Stream writer;
        std::vector<List> lists;
        std::vector<Hits> expected;
        std::uint32_t next = 3000, inserted = 0;
        for (std::size_t version = 0; version < versions; ++version) {
            for (std::uint32_t change = random.below(60); change > 0; --change) {
                if (random.chance(0.5) && !rows.empty()) {
                    const std::uint32_t i = random.below(static_cast<std::uint32_t>(rows.size()));
                    clusters.remove(slots[i]);
                    rows[i] = rows.back();
                    slots[i] = slots.back();
                    rows.pop_back();
                    slots.pop_back();
                } else {
                    const Row row = random_row(random, literals, next++);
                    if (const auto slot = clusters.insert(row.view())) {
                        rows.push_back(row);
                        slots.push_back(*slot);
                        ++inserted;
                    }
                }
            }
            clusters.stage(writer);
            gate.begin_write(writer);
            clusters.apply(writer);
            gate.end_write(writer);
            for (std::size_t i = 0; i < readers; ++i) {
                lists.emplace_back(10000);
                expected.push_back(expected_hits(rows, masks, {}));
                gate.begin_read(streams[i]);
                match_clusters(clusters.view(), masks.view(), 2, lists.back().view(), streams[i], {});
                gate.end_read(i, streams[i]);
            }
        }
        check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        CHECK(inserted > 100);
        for (std::size_t i = 0; i < lists.size(); ++i) CHECK(lists[i].hits() == expected[i]);
    }
}

TEST_CASE("a full cluster takes no row", "[cuda]") {
    if (!sluice::testing::has_device()) return;
    const std::vector<Row> rows(512, Row{1, {2, 3}});
    ClusterRows::Options options;
    options.literals = 5;
    ClusterRows clusters(views(rows), options);
    CHECK(clusters.free_rows(2) == 0);
    CHECK_FALSE(clusters.insert(rows[0].view()).has_value());
    CHECK_FALSE(clusters.insert(Row{1, {2, 3, 4}}.view()).has_value());
    clusters.remove(clusters.slot(5));
    CHECK(clusters.free_rows(2) == 0);  // not before the removal is staged
    const Stream stream;
    clusters.stage(stream);
    clusters.apply(stream);
    CHECK(clusters.insert(rows[0].view()) == clusters.slot(5));
    stream.wait();
}
