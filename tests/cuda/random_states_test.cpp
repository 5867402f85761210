// The CUDA backend's answers are the naive backend's, on random states of the engine: every segment, however small, is
// matched on the device. SLUICE_TEST_ROUNDS sets the number of states in the larger tests (default 4000, so that the
// total exceeds 10,000; that takes a minute). SLUICE_TEST_SECONDS stops a test from making more states after that time
// (default: no limit). SLUICE_TEST_SEED=1, 2 … makes other states, and SLUICE_TEST_DEVICES=2 matches them on two
// devices in turn. Prints the number of states.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/cuda/on_device.hpp"
#include "tests/differential/matcher_random.hpp"
#include "tests/support/written_filter.hpp"

namespace sluice::test {

namespace {

std::size_t rounds() {
    const char* text = std::getenv("SLUICE_TEST_ROUNDS");
    return text != nullptr ? std::strtoull(text, nullptr, 10) : 4000;
}

struct Made {
    std::size_t states = 0;
    ~Made() {
        if (states > 0) std::printf("%zu random states of the engine\n", states);
    }
} made;

constexpr std::size_t few = 10;  // states, of which some have matches

std::chrono::seconds time_allowed() {
    const char* const text = std::getenv("SLUICE_TEST_SECONDS");
    return std::chrono::seconds(text != nullptr ? std::strtoll(text, nullptr, 10) : 1'000'000);
}

engine::EngineOptions on_device() {
    engine::EngineOptions options;
    options.backend = engine::Backend::cuda;
    options.device_rows_min = 1;
    const char* const devices = std::getenv("SLUICE_TEST_DEVICES");
    if (devices != nullptr && std::string(devices) == "2") options.devices = testing::two_devices();
    return options;
}

std::vector<RandomEvent> random_events(const World& world, std::size_t count, Random& random) {
    std::vector<RandomEvent> events(count);
    for (RandomEvent& event : events) event = random_event(world, random);
    return events;
}

const std::vector<std::size_t> batch_sizes = {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129};

// Makes `states` states, `each` per set, each differing from the one before by additions and removals.
void check_states(const World& world, std::size_t states, std::size_t each, std::size_t adds_max, std::uint64_t seed,
                  std::size_t batch_max = 129) {
    std::size_t matches = 0, batches = 0, state = 0;
    for (const testing::Deadline deadline(time_allowed()); state < states && !deadline.passed(); ++seed) {
        Random random(seed);
        INFO("seed " << seed);
        BothSets sets(on_device());
        for (std::size_t i = 0; i < each && state < states; ++i, ++state) {
            for (std::size_t n = 1 + random.below(adds_max); n > 0; --n) sets.add(random_filter(world, random));
            if (random.chance(0.6)) {
                for (std::size_t n = random.below(sets.size()); n > 0; --n) sets.remove(random.below(sets.size()));
            }
            const std::size_t size = std::min(batch_max, random.of(batch_sizes));
            REQUIRE(sets.differences(random_events(world, size, random)) == 0);
        }
        const engine::EngineStatus status = sets.status();
        REQUIRE(status.faults.empty());
        for (const engine::DeviceStatus& device : status.devices) batches += device.batches;
        matches += sets.matches();
    }
    made.states += state;
    CHECK(matches > 0);
    CHECK(2 * batches >= state);  // an empty set has nothing to match on the device
}

}  // namespace

TEST_CASE("cuda answers are naive's: all operators, a small world", "[cuda]") {
    if (!testing::has_device()) return;
    check_states({}, rounds(), 40, 30, 1000);
}

TEST_CASE("cuda answers are naive's: every text and number, few values", "[cuda]") {
    if (!testing::has_device()) return;
    World world;
    world.texts = 40;
    world.numbers = 24;
    world.values_max = 3;
    check_states(world, rounds(), 40, 60, 100'000, 33);
}

TEST_CASE("cuda answers are naive's: many operands, so that access tokens are used", "[cuda]") {
    if (!testing::has_device()) return;
    World world;
    world.attributes = 5;
    world.texts = 300;
    world.numbers = 300;
    world.negated = 0.1;
    world.values_max = 12;
    check_states(world, rounds() / 4, 5, 700, 200'000);
}

TEST_CASE("cuda answers are naive's: pairs of equalities, many values", "[cuda]") {
    if (!testing::has_device()) return;
    World world;
    world.attributes = 4;
    world.texts = 60;
    world.numbers = 60;
    world.equality_only = true;
    world.negated = 0.02;
    world.literals_max = 3;
    world.values_max = 30;
    check_states(world, rounds() / 4, 5, 900, 300'000);
}

TEST_CASE("cuda answers are naive's: so many that share each pair that three tokens lead to them", "[cuda]") {
    if (!testing::has_device()) return;
    Random random(350);
    BothSets sets(on_device());
    const auto number = [&] { return static_cast<double>(random.below(400)); };
    const auto text = [&] { return std::to_string(random.below(6)); };
    for (int i = 0; i < 30'000; ++i) {
        testing::WrittenConjunction conjunction;
        for (const char* attribute : {"a", "b", "c"}) {
            const double lo = number();
            conjunction.push_back({{attribute, engine::Operator::greater_equal, {}, lo}, false});
            conjunction.push_back(
                {{attribute, engine::Operator::less_equal, {}, lo + static_cast<double>(random.below(90))}, false});
        }
        conjunction.push_back({{"d", engine::Operator::equal, text(), 0}, false});
        sets.add({conjunction});
    }
    std::vector<RandomEvent> events(70);
    for (RandomEvent& event : events) {
        for (const char* attribute : {"a", "b", "c"}) event.push_back({attribute, "", number()});
        event.push_back({"d", text(), 0});
    }
    CHECK(sets.differences(events) == 0);
    CHECK(sets.matches() > 0);
}

TEST_CASE("cuda answers are naive's: conjunctions of more than 128 literals", "[cuda]") {
    if (!testing::has_device()) return;
    World world;
    world.texts = 400;
    world.negated = 0.97;
    world.literals_max = 300;
    world.conjunctions_max = 4;
    check_states(world, std::max(rounds() / 8, few), 5, 40, 500'000);
}

TEST_CASE("cuda answers are naive's: conditions that are measured after all others", "[cuda]") {
    if (!testing::has_device()) return;
    World world;
    world.texts = 30;
    world.measured_share = 0.1;
    check_states(world, std::max(rounds() / 20, few), 5, 30, 800'000, 33);
}

TEST_CASE("cuda answers are naive's: values that events share, few enough for copies and more", "[cuda]") {
    if (!testing::has_device()) return;
    std::size_t batches = 0, cpu_batches = 0;
    for (std::uint64_t seed = 9500; seed < 9530; ++seed) {
        Random random(seed);
        INFO("seed " << seed);
        World world;
        world.texts = random.of<std::size_t>({12, 40});
        world.measured_share = random.of<double>({0, 0.1});
        BothSets sets(on_device());
        RandomGroups groups(world, 7, random.of<std::size_t>({6, 40, 4000}), random);
        for (int i = 0; i < 4; ++i) {
            for (int n = 0; n < 30; ++n) sets.add(random_filter(world, random));
            REQUIRE(sets.differences(groups.random_events(world, random.of(batch_sizes), random), groups) == 0);
        }
        const engine::EngineStatus status = sets.status();
        REQUIRE(status.faults.empty());
        for (const engine::DeviceStatus& device : status.devices) batches += device.batches;
        cpu_batches += status.cpu_batches;
    }
    CHECK(batches > 20);
    CHECK(cpu_batches > 0);
}

TEST_CASE("cuda answers are naive's: events too large for a block's shared memory", "[cuda]") {
    if (!testing::has_device()) return;
    World world;
    world.attributes = 3;
    world.texts = 3000;
    world.numbers = 3000;
    world.values_max = 2500;
    world.equality_only = true;
    check_states(world, 4, 2, 3000, 600'000, 33);
}

TEST_CASE("cuda answers are naive's: full batches, and many matches", "[cuda]") {
    if (!testing::has_device()) return;
    Random random(700);
    World world;
    BothSets sets(on_device());
    for (const std::size_t adds : {1u, 63u, 64u, 65u, 500u, 3000u}) {
        for (std::size_t i = 0; i < adds; ++i) sets.add(random_filter(world, random));
        REQUIRE(sets.differences(random_events(world, engine::EventBatch::events_max, random)) == 0);
    }
    CHECK(sets.matches() > 0);
}

TEST_CASE("cuda answers are naive's: an old program, after the set has changed", "[cuda]") {
    if (!testing::has_device()) return;
    World world;
    world.scanned_share = 0;
    Random random(800);
    for (std::size_t round = 0; round < std::max<std::size_t>(1, rounds() / 20); ++round) {
        BothSets sets(on_device());
        for (int i = 0; i < 400; ++i) sets.add(random_filter(world, random));
        const auto old = sets.compile();
        const auto events = random_events(world, 50, random);
        const Answers before = answers(*old, events);
        for (int i = 0; i < 300; ++i) sets.remove(random.below(sets.size()));
        for (int i = 0; i < 3000; ++i) sets.add(random_filter(world, random));
        for (int i = 0; i < 3; ++i) REQUIRE(sets.differences(random_events(world, 20, random)) == 0);
        CHECK(answers(*old, events) == before);
    }
}

TEST_CASE("cuda answers are naive's: several threads match one program", "[cuda]") {
    if (!testing::has_device()) return;
    World world;
    world.texts = 200;
    world.numbers = 200;
    Random random(900);
    const auto cuda = engine::make_subscription_set(on_device()),
               naive = engine::make_subscription_set(engine::Backend::naive);
    for (int i = 0; i < 2000; ++i) {
        const engine::Disjunction filter = testing::disjunction_of(random_filter(world, random));
        cuda->add(filter);
        naive->add(filter);
    }
    const auto program = cuda->compile(), reference = naive->compile();
    std::vector<std::thread> threads;
    std::atomic<std::size_t> wrong = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        threads.emplace_back([&, seed] {
            Random own(seed);
            for (std::size_t i = 0; i < rounds() / 4 + 2; ++i) {
                const auto events = random_events(world, own.of(batch_sizes), own);
                if (accepted(answers(*program, events)) != accepted(answers(*reference, events))) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(cuda->status().faults.empty());
}

}  // namespace sluice::test
