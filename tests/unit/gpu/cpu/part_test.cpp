#include "gpu/cpu/part.hpp"

#include <catch2/catch.hpp>

#include "gpu/cpu/segment/segment_builder.hpp"

using namespace sluice;
using namespace sluice::cpu;

namespace {

bool never_busy(const Part&) { return false; }

// A part of so many subscriptions, which have so many predicates altogether.
Part part_of(std::uint32_t entries, std::uint32_t predicates) {
    engine::NameTable attributes, scanned;
    SegmentBuilder builder;
    for (std::uint32_t i = 0; i < entries; ++i) {
        const engine::Disjunction filter{{{"a", engine::Operator::equal, std::to_string(i % predicates), 0}},
                                         {{{0, false}}}};
        builder.add({i, 0}, engine::normalise(filter), attributes, scanned);
    }
    return Part(builder.build());
}

void remove_some(Part& part, std::uint32_t entries, std::uint32_t first = 0) {
    for (std::uint32_t i = first; i < first + entries; ++i) REQUIRE(part.remove({i, 0}));
}

std::pair<std::size_t, std::size_t> mergeable(const std::vector<Part>& parts, std::size_t live_max = 1'000'000,
                                              const std::function<bool(const Part&)>& busy = never_busy,
                                              std::uint64_t words_max = 1'000'000) {
    const PartRange range = find_mergeable(parts, {.predicates = 64}, live_max, words_max, busy);
    return {range.first, range.end};
}
using Indices = std::pair<std::size_t, std::size_t>;

}  // namespace

TEST_CASE("a part's load is that of its segment, without removed entries") {
    Part part = part_of(100, 20);
    remove_some(part, 30);
    const engine::SegmentLoad load = part.load();
    CHECK(load.of(engine::Family::equal) == 20);
    CHECK(load.of(engine::Family::exists) == 1);
    CHECK(load.record_words == 40);
    CHECK(load.entries == 70);
}

TEST_CASE("find_mergeable: the tail, from the first part that is small compared with those after it") {
    CHECK(mergeable({}) == Indices{0, 0});
    CHECK(mergeable({part_of(100, 5), part_of(10, 5), part_of(10, 5), part_of(10, 5)}) == Indices{1, 4});
    CHECK(mergeable({part_of(100, 5), part_of(60, 5)}) == Indices{0, 0});
}

TEST_CASE("find_mergeable: parts that don't fit together stay apart, and those before them are merged") {
    CHECK(mergeable({part_of(10, 10), part_of(100, 54)}) == Indices{0, 2});
    CHECK(mergeable({part_of(10, 10), part_of(100, 55)}) == Indices{0, 0});
    CHECK(mergeable({part_of(10, 5), part_of(20, 5), part_of(100, 60)}) == Indices{0, 2});
    CHECK(mergeable({part_of(10, 10), part_of(100, 60), part_of(10, 2), part_of(20, 2)}) == Indices{2, 4});
}

TEST_CASE("find_mergeable: busy parts and those with too many subscriptions end the tail") {
    std::vector<Part> parts;
    for (const std::uint32_t entries : {10u, 20u, 10u, 20u}) parts.push_back(part_of(entries, 5));
    const Segment* const second = parts[1].segment.get();
    CHECK(mergeable(parts) == Indices{0, 4});
    CHECK(mergeable(parts, 1'000'000, [&](const Part& part) { return part.segment.get() == second; }) == Indices{2, 4});
    CHECK(mergeable(parts, 35) == Indices{2, 4});
    CHECK(mergeable(parts, 25) == Indices{0, 0});
}

TEST_CASE("find_mergeable: a hollow part that fits together with no other is rebuilt alone") {
    std::vector<Part> parts;
    for (const std::uint32_t predicates : {1u, 40u, 40u, 40u}) parts.push_back(part_of(300, predicates));
    remove_some(parts[1], 100);
    CHECK(mergeable(parts) == Indices{0, 0});
    remove_some(parts[1], 1, 100);
    CHECK(mergeable(parts) == Indices{1, 2});
}

TEST_CASE("divide: consecutive sources that fit into one segment each") {
    std::vector<Part> parts;
    for (const std::uint32_t predicates : {64u, 30u, 34u, 1u, 64u}) parts.push_back(part_of(100, predicates));
    const std::vector<MergeSource> sources = sources_of(parts);
    std::vector<std::size_t> sizes;
    for (const auto& run : divide(sources, {.predicates = 64})) sizes.push_back(run.size());
    CHECK(sizes == std::vector<std::size_t>{1, 2, 1, 1});
    CHECK(divide(sources, {}).size() == 1);
    CHECK(divide({}, {}).empty());
}

TEST_CASE("parts with more record words than may be merged are not") {
    std::vector<Part> parts;
    for (int i = 0; i < 3; ++i) parts.push_back(part_of(10, 10));
    const std::uint64_t words = 3 * parts[0].load().record_words;
    CHECK(mergeable(parts, 1'000'000, never_busy, words) == Indices(0, 3));
    CHECK(mergeable(parts, 1'000'000, never_busy, words - 1) == Indices(0, 0));
}
