#include "gpu/cpu/segment/shared_findings.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

#include "gpu/api/matcher.hpp"
#include "gpu/operators/work.hpp"
#include "tests/support/written_filter.hpp"

using namespace sluice;
using namespace sluice::cpu;
using Kind = engine::Measure::Kind;

namespace {

// Attribute 0 of the group, in so many values, and attribute 1 of the events.
struct Trial {
    explicit Trial(std::size_t values) {
        for (std::size_t i = 0; i < values; ++i) texts.push_back("value " + std::to_string(i));
        for (std::size_t i = 0; i < values; ++i) shared.push_back({0, texts[i], static_cast<double>(i)});
        set->add(testing::disjunction_of(
            {{{{"shared", engine::Operator::exists, {}, 0}, false}}}));  // so that the ids are those above
        set->add(testing::disjunction_of({{{{"own", engine::Operator::exists, {}, 0}, false}}}));
    }

    engine::SubscriptionId add(engine::Predicate predicate) {
        return set->add(testing::disjunction_of({{{std::move(predicate), false}}}));
    }
    engine::SubscriptionId add_measured(double k, std::string pattern) {
        return add({"shared",
                    engine::Operator::less_equal,
                    {},
                    k,
                    engine::Measure{Kind::edit_distance, std::move(pattern), "unit", 0, 0}});
    }

    // All events of the batch share the group with this id.
    void run(std::size_t events, std::uint64_t id, std::string_view own = "own") {
        const auto program = set->compile();
        REQUIRE(program->attributes()->names.at(0) == "shared");
        batch.clear();
        batch.groups.push_back({id, shared, events_of_group});
        for (std::size_t e = 0; e < events; ++e) {
            batch.values.push_back({1, own, 0});
            batch.shares.push_back(0);
            batch.end_event();
        }
        work = {};
        batch.work = &work;
        batch.undecided = &undecided;
        undecided.clear();
        matches.clear();
        program->match(batch, matches);
    }
    std::size_t accepted(engine::SubscriptionId id) const {
        std::size_t events = 0;
        for (const engine::Match& m : matches) {
            for (std::uint32_t bits = m.subscription == id ? m.accepted : 0; bits != 0; bits &= bits - 1) ++events;
        }
        return events;
    }

    std::unique_ptr<engine::SubscriptionSet> set = engine::make_subscription_set(engine::Backend::cpu);
    std::vector<std::string> texts;
    std::vector<engine::Value> shared;
    std::uint32_t events_of_group = 1;
    engine::EventBatch batch;
    operators::OperatorWork work;
    std::vector<engine::Match> matches, undecided;
};

}  // namespace

TEST_CASE("a group of values is evaluated once for all events that share it, and for all batches") {
    Trial trial(100);
    const auto contains = trial.add({"shared", engine::Operator::contains, "e 99", 0});
    const auto equal = trial.add({"shared", engine::Operator::equal, "value 50", 0});
    const auto range = trial.add({"shared", engine::Operator::greater, {}, 98});
    const auto absent = trial.add({"shared", engine::Operator::contains, "x", 0});
    const std::uint64_t id = engine::ValueGroup::new_id();
    for (const std::size_t events : {1u, 31u, 32u, 33u, 1000u}) {
        trial.run(events, id);
        CAPTURE(events);
        CHECK(trial.work.contains.texts == (events == 1 ? 100 : 0));
        for (const engine::SubscriptionId s : {contains, equal, range}) CHECK(trial.accepted(s) == events);
        CHECK(trial.accepted(absent) == 0);
    }
    trial.run(40, engine::ValueGroup::new_id());
    CHECK(trial.work.contains.texts == 100);
    trial.run(0, engine::ValueGroup::new_id());
    CHECK(trial.work.contains.texts == 0);
}

TEST_CASE("a new segment evaluates a group by itself") {
    Trial trial(100);
    const auto a = trial.add({"shared", engine::Operator::contains, "e 99", 0});
    const std::uint64_t id = engine::ValueGroup::new_id();
    trial.run(5, id);
    const auto b = trial.add({"shared", engine::Operator::contains, "e 98", 0});
    trial.run(5, id);
    CHECK(trial.accepted(a) == 5);
    CHECK(trial.accepted(b) == 5);
    CHECK(trial.work.contains.texts <= 100);
}

TEST_CASE("measured predicates are asked once for a group, and for all batches") {
    Trial trial(100);
    const auto near = trial.add_measured(1, "value 1x"), far = trial.add_measured(1, "other");
    const std::uint64_t id = engine::ValueGroup::new_id();
    for (const std::size_t events : {33u, 1u, 64u}) {
        trial.run(events, id);
        CHECK(trial.work.of(Kind::edit_distance).pairs == (events == 33 ? 200 : 0));
        CHECK(trial.accepted(near) == events);
        CHECK(trial.accepted(far) == 0);
    }
}

TEST_CASE("what takes too long of a group is undecided for all its events, and in all batches") {
    Trial trial(100);
    trial.texts[7] = std::string(50'000, 'z');
    trial.shared[7].text = trial.texts[7];
    const auto holds = trial.add_measured(1, "value 1x"), unknown = trial.add_measured(1, "other");
    trial.batch.operator_ns_max = 10'000;
    const std::uint64_t id = engine::ValueGroup::new_id();
    for (int i = 0; i < 2; ++i) {
        trial.run(40, id);
        CHECK(trial.accepted(holds) == 40);
        CHECK(trial.accepted(unknown) == 0);
        std::array<std::uint32_t, 2> events{};  // by word
        for (const engine::Match& m : trial.undecided) {
            CHECK(m.subscription == unknown);
            events.at(m.word) |= m.accepted;
        }
        CHECK(events == std::array<std::uint32_t, 2>{0xffffffffu, 0xffu});
    }
}

TEST_CASE("a group has the time of its events for measured predicates, once for all batches") {
    Trial trial(1);
    trial.texts[0] = std::string(10'000, 'z');
    trial.shared[0].text = trial.texts[0];
    for (const std::string own : {"a", "b"}) {
        for (int i = 0; i < 10; ++i) {  // an estimate of 30 us each
            engine::Predicate distance{"shared", engine::Operator::greater_equal, {}, 0};
            distance.measure = {Kind::edit_distance, own + std::to_string(i) + std::string(62, 'q'), "unit", 0, 0};
            trial.set->add(
                testing::disjunction_of({{{{"own", engine::Operator::equal, own, 0}, false}, {distance, false}}}));
        }
    }
    trial.batch.event_ns_max = 20'000;
    trial.batch.group_ns_max = 1'000'000;
    const auto decided = [&](std::uint64_t id, std::string_view own) {
        trial.run(3, id, own);
        CHECK(trial.matches.size() + trial.undecided.size() == 12);
        return trial.matches.size() - 2;  // without those of the constructor
    };
    SECTION("as if each event had its part") {
        trial.events_of_group = 5;
        const std::uint64_t id = engine::ValueGroup::new_id();
        CHECK(decided(id, "a") == 3);
        CHECK(decided(id, "b") == 0);  // 10 us are left
        CHECK(decided(id, "a") == 3);
        CHECK(decided(engine::ValueGroup::new_id(), "b") == 3);
    }
    SECTION("but at most the time of one event that nothing shares") {
        trial.events_of_group = 1'000'000;
        trial.batch.group_ns_max = 450'000;
        const std::uint64_t id = engine::ValueGroup::new_id();
        CHECK(decided(id, "a") == 10);
        CHECK(decided(id, "b") == 5);
    }
}

TEST_CASE("a group that takes long is announced before it is evaluated") {
    Trial trial(10'000);
    const auto equal = trial.add({"shared", engine::Operator::equal, "value 50", 0});
    double ns_max = 0;
    trial.batch.pause = [&](double ns) { ns_max = std::max(ns_max, ns); };
    trial.run(3, engine::ValueGroup::new_id());
    CHECK(ns_max > 100'000);
    trial.batch.pause = [](double) { throw std::runtime_error("enough"); };
    const std::uint64_t id = engine::ValueGroup::new_id();
    CHECK_THROWS_AS(trial.run(3, id), std::runtime_error);
    trial.batch.pause = nullptr;
    trial.run(3, id);
    CHECK(trial.accepted(equal) == 3);
}

TEST_CASE("findings are forgotten when they are many, but those of the last batch") {
    engine::PredicateTables tables;
    std::vector<std::string> texts;
    std::vector<engine::Value> values;
    for (int i = 0; i < 1'000; ++i) texts.push_back(std::to_string(i));
    for (const std::string& text : texts) {
        tables.intern(engine::Term{engine::Family::equal, {}, text, 0, 0}, 0);
        values.push_back({0, text, 0});
    }
    tables.freeze();
    SharedFindings shared;
    engine::EventState state;
    engine::EventBatch batch;
    for (int i = 0; i < 500; ++i) {
        batch.clear();
        batch.groups.push_back({engine::ValueGroup::new_id(), values});
        batch.shares.push_back(0);
        batch.end_event();
        shared.begin(tables, batch);
        shared.evaluate(0, state);
        CHECK(state.true_codes.size() == 1'001);
        tables.forget(state);
        shared.end_batch();
        CHECK(shared.size() >= 1);
        CHECK(shared.size() < 100);
    }
}
