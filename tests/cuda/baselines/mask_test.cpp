#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "tests/bench/baselines/mask_tables.hpp"
#include "tests/cuda/baselines/packed_batch.hpp"
#include "tests/cuda/baselines/random_predicates.hpp"
#include "tests/cuda/on_device.hpp"

using namespace sluice;
using namespace sluice::bench;
using namespace sluice::cuda;
using sluice::testing::PackedBatch;
using sluice::testing::RandomPredicates;

namespace {

bool holds_for(const engine::Predicate& p, const engine::Value& v) {
    switch (p.op) {
        case engine::Operator::exists:
            return true;
        case engine::Operator::equal:
            return v.text == p.text;
        case engine::Operator::not_equal:
            return v.text != p.text;
        case engine::Operator::contains:
            return v.text.find(p.text) != std::string_view::npos;
        case engine::Operator::starts_with:
            return v.text.starts_with(p.text);
        case engine::Operator::ends_with:
            return v.text.ends_with(p.text);
        case engine::Operator::number_equal:
            return v.number == p.number;
        case engine::Operator::number_not_equal:
            return v.number != p.number;
        case engine::Operator::less:
            return v.number < p.number;
        case engine::Operator::less_equal:
            return v.number <= p.number;
        case engine::Operator::greater:
            return v.number > p.number;
        case engine::Operator::greater_equal:
            return v.number >= p.number;
        case engine::Operator::scanned:
            break;
    }
    return false;
}

// A conjunction over the values of one attribute, each part existential.
struct Expected {
    std::uint32_t attribute;
    std::vector<engine::Predicate> all;
    bool negated;

    bool holds(std::span<const engine::Value> event) const {
        const bool value = std::all_of(all.begin(), all.end(), [&](const engine::Predicate& p) {
            return std::any_of(event.begin(), event.end(),
                               [&](const engine::Value& v) { return v.attribute == attribute && holds_for(p, v); });
        });
        return value != negated;
    }
};

engine::Predicate numeric(engine::Operator op, double number) {
    engine::Predicate p;
    p.op = op;
    p.number = number;
    return p;
}

std::vector<std::uint32_t> evaluated(const MaskTables& tables, const BatchView& batch) {
    std::vector<std::uint32_t> masks(tables.mask_words(batch.words), 0xdeadbeef);
    const auto on_device = to_device(std::span<const std::uint32_t>(masks));
    const DeviceBuffer<std::uint32_t> count = to_device(std::span<const std::uint32_t>(std::vector<std::uint32_t>{7}));
    const Stream stream;
    evaluate_masks(tables, batch, {on_device.data(), tables.stride()}, count.data(), stream);
    copy_to_host(std::span(masks), on_device.data(), stream);
    std::vector<std::uint32_t> reset{7};
    copy_to_host(std::span(reset), count.data(), stream);
    stream.wait();
    CHECK(reset[0] == 0);
    return masks;
}

void check_masks(std::uint32_t seed, std::size_t events, std::uint32_t literals) {
    CAPTURE(seed, events, literals);
    RandomPredicates random(seed);
    const std::uint32_t attributes = 1 + random.below(6);
    MaskTableBuilder builder;
    std::vector<Expected> expected;
    for (std::uint32_t i = 0; i < literals; ++i) {
        const std::uint32_t attribute = random.below(attributes + 1);  // one attribute is unknown to the batch
        const bool negated = random.chance(0.3);
        if (random.chance(0.1)) {
            const double lo = random.predicate("").number, hi = random.predicate("").number;
            builder.add_range(attribute, lo, hi, negated);
            expected.push_back(
                {attribute,
                 {numeric(engine::Operator::greater_equal, lo), numeric(engine::Operator::less_equal, hi)},
                 negated});
        } else {
            expected.push_back({attribute, {random.predicate("")}, negated});
            builder.add(attribute, expected.back().all[0], negated);
        }
    }
    const MaskTables tables(builder);
    const engine::EventBatch batch = random.batch(events, attributes);
    const PackedBatch packed(batch, attributes, random.chance(0.5) ? 40 : 0);
    const auto masks = evaluated(tables, packed.view());
    const std::size_t words = packed.view().words;
    std::size_t wrong = 0;
    for (std::size_t w = 0; w < words; ++w) {
        std::vector<std::uint32_t> wanted(literals + 2);
        for (std::size_t e = 32 * w; e < std::min(batch.size(), 32 * (w + 1)); ++e) {
            wanted[0] |= 1u << e % 32;
            for (std::uint32_t i = 0; i < literals; ++i)
                wanted[i + 2] |= std::uint32_t{expected[i].holds(batch.event(e))} << e % 32;
        }
        for (std::uint32_t i = 0; i < wanted.size(); ++i) wrong += masks[w * tables.stride() + i] != wanted[i];
    }
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("masks are what the predicates say of each event", "[cuda]") {
    if (!sluice::testing::has_device()) return;
    std::uint32_t seed = 1;
    for (const std::size_t events : {0u, 1u, 2u, 31u, 32u, 33u, 63u, 64u, 65u, 1023u, 1024u}) {
        for (const std::uint32_t literals : {0u, 1u, 29u, 30u, 31u, 62u, 126u, 127u, 128u, 254u, 255u, 256u, 1000u})
            check_masks(seed++, events, events > 1000 ? std::min(literals, 127u) : literals);
    }
}

TEST_CASE("random masks", "[cuda]") {
    if (!sluice::testing::has_device()) return;
    for (std::uint32_t round = 0; round < sluice::testing::rounds(30); ++round)
        check_masks(1000 + round, 1 + round * 7 % 100, 1 + round * 13 % 700);
}

TEST_CASE("a packed batch is found by event and by attribute", "[cuda]") {
    RandomPredicates random(5);
    const engine::EventBatch batch = random.batch(70, 5);
    const BatchLayout layout(100, batch.values.size() + 10, 300000, 4);  // attribute 4 is left out
    REQUIRE(layout.fits(batch));
    std::vector<std::uint64_t> block(layout.bytes / 8 + 1);
    auto* const base = reinterpret_cast<std::byte*>(block.data());
    CHECK(pack(batch, layout, base) <= layout.bytes);
    const BatchView view = layout.view(base);
    REQUIRE(view.words == 4);
    CHECK(view.valid[0] == 0xffffffff);
    CHECK(view.valid[2] == 0x3f);
    CHECK(view.valid[3] == 0);
    std::size_t found = 0;
    for (std::uint32_t e = 0; e < 70; ++e) {
        std::uint32_t v = view.first[e];
        for (const engine::Value& value : batch.event(e)) {
            if (value.attribute == 4) continue;
            REQUIRE(v < view.first[e + 1]);
            CHECK(view.attribute[v] == value.attribute);
            CHECK(std::string_view(view.bytes + view.text[v].offset, view.text[v].size) == value.text);
            CHECK((view.number[v] == value.number || std::isnan(value.number)));
            const std::uint32_t* first = view.attribute_first + e / 32 * 4 + value.attribute;
            found +=
                std::count_if(view.by_attribute + first[0], view.by_attribute + first[1],
                              [&](const IndexedValue& i) { return i.value == v && i.event_bit == 1u << e % 32; }) == 1;
            ++v;
        }
        CHECK(v == view.first[e + 1]);
    }
    CHECK(found == view.first[128]);
    CHECK_FALSE(BatchLayout(64, 10000, 300000, 5).fits(batch));
}
