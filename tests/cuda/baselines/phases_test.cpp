// The pipeline's masks and rows against the naive backend, whose answers are the engine's by definition.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <vector>

#include "gpu/api/matcher.hpp"
#include "gpu/cuda/clusters/cluster_match.hpp"
#include "gpu/device/graph.hpp"
#include "tests/bench/baselines/mask_tables.hpp"
#include "tests/cuda/baselines/packed_batch.hpp"
#include "tests/cuda/baselines/random_predicates.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/support/written_filter.hpp"

using namespace sluice;
using namespace sluice::bench;
using namespace sluice::cuda;
using sluice::testing::PackedBatch;
using sluice::testing::RandomPredicates;

namespace {

using Hits = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>;  // (subscription, word): events

testing::WrittenFilter random_filter(RandomPredicates& random) {
    testing::WrittenFilter filter(1 + (random.chance(0.3) ? random.below(4) : 0));
    for (testing::WrittenConjunction& conjunction : filter) {
        for (std::uint32_t n = random.below(random.chance(0.1) ? 20 : 4); n > 0; --n)
            conjunction.push_back(
                {random.predicate(std::string(1, static_cast<char>('a' + random.below(4)))), random.chance(0.3)});
    }
    return filter;
}

// Random filters on the device, and the naive backend's answers for them.
struct Filters {
    RandomPredicates random;
    std::unique_ptr<engine::SubscriptionSet> naive = engine::make_subscription_set(engine::Backend::naive);
    std::vector<testing::WrittenFilter> all;
    std::shared_ptr<const engine::Program> program;
    std::vector<std::uint32_t> filter_of;  // by row: each conjunction of a filter is a row
    MaskTables tables;
    ClusterRows clusters;

    // Plain filters are conjunctions without access literals, which one kernel decides.
    Filters(std::uint32_t seed, std::uint32_t count, bool plain) : random(seed) {
        for (std::uint32_t i = 0; i < count; ++i) {
            all.push_back(random_filter(random));
            if (plain) all.back().resize(1);
            REQUIRE(naive->add(testing::disjunction_of(all.back())).slot == i);
        }
        program = naive->compile();
        const auto& names = program->attributes()->names;
        MaskTableBuilder builder;
        std::vector<std::vector<std::uint32_t>> literals;
        std::vector<ClusterRow> rows;
        for (std::uint32_t i = 0; i < count; ++i) {
            for (const testing::WrittenConjunction& conjunction : all[i]) {
                auto& row = literals.emplace_back();
                for (const testing::WrittenLiteral& literal : conjunction) {
                    const auto name = std::find(names.begin(), names.end(), literal.predicate.attribute);
                    row.push_back(builder.add(static_cast<std::uint32_t>(name - names.begin()), literal.predicate,
                                              literal.negated));
                }
                const bool guarded = !plain && !row.empty() && random.chance(0.3);
                rows.push_back({static_cast<std::uint32_t>(filter_of.size()), row, guarded ? row[0] : literal_true});
                filter_of.push_back(i);
            }
        }
        tables = MaskTables(builder);
        clusters = ClusterRows(rows, builder.literals());
    }

    std::size_t attributes() const { return program->attributes()->names.size(); }
    engine::EventBatch batch(std::size_t events) {
        return random.batch(events, static_cast<std::uint32_t>(attributes()));
    }
    Hits expected(const engine::EventBatch& batch) const {
        std::vector<engine::Match> matches;
        program->match(batch, matches);
        Hits hits;
        for (const engine::Match& m : matches) hits[{m.subscription.slot, m.word}] = m.accepted;
        return hits;
    }
};

// A list on the device, with room for all possible hits.
class List {
public:
    List(std::size_t rows, std::size_t words)
        : hits_(rows * words + 1), count_(to_device(std::span<const std::uint32_t>(std::vector{12345u}))) {}
    HitList view() const { return {hits_.data(), static_cast<std::uint32_t>(hits_.size()), count_.data()}; }
    // The hits by filter. Each (row, word) must occur once.
    Hits hits(const Filters& filters) const {
        const Stream stream;
        std::vector<std::uint32_t> count(1);
        copy_to_host(std::span(count), count_.data(), stream);
        stream.wait();
        REQUIRE(count[0] <= hits_.size());
        std::vector<Hit> list(count[0]);
        copy_to_host(std::span(list), hits_.data(), stream);
        stream.wait();
        Hits of_rows, found;
        for (const Hit& hit : list) {
            REQUIRE(of_rows.emplace(std::pair(hit.target(), hit.word()), hit.events).second);
            found[{filters.filter_of[hit.target()], hit.word()}] |= hit.events;
        }
        return found;
    }

private:
    DeviceBuffer<Hit> hits_;
    DeviceBuffer<std::uint32_t> count_;
};

void check_filters(std::uint32_t seed, std::uint32_t count, std::size_t events) {
    CAPTURE(seed, count, events);
    Filters filters(seed, count, false);
    const engine::EventBatch batch = filters.batch(events);
    const PackedBatch packed(batch, filters.attributes());
    const BatchView view = packed.view();
    const DeviceBuffer<std::uint32_t> masks(filters.tables.mask_words(view.words));
    const List list(filters.filter_of.size(), view.words);
    const MaskView mask_view{masks.data(), filters.tables.stride()};
    const Stream stream;
    evaluate_masks(filters.tables, view, mask_view, list.view().count, stream);
    match_clusters(filters.clusters.view(), mask_view, view.words, list.view(), stream);
    stream.wait();
    CHECK(list.hits(filters) == filters.expected(batch));
}

// Different batches in sequence in one graph, as in production, with two alternating buffers for the masks.
void check_chain(std::uint32_t seed, std::uint32_t count, bool plain) {
    constexpr std::size_t batches = 10, same_list_from = 7;
    CAPTURE(seed, count, plain);
    Filters filters(seed, count, plain);
    std::vector<engine::EventBatch> events;
    std::vector<PackedBatch> packed;
    std::vector<List> lists;
    std::size_t words_max = 1;
    for (std::size_t i = 0; i < batches; ++i) {
        events.push_back(filters.batch(1 + filters.random.below(filters.random.chance(0.2) ? 200 : 32)));
        packed.emplace_back(events.back(), filters.attributes());
        words_max = std::max<std::size_t>(words_max, packed.back().view().words);
    }
    for (std::size_t i = 0; i <= same_list_from; ++i) lists.emplace_back(filters.filter_of.size(), words_max);
    const DeviceBuffer<std::uint32_t> masks[] = {DeviceBuffer<std::uint32_t>(filters.tables.mask_words(words_max)),
                                                 DeviceBuffer<std::uint32_t>(filters.tables.mask_words(words_max))};
    const Stream stream;
    const Graph graph(stream, [&] {
        for (std::size_t i = 0; i < batches; ++i) {
            const BatchView view = packed[i].view();
            const MaskView mask_view{masks[i % 2].data(), filters.tables.stride()};
            const HitList list = lists[std::min(i, same_list_from)].view();
            evaluate_masks(filters.tables, view, mask_view, list.count, stream, true);
            match_clusters(filters.clusters.view(), mask_view, view.words, list, stream);
        }
    });
    for (int replay = 0; replay < 5; ++replay) graph.launch(stream);
    stream.wait();
    for (std::size_t i = 0; i < batches; ++i) {
        if (i < same_list_from || i + 1 == batches)
            CHECK(lists[std::min(i, same_list_from)].hits(filters) == filters.expected(events[i]));
    }
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

TEST_CASE("batches that overlap each get their own answers", "[cuda]") {
    if (!sluice::testing::has_device()) return;
    for (std::uint32_t round = 0; round < sluice::testing::rounds(10); ++round) {
        for (const std::uint32_t count : {1u, 33u, 500u, 3000u}) check_chain(1000 + 10 * round, count, round % 3 != 0);
    }
}
