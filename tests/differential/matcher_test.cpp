#include <catch2/catch.hpp>

#include "tests/differential/matcher_random.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/written_filter.hpp"

namespace sluice::test {

namespace {

std::vector<RandomEvent> random_events(const World& world, std::size_t count, Random& random) {
    std::vector<RandomEvent> events(count);
    for (RandomEvent& event : events) event = random_event(world, random);
    return events;
}

// Adds and removes at random between batches of all sizes; every answer must be the naive backend's.
// Sanitized builds do it half as often. Returns how many answers were undecided.
std::size_t mutate_and_match(const World& world, std::size_t rounds, std::size_t adds_max, Random& random) {
    const std::vector<std::size_t> batch_sizes = {0, 1, 2, 31, 32, 33, 64, 65, 100};
    BothSets sets;
    for (std::size_t round = sluice::testing::is_sanitized ? rounds / 2 : 0; round < rounds; ++round) {
        for (std::size_t i = random.below(adds_max + 1); i > 0; --i) sets.add(random_filter(world, random));
        if (random.chance(0.7)) {
            for (std::size_t i = random.below(sets.size() + 1); i > 0; --i) sets.remove(random.below(sets.size()));
        }
        REQUIRE(sets.differences(random_events(world, random.of(batch_sizes), random), world.unknown_share) == 0);
    }
    CHECK(sets.matches() > 0);
    return sets.undecided();
}

// The same if events share values, in groups of 0 to many; some batches are repeated.
std::size_t mutate_and_match_sharing(const World& world, std::size_t rounds, std::size_t adds_max, Random& random) {
    const std::vector<std::size_t> batch_sizes = {0, 1, 2, 31, 32, 33, 64, 65, 100};
    BothSets sets;
    RandomGroups groups(world, 7, random.of<std::size_t>({6, 40, 400}), random);
    auto events = groups.random_events(world, 33, random);
    for (std::size_t round = sluice::testing::is_sanitized ? rounds / 2 : 0; round < rounds; ++round) {
        for (std::size_t i = random.below(adds_max + 1); i > 0; --i) sets.add(random_filter(world, random));
        if (random.chance(0.5)) {
            for (std::size_t i = random.below(sets.size() + 1); i > 0; --i) sets.remove(random.below(sets.size()));
        }
        if (random.chance(0.8)) events = groups.random_events(world, random.of(batch_sizes), random);
        if (random.chance(0.1)) groups = RandomGroups(world, 7, 40, random);
        REQUIRE(sets.differences(events, groups, world.unknown_share) == 0);
    }
    CHECK(sets.matches() > 0);
    return sets.undecided();
}

World operators_world(Random& random) {
    World world;
    world.measured_share = random.of<double>({0.1, 0.4, 1});
    world.texts = random.of<std::size_t>({12, 46});
    world.negated = 0.3;
    return world;
}

testing::WrittenLiteral number_literal(const std::string& attribute, engine::Operator op, double number) {
    return {{attribute, op, {}, number}, false};
}

}  // namespace

TEST_CASE("cpu answers are naive's: all operators, a small world") {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Random random(seed);
        INFO("seed " << seed);
        mutate_and_match({}, 12, 30, random);
    }
}

TEST_CASE("cpu answers are naive's: literals that nothing decides, and attributes that are not known") {
    std::size_t undecided = 0;
    for (std::uint64_t seed = 50; seed < 80; ++seed) {
        Random random(seed);
        INFO("seed " << seed);
        World world;
        world.scanned_share = random.of<double>({0.05, 0.4});
        world.measured_share = random.of<double>({0, 0.3});
        world.unknown_share = random.of<double>({0, 0.1, 1});
        world.texts = random.of<std::size_t>({12, 100});
        undecided += random.chance(0.5) ? mutate_and_match(world, 12, 40, random)
                                        : mutate_and_match_sharing(world, 12, 40, random);
    }
    CHECK(undecided > 1'000);
}

TEST_CASE("cpu answers are naive's: every text and number, few values") {
    World world;
    world.texts = 40;
    world.numbers = 24;
    world.values_max = 3;
    for (std::uint64_t seed = 100; seed < 120; ++seed) {
        Random random(seed);
        INFO("seed " << seed);
        mutate_and_match(world, 10, 60, random);
    }
}

TEST_CASE("cpu answers are naive's: many operands, so that access tokens are used") {
    World world;
    world.attributes = 5;
    world.texts = 300;
    world.numbers = 300;
    world.negated = 0.1;
    world.values_max = 12;
    for (std::uint64_t seed = 200; seed < 208; ++seed) {
        Random random(seed);
        INFO("seed " << seed);
        mutate_and_match(world, 5, 700, random);
    }
}

TEST_CASE("cpu answers are naive's: pairs of equalities") {
    World world;
    world.attributes = 4;
    world.texts = 60;
    world.numbers = 60;
    world.equality_only = true;
    world.negated = 0.02;
    world.literals_max = 3;
    world.values_max = 30;
    for (std::uint64_t seed = 300; seed < 305; ++seed) {
        Random random(seed);
        INFO("seed " << seed);
        mutate_and_match(world, 4, 3000, random);
    }
}

TEST_CASE("cpu answers are naive's: so many that share each pair that three tokens lead to them") {
    Random random(350);
    BothSets sets;
    const auto number = [&] { return static_cast<double>(random.below(400)); };
    const auto text = [&] { return std::to_string(random.below(6)); };
    for (int i = 0; i < 30'000; ++i) {
        testing::WrittenConjunction conjunction;
        for (const char* attribute : {"a", "b", "c"}) {
            if (random.chance(0.9)) conjunction.push_back({{attribute, engine::Operator::equal, text(), 0}, false});
        }
        for (const char* attribute : {"x", "y"}) {
            if (random.chance(0.5)) continue;
            const double lo = number();
            conjunction.push_back(number_literal(attribute, engine::Operator::greater_equal, lo));
            conjunction.push_back(number_literal(attribute, engine::Operator::less, lo + 40));
        }
        sets.add({conjunction});
    }
    std::vector<RandomEvent> events(33);
    for (RandomEvent& event : events) {
        for (const char* attribute : {"a", "b", "c", "x", "y"}) {
            for (std::size_t values = random.below(3); values > 0; --values)
                event.push_back({attribute, text(), number()});
        }
    }
    REQUIRE(sets.differences(events) == 0);
    CHECK(sets.matches() > 0);
}

TEST_CASE("cpu answers are naive's: ranges found by three of one half of the attributes") {
    Random random(370);
    BothSets sets;
    const auto name = [](std::size_t i) { return "r" + std::to_string(i % 20); };
    std::vector<RandomEvent> events(33);
    for (int i = 0; i < 30'000; ++i) {
        testing::WrittenConjunction conjunction;
        RandomEvent inside;  // an event that the subscription accepts
        for (std::size_t k = 0, at = random.below(20), step = 1 + random.below(4); k < 5; ++k, at += step) {
            const auto lo = static_cast<double>(random.below(900));
            conjunction.push_back(number_literal(name(at), engine::Operator::greater_equal, lo));
            conjunction.push_back(number_literal(name(at), engine::Operator::less, lo + 60));
            inside.push_back({name(at), "", lo + static_cast<double>(random.below(60))});
        }
        sets.add({conjunction});
        if (i < 33) events[static_cast<std::size_t>(i)] = inside;
    }
    for (RandomEvent& event : events) {
        for (std::size_t a = 0; a < 20; ++a) {
            for (std::size_t values = random.below(3); values > 0; --values)
                event.push_back({name(a), "", static_cast<double>(random.below(1000))});
        }
    }
    REQUIRE(sets.differences(events) == 0);
    CHECK(sets.matches() >= 33);
}

TEST_CASE("cpu answers are naive's: ranges of all widths") {
    for (std::uint64_t seed = 400; seed < 410; ++seed) {
        Random random(seed);
        INFO("seed " << seed);
        World world;
        world.numbers = 2000;
        world.attributes = 4;
        world.values_max = 6;
        BothSets sets;
        for (int i = 0; i < 800; ++i) {
            testing::WrittenConjunction conjunction;
            for (std::size_t k = 1 + random.below(3); k > 0; --k) {
                const std::string attribute = "attribute" + std::to_string(random.below(4));
                const double lo = static_cast<double>(random.below(2000));
                const double width = static_cast<double>(random.of<std::size_t>({0, 5, 20, 100, 500, 2000}));
                conjunction.push_back(number_literal(
                    attribute, random.chance(0.5) ? engine::Operator::greater : engine::Operator::greater_equal, lo));
                conjunction.push_back(number_literal(
                    attribute, random.chance(0.5) ? engine::Operator::less : engine::Operator::less_equal, lo + width));
                conjunction.back().negated = random.chance(0.05);
            }
            sets.add({conjunction});
        }
        for (const int size : {1, 33, 100})
            REQUIRE(sets.differences(random_events(world, static_cast<std::size_t>(size), random)) == 0);
        CHECK(sets.matches() > 0);
    }
}

// Two operands hold in every event, though few subscriptions use them; half way, two others take their place.
TEST_CASE("cpu answers are naive's: access literals chosen anew as events are observed") {
    Random random(450);
    World world;
    world.attributes = 4;
    world.texts = 40;
    world.conjunctions_max = 2;
    world.scanned_share = 0;
    world.equality_only = true;
    BothSets sets;
    const auto add = [&] {
        testing::WrittenConjunction conjunction;
        for (const char* attribute : {"hot0", "hot1"}) {
            const std::string text = std::to_string(random.below(random.chance(0.6) ? 2 : 200));
            conjunction.push_back({{attribute, engine::Operator::equal, text, 0}, false});
        }
        testing::WrittenFilter filter = random_filter(world, random);
        if (filter.empty()) filter.emplace_back();
        filter.front().insert(filter.front().end(), conjunction.begin(), conjunction.end());
        sets.add(filter);
    };
    const auto events = [&](std::size_t count, std::size_t round) {
        std::vector<RandomEvent> list = random_events(world, count, random);
        for (RandomEvent& event : list) {
            for (const char* attribute : {"hot0", "hot1"}) event.push_back({attribute, std::to_string(round / 8), 0});
        }
        return list;
    };
    for (int i = 0; i < 4000; ++i) add();
    for (std::size_t round = 0; round < 16; ++round) {
        sets.observe(events(300, round), 35);
        for (int i = 0; i < 10; ++i) {
            sets.remove(random.below(sets.size()));
            add();
        }
        REQUIRE(sets.differences(events(33, round)) == 0);
    }
    CHECK(sets.matches() > 0);
}

TEST_CASE("cpu answers are naive's: operators") {
    for (std::uint64_t seed = 700; seed < 712; ++seed) {
        Random random(seed);
        INFO("seed " << seed);
        const World world = operators_world(random);
        mutate_and_match(world, 6, 40, random);
    }
}

TEST_CASE("cpu answers are naive's: values that events share") {
    for (std::uint64_t seed = 740; seed < 780; ++seed) {
        Random random(seed);
        INFO("seed " << seed);
        World world;
        world.texts = random.of<std::size_t>({12, 40});
        world.numbers = world.texts == 40 ? 24 : 12;
        mutate_and_match_sharing(world, 12, 40, random);
    }
}

TEST_CASE("cpu answers are naive's: values that events share, behind access tokens") {
    Random random(780);
    World world;
    world.texts = world.numbers = 300;
    world.values_max = 12;
    world.negated = 0.1;
    mutate_and_match_sharing(world, 6, 700, random);
}

TEST_CASE("cpu answers are naive's: operators on values that events share") {
    for (std::uint64_t seed = 790; seed < 800; ++seed) {
        Random random(seed);
        INFO("seed " << seed);
        const World world = operators_world(random);
        mutate_and_match_sharing(world, 8, 40, random);
    }
}

TEST_CASE("cpu answers are naive's: a full batch of events that share values") {
    Random random(800);
    World world;
    world.measured_share = 0.2;
    BothSets sets;
    for (int i = 0; i < 150; ++i) sets.add(random_filter(world, random));
    RandomGroups groups(world, 300, 20, random);
    const auto events = groups.random_events(world, engine::EventBatch::events_max, random);
    REQUIRE(sets.differences(events, groups) == 0);
    REQUIRE(sets.differences(events, groups) == 0);
}

TEST_CASE("cpu answers are naive's: operators behind access tokens") {
    Random random(720);
    World world;
    world.texts = 300;
    world.values_max = 12;
    world.measured_share = 0.3;
    world.negated = 0.1;
    mutate_and_match(world, 4, 700, random);
}

TEST_CASE("cpu answers are naive's: operators in conjunctions of more than 128 literals, and in a full batch") {
    Random random(730);
    World world;
    world.texts = 400;
    world.negated = 0.97;
    world.literals_max = 300;
    world.measured_share = 0.02;
    mutate_and_match(world, 12, 20, random);
    world = {};
    world.measured_share = 0.5;
    BothSets sets;
    for (int i = 0; i < 100; ++i) sets.add(random_filter(world, random));
    REQUIRE(sets.differences(random_events(world, engine::EventBatch::events_max, random)) == 0);
}

TEST_CASE("cpu answers are naive's: conjunctions of more than 128 literals") {
    Random random(500);
    World world;
    world.texts = 400;
    world.negated = 0.97;
    world.literals_max = 300;
    world.conjunctions_max = 4;
    mutate_and_match(world, 8, 40, random);
}

TEST_CASE("cpu answers are naive's: a full batch of 1024 events") {
    Random random(600);
    World world;
    BothSets sets;
    for (int i = 0; i < 200; ++i) sets.add(random_filter(world, random));
    REQUIRE(sets.differences(random_events(world, engine::EventBatch::events_max, random)) == 0);
    world.numbers = 500;
    for (int i = 0; i < 3000; ++i) sets.add(random_filter(world, random));  // enough masks to split the batch
    REQUIRE(sets.differences(random_events(world, 300, random)) == 0);
}

TEST_CASE("cpu answers are naive's: 0, 1, 31, 32, 33 … predicates") {
    Random random(700);
    for (const int predicates : {0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129}) {
        BothSets sets;
        for (int i = 0; i < predicates; ++i)
            sets.add({{{{"attribute0", engine::Operator::equal, "t" + std::to_string(i), 0}, false}}});
        World world;
        world.attributes = 1;
        world.texts = 140;
        REQUIRE(sets.differences(random_events(world, 40, random)) == 0);
    }
}

TEST_CASE("always and never") {
    BothSets sets;
    sets.add({});
    sets.add({{}});
    sets.add({{}, {}});
    sets.add({{{{"a", engine::Operator::less, {}, std::numeric_limits<double>::quiet_NaN()}, false}}});
    sets.add({{{{"a", engine::Operator::less, {}, std::numeric_limits<double>::quiet_NaN()}, true}}});
    sets.add({{{{"a", engine::Operator::exists, {}, 0}, false}, {{"a", engine::Operator::exists, {}, 0}, true}}});
    CHECK(sets.differences({}) == 0);
    CHECK(sets.matches() == 0);
    CHECK(sets.differences({{}, {{"a", "x", 1}}}) == 0);
    CHECK(sets.matches() == 3);
    while (sets.size() > 0) sets.remove(0);
    CHECK(sets.differences({{}}) == 0);
}

}  // namespace sluice::test
