// Both phases against the naive backend, whose answers are the engine's by definition.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "gpu/cuda/cluster_match.hpp"
#include "gpu/matcher.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/cuda/random_predicates.hpp"

using namespace sluice;
using namespace sluice::cuda;
using sluice::testing::PackedBatch;
using sluice::testing::RandomPredicates;

namespace {

using Hits = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>;  // (subscription, word): events

Disjunction random_filter(RandomPredicates& random) {
    Disjunction filter(1 + (random.chance(0.3) ? random.below(4) : 0));
    for (Conjunction& conjunction : filter) {
        for (std::uint32_t n = random.below(random.chance(0.1) ? 20 : 4); n > 0; --n)
            conjunction.push_back(
                {random.predicate(std::string(1, static_cast<char>('a' + random.below(4)))), random.chance(0.3)});
    }
    return filter;
}

void check_filters(std::uint32_t seed, std::uint32_t filters, std::size_t events) {
    CAPTURE(seed, filters, events);
    RandomPredicates random(seed);
    const auto naive = make_subscription_set(Backend::naive);
    std::vector<Disjunction> all;
    for (std::uint32_t i = 0; i < filters; ++i) {
        all.push_back(random_filter(random));
        REQUIRE(naive->add(all.back()).slot == i);
    }
    const auto program = naive->compile();
    const auto& names = program->attributes()->names;
    const EventBatch batch = random.batch(events, static_cast<std::uint32_t>(names.size()));
    std::vector<Match> matches;
    program->match(batch, matches);
    Hits expected;
    for (const Match& m : matches) expected[{m.subscription.slot, m.word}] = m.accepted;

    MaskTableBuilder builder;
    std::vector<std::vector<std::uint32_t>> literals;
    std::vector<ClusterRow> rows;
    std::vector<std::uint32_t> disjunctions;
    for (std::uint32_t i = 0; i < filters; ++i) {
        const bool many = all[i].size() > 1;
        const std::uint32_t target = many ? static_cast<std::uint32_t>(disjunctions.size()) : i;
        for (const Conjunction& conjunction : all[i]) {
            auto& row = literals.emplace_back();
            for (const Literal& literal : conjunction) {
                const auto name = std::find(names.begin(), names.end(), literal.predicate.attribute) - names.begin();
                row.push_back(builder.add(static_cast<std::uint32_t>(name), literal.predicate, literal.negated));
            }
            rows.push_back({target, row, row.empty() || random.chance(0.7) ? literal_true : row[0], many});
        }
        if (many) disjunctions.push_back(i);
    }
    ClusterRows::Options options;
    options.literals = builder.literals();
    const MaskTables tables(builder);
    const ClusterRows clusters(rows, options, disjunctions);
    const PackedBatch packed(batch, names.size());
    const BatchView view = packed.view();

    const DeviceBuffer<std::uint32_t> masks(tables.mask_words(view.words)), count(1);
    const DeviceBuffer<Hit> hits(filters * std::size_t{view.words} + 1);
    const Stream stream;
    const MaskView mask_view{masks.data(), tables.stride()};
    evaluate_masks(tables, view, mask_view, count.data(), stream);
    match_clusters(clusters.view(), mask_view, view.words,
                   {hits.data(), static_cast<std::uint32_t>(hits.size()), count.data()}, stream);
    std::vector<std::uint32_t> found_count(1);
    copy_to_host(std::span(found_count), count.data(), stream);
    stream.wait();
    REQUIRE(found_count[0] <= hits.size());
    std::vector<Hit> list(found_count[0]);
    copy_to_host(std::span(list), hits.data(), stream);
    stream.wait();
    Hits found;
    for (const Hit& hit : list) REQUIRE(found.emplace(std::pair(hit.target(), hit.word()), hit.events).second);
    CHECK(found == expected);
}

}  // namespace

TEST_CASE("masks and clusters answer as the naive backend does", "[cuda]") {
    if (!sluice::testing::has_device()) return;
    std::uint32_t seed = 1;
    for (const std::size_t events : {0u, 1u, 31u, 32u, 33u, 63u, 64u, 65u}) check_filters(seed++, 100, events);
    check_filters(seed++, 5, 1023);
    check_filters(seed++, 5, 1024);
    for (std::uint32_t round = 0; round < sluice::testing::rounds(20); ++round)
        check_filters(100 + round, 1 + round * 17 % 200, 1 + round * 29 % 70);
}
