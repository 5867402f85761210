// The CPU backend under low limits: its answers are the naive backend's before, at and beyond each of them. Its
// segments are seen by an accelerator that only watches.
#include <atomic>
#include <catch2/catch.hpp>
#include <set>

#include "gpu/cpu/accelerator.hpp"
#include "gpu/cpu/cpu_set.hpp"
#include "tests/differential/matcher_random.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/written_filter.hpp"

namespace sluice::test {

namespace {

using engine::Family;
using engine::Operator;

constexpr engine::SegmentLimits low_limits{.predicates = 64, .measured = 16, .record_words = 1000, .entries = 100};

// Checks that segments stay within the limits, and counts the pairs of neighbours that only the limits keep apart.
class Watcher final : public cpu::Accelerator {
public:
    explicit Watcher(const engine::SegmentLimits& limits) : limits_(limits) {}

    void mirror(const cpu::Segment& segment) noexcept override {
        if (!limits_.fit(segment.load())) within_limits_ = false;
    }
    void keep(std::span<const cpu::ProgramPart> parts) override {
        parts_.assign(parts.begin(), parts.end());
        for (std::size_t i = 1; i < parts.size(); ++i) {
            const cpu::Segment &a = *parts[i - 1].segment, &b = *parts[i].segment;
            if (!limits_.fit(a.load() + b.load())) apart_.emplace(a.tables().id(), b.tables().id());
        }
    }
    void match(std::span<const cpu::ProgramPart> parts, const engine::EventBatch& batch, cpu::ScanCache& scans,
               cpu::Segment::Scratch& scratch, std::vector<engine::Match>& matches) override {
        for (const auto& part : parts) part.segment->match(batch, part.removed.get(), scans, scratch, matches);
    }
    engine::EngineStatus status() const override { return {}; }

    bool within_limits() const {
        return within_limits_ && std::all_of(parts_.begin(), parts_.end(),
                                             [this](const auto& part) { return limits_.fit(part.segment->load()); });
    }
    std::size_t apart() const { return apart_.size(); }
    std::size_t segments() const { return parts_.size(); }
    // Entries in segments, including removed ones.
    std::size_t entries() const {
        std::size_t sum = 0;
        for (const auto& part : parts_) sum += part.segment->size();
        return sum;
    }

private:
    const engine::SegmentLimits limits_;
    std::atomic<bool> within_limits_ = true;
    std::vector<cpu::ProgramPart> parts_;
    std::set<std::pair<std::uint64_t, std::uint64_t>> apart_;
};

struct LimitedSets {
    explicit LimitedSets(const engine::SetLimits& limits)
        : watcher(std::make_shared<Watcher>(limits.segment)), sets(cpu::make_cpu_set(watcher, limits)) {}

    std::shared_ptr<Watcher> watcher;
    BothSets sets;
};

testing::WrittenLiteral number_is(double number, const std::string& attribute = "a") {
    return {{attribute, Operator::number_equal, {}, number}, false};
}

// A conjunction for each of count numbers.
testing::WrittenFilter any_number(std::size_t count, std::size_t first = 0) {
    testing::WrittenFilter filter;
    for (std::size_t i = first; i < first + count; ++i) filter.push_back({number_is(static_cast<double>(i))});
    return filter;
}

// Events with one number each.
std::vector<RandomEvent> numbers_from(std::size_t first, std::size_t count) {
    std::vector<RandomEvent> events;
    for (std::size_t i = first; i < first + count; ++i) events.push_back({{"a", "", static_cast<double>(i)}});
    return events;
}

void cross_limits_at_random(const World& world, const engine::SegmentLimits& limits, std::uint64_t seed) {
    INFO("seed " << seed);
    Random random(seed);
    LimitedSets limited({.segment = limits});
    BothSets& sets = limited.sets;
    const std::size_t rounds = testing::is_sanitized ? 60 : 300;
    for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t i = random.below(60); i > 0; --i) sets.add(random_filter(world, random));
        if (random.chance(0.4)) {
            const double share = random.of<double>({0.05, 0.3, 0.8});
            const auto most = static_cast<std::size_t>(share * static_cast<double>(sets.size()));
            for (std::size_t i = random.below(most + 1); i > 0; --i) sets.remove(random.below(sets.size()));
        }
        std::vector<RandomEvent> events(random.of<std::size_t>({0, 1, 31, 33, 64}));
        for (RandomEvent& event : events) event = random_event(world, random);
        REQUIRE(sets.differences(events) == 0);
        REQUIRE(limited.watcher->within_limits());
    }
    CHECK(sets.matches() > 0);
    CHECK(sets.status().background_failures == 0);
    CHECK(limited.watcher->apart() >= (testing::is_sanitized ? 15 : 100));
}

}  // namespace

TEST_CASE("limits: random states that cross the limits of segments hundreds of times") {
    SECTION("all operators, few operands: record words and entries") { cross_limits_at_random({}, low_limits, 1); }
    SECTION("all operators, many operands: predicates") {
        World world;
        world.texts = 300;
        world.numbers = 300;
        cross_limits_at_random(world, low_limits, 2);
    }
    SECTION("many attributes and scanned keys") {
        World world;
        world.attributes = 400;
        world.scanned = 300;
        world.scanned_share = 0.4;
        world.values_max = 40;
        cross_limits_at_random(world, low_limits, 3);
    }
    SECTION("measured predicates") {
        World world;
        world.measured_share = 0.3;
        cross_limits_at_random(world, {.measured = 16}, 4);
    }
}

TEST_CASE("limits: a filter at the limit is held, and one beyond it is refused without changes") {
    LimitedSets limited({.segment = low_limits});
    BothSets& sets = limited.sets;
    sets.add(any_number(3));  // pending when the others are refused
    sets.add(any_number(64));
    CHECK(sets.refusal(any_number(70)) == "a filter has 70 number_equal predicates; a segment holds at most 64");
    sets.add(any_number(64, 100));

    testing::WrittenFilter twice = any_number(64, 200);
    for (std::size_t i = 200; i < 264; ++i) twice.push_back({number_is(static_cast<double>(i)), number_is(200)});
    sets.add(twice);  // no more than 64 different ones

    testing::WrittenFilter attributes, words;
    for (std::size_t i = 0; i < 65; ++i)
        attributes.push_back({{{"a" + std::to_string(i), Operator::exists, {}, 0}, false}});
    CHECK(sets.refusal(attributes) == "a filter has 65 attributes; a segment holds at most 64");
    for (std::size_t i = 0; i < 30; ++i)
        for (std::size_t j = 0; j < 12; ++j)
            words.push_back({number_is(static_cast<double>(i)), number_is(static_cast<double>(j), "b")});
    CHECK(sets.refusal(words) == "a filter has 1080 record words; a segment holds at most 1000");
    words.resize(333);  // 999 words
    sets.add(words);

    CHECK(sets.size() == 5);
    CHECK(sets.differences(numbers_from(0, 300)) == 0);
    CHECK(limited.watcher->within_limits());
    CHECK(sets.matches() == 4);
}

TEST_CASE("limits: measured predicates of a filter") {
    LimitedSets limited({.segment = low_limits});
    BothSets& sets = limited.sets;
    testing::WrittenFilter filter;
    for (std::size_t i = 0; i < 17; ++i) {
        engine::Predicate p{"a", Operator::less_equal, {}, static_cast<double>(i)};
        p.measure = {engine::Measure::Kind::edit_distance, "abc", "unit", 0, 0};
        filter.push_back({{p, false}});
    }
    CHECK(sets.refusal(filter) == "a filter has 17 measured predicates; a segment holds at most 16");
    filter.pop_back();
    sets.add(filter);
    sets.add(filter);
    CHECK(sets.differences({{{"a", "abcd", 0}}, {{"b", "abcd", 0}}}) == 0);
    CHECK(sets.matches() == 2);
}

TEST_CASE("limits: names of a set") {
    LimitedSets limited({.names = 20});
    BothSets& sets = limited.sets;
    for (std::size_t i = 0; i < 50; ++i) sets.add({{number_is(static_cast<double>(i), "n" + std::to_string(i % 19))}});
    const testing::WrittenConjunction two_more = {number_is(1, "n1"), number_is(1, "x"), number_is(2, "y"),
                                                  number_is(3, "x")};
    CHECK(sets.refusal({two_more}) == "a filter adds 2 names to 19; a set holds at most 20");
    sets.add({{number_is(1, "n1"), number_is(20, "n19")}});
    CHECK(sets.refusal(any_number(1)) == "a filter adds 1 names to 20; a set holds at most 20");
    sets.add({{number_is(1, "n1")}});
    CHECK(sets.differences({{{"n1", "", 1}, {"n19", "", 20}}, {{"n8", "", 8}}}) == 0);
    CHECK(sets.matches() == 4);
}

TEST_CASE("limits: slots of a set, of which removed subscriptions leave theirs to others") {
    LimitedSets limited({.slots = 64});
    BothSets& sets = limited.sets;
    for (std::size_t i = 0; i < 64; ++i) sets.add(any_number(1, i));
    CHECK(sets.refusal(any_number(1)) == "a set has at most 64 slots for subscriptions");
    CHECK(sets.differences(numbers_from(0, 70)) == 0);
    CHECK(sets.refusal(any_number(1)) == "a set has at most 64 slots for subscriptions");
    sets.remove(3);
    sets.add(any_number(1, 64));
    CHECK(sets.differences(numbers_from(0, 70)) == 0);
    CHECK(sets.matches() == 2 * 64);
}

TEST_CASE("limits: merging stops below the limits, and goes on where parts still fit together") {
    LimitedSets limited({.segment = low_limits});
    BothSets& sets = limited.sets;
    constexpr std::size_t count = 640;
    for (std::size_t i = 0; i < count; ++i) {
        sets.add(any_number(1, i));
        if (i % 3 == 0) sets.compile();
        REQUIRE(limited.watcher->within_limits());
    }
    CHECK(sets.differences(numbers_from(0, count + 1)) == 0);
    // What has been merged in the background is adopted when the set is compiled.
    EVENTUALLY([&] {
        sets.compile();
        return limited.watcher->segments() <= 2 * count / 64 + 6;
    }());
    CHECK(limited.watcher->segments() >= count / 64);
    CHECK(limited.watcher->within_limits());
}

TEST_CASE("limits: a hollow part that fits together with no other is rebuilt alone") {
    LimitedSets limited({.segment = {.predicates = 64}});
    BothSets& sets = limited.sets;
    for (std::size_t i = 0; i < 300; ++i) sets.add(any_number(1, i % 60));
    sets.compile();
    for (std::size_t i = 0; i < 250; ++i) sets.add(any_number(1, 100 + i % 60));
    sets.compile();
    CHECK(limited.watcher->segments() == 2);
    for (std::size_t i = 0; i < 140; ++i) sets.remove(i);
    REQUIRE(sets.size() == 410);
    EVENTUALLY([&] {
        REQUIRE(sets.differences(numbers_from(0, 200)) == 0);
        return limited.watcher->entries() == sets.size();
    }());
    CHECK(limited.watcher->within_limits());
}

TEST_CASE("limits: when all names are made anew, each segment stays within the limits") {
    LimitedSets limited({.segment = low_limits});
    BothSets& sets = limited.sets;
    constexpr std::size_t names = 4200;  // more than are kept without checking their use
    for (std::size_t i = 0; i < names; ++i) sets.add({{number_is(static_cast<double>(i), "n" + std::to_string(i))}});
    const std::vector<RandomEvent> events = {{{"n7", "", 7}}, {{"n4199", "", 4199}}, {{"n8", "", 9}}};
    EVENTUALLY([&] {
        REQUIRE(sets.differences(events) == 0);
        REQUIRE(limited.watcher->within_limits());
        return sets.compile()->attributes()->epoch > 0;
    }());
    REQUIRE(sets.differences(events) == 0);
    CHECK(limited.watcher->segments() >= names / 64);
    CHECK(sets.matches() > 0);
    CHECK(sets.status().background_failures == 0);
}

}  // namespace sluice::test
